import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LockLostError } from "holdfast";
import type { Lock, LockState } from "holdfast";
import { HeldGrant, clockPoint } from "../../sdk/src/client/locks/handle/held-grant.ts";
import { ManualClock, loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { heldUp } from "./held-up.ts";
import type { HeldUp } from "./held-up.ts";

const acceptMs = 10_000;

/** Ann has the lock, and Bob stands in line. */
async function line(node: ClientNode, ttlSeconds = 60) {
  const bob = heldUp(node, "bob");
  await held(await bob.client.acquire("warm")).release();
  const ann = held(await node.fresh("ann").acquire("doc/1", { purpose: "draft", ttlSeconds: 600 }));
  const waiting = bob.client.acquire("doc/1", { ttlSeconds });
  await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
  return { bob, ann, waiting };
}

const leftMs = (lock: Lock, { clock }: HeldUp): number => lock.expiresAt.getTime() - clock.wallMs();

describe("who waited", () => {
  test("has the lock when the event of its grant arrives, without a word to the server [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    const sentBefore = bob.sent.length;
    bob.ways.areCallsHeldUp = true;
    await ann.release();
    const lock = held(await waiting);
    assert.equal(lock.state, "held");
    assert.equal((await node.client.locks.status("doc/1")).holders[0]?.fence, lock.fence);
    assert.deepEqual(bob.sent.slice(sentBefore), []);
    bob.flow();
    const [left] = await lock.leftBefore();
    assert.deepEqual([left?.how, left?.by, left?.purpose], ["released", ann.ownerId, "draft"]);
    assert.deepEqual(bob.sent.slice(sentBefore), ["accept-lock"]);
    assert.equal((await lock.leftBefore())[0], left, "asked once");
    await lock.release();
  });

  test("counts its lease from before it asked, and no longer than the time to show a sign of life: too short, never too long [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    bob.clock.advance(4_000);
    await ann.release();
    const lock = held(await waiting);
    assert.equal(leftMs(lock, bob), acceptMs - 4_000);
    // The heartbeat is the sign of life: from then on the whole lease counts.
    await bob.clock.pass(3_500, 250);
    await node.clock.pass(500, 250);
    await soon(() => leftMs(lock, bob) > acceptMs);
    assert.ok(leftMs(lock, bob) <= 60_000);
    await lock.release();
  });

  test("for so long that half of that is gone asks the server first, and counts from there [M9 X5]", async () => {
    for (const [ttlSeconds, waitedMs] of [
      [60, acceptMs / 2 + 1],
      [2, 1_001],
    ] as const) {
      await using node = await clientNode();
      const { bob, ann, waiting } = await line(node, ttlSeconds);
      bob.clock.advance(waitedMs);
      bob.ways.areCallsHeldUp = true;
      let isGot = false;
      void waiting.then(() => (isGot = true));
      await ann.release();
      await soon(() => bob.sent.includes("accept-lock") && bob.sent.includes("renew-lock"));
      await loopTicks(20);
      assert.equal(isGot, false);
      bob.flow();
      const lock = held(await waiting);
      assert.equal(leftMs(lock, bob), ttlSeconds * 1_000);
      await lock.release();
    }
  });

  test("and stood still for longer than the time to show a sign of life never takes the lock for held, and finds it lost [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    await ann.release();
    const lock = held(await waiting);
    const states: LockState[] = [];
    lock.onStateChange((state) => states.push(state));
    Object.assign(bob.ways, { areCallsHeldUp: true, areEventsHeldUp: true });
    await node.clock.pass(acceptMs + 1_000, 250);
    const eve = held(await node.fresh("eve").acquire("doc/1", { waitMs: 0 }));
    bob.clock.advance(acceptMs + 1_000);
    assert.equal(lock.state, "uncertain");
    bob.flow();
    await soon(() => lock.signal.aborted);
    assert.deepEqual(states, ["uncertain", "lost"]);
    assert.equal((lock.lost as LockLostError).why, "expired");
    assert.equal(eve.state, "held");
  });

  test("and whose acceptance is refused has lost the lock [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    await ann.release();
    const lock = held(await waiting);
    bob.ways.areEventsHeldUp = true;
    await node.client.locks.forceRelease(lock.fence, "stuck");
    assert.equal(lock.state, "held", "nobody has told it");
    await assert.rejects(lock.leftBefore(), (error) => error instanceof LockLostError && error.why === "forced");
    assert.deepEqual([lock.state, lock.signal.aborted], ["lost", true]);
    bob.flow();
  });

  test("learns of a loss that comes with the grant, and may ask again [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    bob.ways.areEventsHeldUp = true;
    await ann.release();
    const { holders } = await node.client.locks.status("doc/1");
    await node.client.locks.forceRelease(holders[0]!.fence, "stuck");
    bob.flow();
    const lock = held(await waiting);
    await soon(() => lock.signal.aborted);
    assert.equal((lock.lost as LockLostError).why, "forced");
    await held(await bob.client.acquire("doc/1")).release();
  });

  test("and gave up in the moment of the grant has it, unless it is gone by then [X5]", async () => {
    for (const isGone of [false, true]) {
      await using node = await clientNode();
      const bob = heldUp(node, "bob");
      await held(await bob.client.acquire("warm")).release();
      const ann = held(await node.fresh("ann").acquire("doc/1"));
      const waiting = bob.client.acquire("doc/1", { waitMs: 1_000 });
      await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
      bob.ways.areCallsHeldUp = true;
      await bob.clock.pass(1_000, 250);
      await soon(() => bob.sent.includes("cancel-ticket"));
      await ann.release();
      await loopTicks(20);
      bob.ways.areEventsHeldUp = true;
      const { holders } = await node.client.locks.status("doc/1");
      if (isGone) await node.client.locks.forceRelease(holders[0]!.fence, "stuck");
      bob.flow();
      const got = await waiting;
      assert.equal(got.granted, !isGone);
      if (got.granted) await got.release();
      assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    }
  });

  test("may give it back at once; then nobody can say any more how it was left [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await line(node);
    await ann.release();
    const lock = held(await waiting);
    await lock.release();
    assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    await assert.rejects(lock.leftBefore(), /while you have it/u);
    assert.ok(!bob.sent.includes("accept-lock"));
  });

  test("knows how it was left before also when it has become a write lock since [X5]", async () => {
    await using node = await clientNode();
    const reader = held(await node.fresh("eve").acquire("doc/2", { mode: "read" }));
    const writer = held(await node.fresh("zoe").acquire("doc/3"));
    const waiting = node.fresh("bob").acquire(["doc/2", "doc/3"], { mode: "upgradeable" });
    await soon(async () => (await node.client.locks.status("doc/3")).queue.length === 1);
    await writer.release({ note: "half done" });
    const lock = held(await waiting);
    const upgrading = lock.upgrade();
    await soon(async () => (await node.client.locks.status("doc/2")).queue.length === 1);
    await reader.release();
    await upgrading;
    assert.equal((await lock.leftBefore())[0]?.note, "half done");
  });
});

describe("a heartbeat", () => {
  const pendingGrant = (clock: ManualClock): HeldGrant => {
    const time = Object.assign(clock, { random: () => 0, unique: () => "id" });
    const none = (): undefined => undefined;
    const sentAt = clockPoint(time);
    clock.advance(2_000);
    const acceptance = { ticket: "1.2", acceptMs, heardAtMs: clock.monotonicMs() };
    return new HeldGrant(
      { fence: "1.3", paths: [], acquired_at: new Date(0).toISOString(), ttl_seconds: 60, owner_id: "bob" },
      {
        ...{ clock: time, sentAt, endsAtMs: Infinity, patienceMs: 0, acceptance },
        ...{ hear: none, confirm: none, onListeners: none, onOver: none },
      },
    );
  };

  test("that was sent before its sender knew of a grant is no sign of life for it, and renews the rest [M9]", () => {
    const clock = new ManualClock();
    const grant = pendingGrant(clock);
    const beat = { monotonicMs: 1_000, wallMs: clock.wallMs() - 1_000 };
    grant.renewByBeat(beat, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 1_000 + acceptMs);
  });

  test("that was sent since is one [M9]", () => {
    const clock = new ManualClock();
    const grant = pendingGrant(clock);
    grant.renewByBeat(clockPoint(clock as never), clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 2_000 + 60_000);
  });
});

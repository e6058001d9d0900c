import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LockLostError } from "holdfast";
import type { Lock, LockState } from "holdfast";
import { HeldGrant, clockPoint } from "../../sdk/src/client/locks/handle/held-grant.ts";
import { ManualClock, loopTicks } from "../engine/manual-clock.ts";
import { clientNode, denied, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { pausableClient } from "./pausable-client.ts";
import type { PausableClient } from "./pausable-client.ts";

const acceptMs = 10_000;

/** Ann holds the lock, and Bob waits for it. */
async function queueOf(node: ClientNode, ttlSeconds = 60) {
  const bob = pausableClient(node, "bob");
  await held(await bob.client.acquire("warm")).release();
  const ann = held(await node.fresh("ann").acquire("doc/1", { purpose: "draft", ttlMs: 600_000 }));
  const waiting = bob.client.acquire("doc/1", { ttlMs: ttlSeconds * 1000 });
  await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
  return { bob, ann, waiting };
}

const leftMs = (lock: Lock, { clock }: PausableClient): number => lock.expiresAt.getTime() - clock.wallMs();

describe("grants by event", () => {
  test("a waiter holds the lock when the grant event arrives, without a call to the server [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    const sentBefore = bob.sent.length;
    bob.pauses.areCallsPaused = true;
    await ann.release();
    const lock = held(await waiting);
    assert.equal(lock.state, "held");
    assert.equal((await node.client.locks.status("doc/1")).holders[0]?.fence, lock.fence);
    assert.deepEqual(bob.sent.slice(sentBefore), []);
    bob.resume();
    const [left] = await lock.leftBefore();
    assert.deepEqual([left?.how, left?.by, left?.purpose], ["released", ann.ownerId, "draft"]);
    assert.deepEqual(bob.sent.slice(sentBefore), ["accept-lock"]);
    assert.equal((await lock.leftBefore())[0], left, "the reply is cached");
    await lock.release();
  });

  test("a waiter counts its lease from before its request and at most for the accept time, never too long [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    bob.clock.advance(4_000);
    await ann.release();
    const lock = held(await waiting);
    assert.equal(leftMs(lock, bob), acceptMs - 4_000);
    // The heartbeat accepts the grant. From then on the whole lease counts.
    await bob.clock.pass(3_500, 250);
    await node.clock.pass(500, 250);
    await soon(() => leftMs(lock, bob) > acceptMs);
    assert.ok(leftMs(lock, bob) <= 60_000);
    await lock.release();
  });

  test("a waiter that has used half of its accept time asks the server first and counts from there [M9 X5]", async () => {
    for (const [ttlSeconds, waitedMs] of [
      [60, acceptMs / 2 + 1],
      [2, 1_001],
    ] as const) {
      await using node = await clientNode();
      const { bob, ann, waiting } = await queueOf(node, ttlSeconds);
      bob.clock.advance(waitedMs);
      bob.pauses.areCallsPaused = true;
      let isGot = false;
      void waiting.then(() => (isGot = true));
      await ann.release();
      await soon(() => bob.sent.includes("accept-lock") && bob.sent.includes("renew-lock"));
      await loopTicks(20);
      assert.equal(isGot, false);
      bob.resume();
      const lock = held(await waiting);
      assert.equal(leftMs(lock, bob), ttlSeconds * 1_000);
      await lock.release();
    }
  });

  test("a waiter that was suspended beyond its accept time never treats the lock as held and learns of its loss [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    await ann.release();
    const lock = held(await waiting);
    const states: LockState[] = [];
    lock.onStateChange((state) => states.push(state));
    Object.assign(bob.pauses, { areCallsPaused: true, areEventsPaused: true });
    await node.clock.pass(acceptMs + 1_000, 250);
    const eve = held(await node.fresh("eve").tryAcquire("doc/1", { waitMs: 0 }));
    bob.clock.advance(acceptMs + 1_000);
    assert.equal(lock.state, "uncertain");
    bob.resume();
    await soon(() => lock.signal.aborted);
    assert.deepEqual(states, ["uncertain", "lost"]);
    assert.equal((lock.lost as LockLostError).why, "expired");
    assert.equal(eve.state, "held");
  });

  test("a waiter whose acceptance is refused has lost the lock [M9 X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    await ann.release();
    const lock = held(await waiting);
    bob.pauses.areEventsPaused = true;
    await node.client.locks.forceRelease(lock.fence, "stuck");
    assert.equal(lock.state, "held", "the client does not know of the loss");
    await assert.rejects(lock.leftBefore(), (error) => error instanceof LockLostError && error.why === "forced");
    assert.deepEqual([lock.state, lock.signal.aborted], ["lost", true]);
    bob.resume();
  });

  test("a waiter learns of a loss that arrives with the grant and can acquire the lock again [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    bob.pauses.areEventsPaused = true;
    await ann.release();
    const { holders } = await node.client.locks.status("doc/1");
    await node.client.locks.forceRelease(holders[0]!.fence, "stuck");
    bob.resume();
    const lock = held(await waiting);
    await soon(() => lock.signal.aborted);
    assert.equal((lock.lost as LockLostError).why, "forced");
    await held(await bob.client.acquire("doc/1")).release();
  });

  test("a waiter that times out before its grant arrives is denied, and its request is withdrawn [X5 X13]", async () => {
    for (const isGone of [false, true]) {
      await using node = await clientNode();
      const bob = pausableClient(node, "bob");
      await held(await bob.client.acquire("warm")).release();
      const ann = held(await node.fresh("ann").acquire("doc/1"));
      const waiting = bob.client.tryAcquire("doc/1", { waitMs: 1_000 });
      await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
      bob.pauses.areCallsPaused = true;
      await bob.clock.pass(1_000, 250);
      await soon(() => bob.sent.includes("withdraw-request"));
      await ann.release();
      await loopTicks(20);
      bob.pauses.areEventsPaused = true;
      const { holders } = await node.client.locks.status("doc/1");
      if (isGone) await node.client.locks.forceRelease(holders[0]!.fence, "stuck");
      bob.resume();
      denied(await waiting);
      assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    }
  });

  test("a waiter can release its grant at once, and leftBefore() then fails [X5]", async () => {
    await using node = await clientNode();
    const { bob, ann, waiting } = await queueOf(node);
    await ann.release();
    const lock = held(await waiting);
    await lock.release();
    assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    await assert.rejects(lock.leftBefore(), /while you hold it/u);
    assert.ok(!bob.sent.includes("accept-lock"));
  });

  test("a waiter can read leftBefore() also after the lock was upgraded to write [X5]", async () => {
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

describe("heartbeats", () => {
  const pendingGrant = (clock: ManualClock): HeldGrant => {
    const time = Object.assign(clock, { random: () => 0, unique: () => "id" });
    const none = (): undefined => undefined;
    const sentAt = clockPoint(time);
    clock.advance(2_000);
    const acceptance = { ticket: "1.2", acceptMs, learnedAtMs: clock.monotonicMs() };
    return new HeldGrant(
      { fence: "1.3", paths: [], acquiredAt: new Date(0).toISOString(), ttlMs: 60_000, ownerId: "bob" },
      {
        ...{ clock: time, sentAt, endsAtMs: Infinity, uncertainMaxMs: 0, acceptance },
        ...{ applyBeats: none, confirm: none, onListeners: none, onOver: none },
      },
    );
  };

  test("a heartbeat that was sent before its sender knew of a grant does not accept that grant [M9]", () => {
    const clock = new ManualClock();
    const grant = pendingGrant(clock);
    const beat = { monotonicMs: 1_000, wallMs: clock.wallMs() - 1_000 };
    grant.renewByBeat(beat, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 1_000 + acceptMs);
  });

  test("a heartbeat that was sent after its sender knew of a grant accepts it and renews the whole lease [M9]", () => {
    const clock = new ManualClock();
    const grant = pendingGrant(clock);
    grant.renewByBeat(clockPoint(clock as never), clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 2_000 + 60_000);
  });
});

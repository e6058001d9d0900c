import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HoldfastError, LockUsageError } from "holdfast";
import type { Lock } from "holdfast";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { heldUp } from "./held-up.ts";
import type { HeldUp } from "./held-up.ts";
import { scripted } from "./scripted-transport.ts";

const path = "doc/1";

/** Lets the same time pass for the node and for a client on the network's other side. */
async function pass(node: ClientNode, up: HeldUp, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    up.clock.advance(0);
    await Promise.all([up.clock.pass(250, 250), node.clock.pass(250, 250)]);
  }
}

/** What is left of the lease by the client, and by the server. */
async function left(node: ClientNode, up: HeldUp, lock: Lock): Promise<readonly [number, number]> {
  const [holder] = (await node.client.locks.status(path)).holders;
  return [
    lock.expiresAt.getTime() - up.clock.wallMs(),
    Date.parse(holder?.until ?? "1970-01-01T00:00:00Z") - node.clock.wallMs(),
  ];
}

/** The network is gone; somebody else waits for the lock. By when it has it, the client must not count on it any more. */
async function assertGivenUpInTime(node: ClientNode, up: HeldUp, lock: Lock, limitMs: number): Promise<void> {
  up.ways.areCallsHeldUp = true;
  up.ways.areEventsHeldUp = true;
  const eve = node.fresh("eve");
  const other = eve.acquire(path);
  const has = { itNow: false };
  void other.then(() => {
    has.itNow = true;
  });
  for (let passed = 0; passed < limitMs && !has.itNow; passed += 1_000) await pass(node, up, 1_000);
  assert.ok(has.itNow, "the server has given it to the next one");
  assert.notEqual(lock.state, "held");
  await held(await other).release();
  up.flow();
}

describe("asking again for what one holds", () => {
  for (const ttlSeconds of [30, 600, 900]) {
    test(`for ${ttlSeconds} of 600 seconds renews it for the longer one, and the client counts no more than the server [M9]`, async () => {
      await using node = await clientNode();
      const up = heldUp(node, "bob");
      const lock = held(await up.client.acquire(path, { ttlSeconds: 600 }));
      await pass(node, up, 100_000);
      const inner = held(await up.client.acquire(path, { reentrant: true, ttlSeconds }));
      await inner.release();
      const longerMs = Math.max(600, ttlSeconds) * 1_000;
      assert.deepEqual(await left(node, up, lock), [longerMs, longerMs]);
      if (ttlSeconds === 30) await assertGivenUpInTime(node, up, lock, 700_000);
    });

    test(`for ${ttlSeconds} of 600 seconds by a client that does not know of it counts no more than the server [M9]`, async () => {
      await using node = await clientNode();
      const [before, up] = [heldUp(node, "bob"), heldUp(node, "bob again")];
      await before.client.acquire(path, { ownerId: "bob", ttlSeconds: 600 });
      before.ways.areCallsHeldUp = true;
      await pass(node, up, 100_000);
      const lock = held(await up.client.acquire(path, { ownerId: "bob", ttlSeconds }));
      const [clientMs, serverMs] = await left(node, up, lock);
      assert.equal(clientMs, ttlSeconds * 1_000);
      assert.ok(clientMs <= serverMs, `${clientMs} of ${serverMs}`);
      before.flow();
    });
  }

  test("in a stronger mode renews nothing, and the last handle to be released frees it [M9]", async () => {
    await using node = await clientNode();
    const up = heldUp(node, "bob");
    const lock = held(await up.client.acquire(path, { mode: "read", ttlSeconds: 600 }));
    await pass(node, up, 100_000);
    const inner = held(await up.client.acquire(path, { reentrant: true, ttlSeconds: 600 }));
    for (const handle of [lock, inner]) {
      const [clientMs, serverMs] = await left(node, up, handle);
      assert.ok(clientMs <= serverMs, `${clientMs} of ${serverMs}`);
    }
    assert.deepEqual([lock.mode, lock.fence], ["write", inner.fence]);
    await lock.release();
    assert.equal((await node.client.locks.status(path)).holders.length, 1);
    await pass(node, up, 1_000);
    assert.equal(inner.state, "held");
    await node.client.locks.forceRelease(inner.fence, "stuck");
    await soon(() => inner.signal.aborted);
  });
});

describe("asking in a stronger mode for what one was granted after waiting", () => {
  /** Bob's, who has waited for it, and the network's other side. */
  async function waitedFor(node: ClientNode): Promise<readonly [Lock, HeldUp]> {
    const up = heldUp(node, "bob");
    const before = held(await node.fresh("ann").acquire(path));
    const waiting = up.client.acquire(path, { mode: "read" });
    await soon(async () => (await node.client.locks.status(path)).queue.length === 1);
    await before.release();
    return [held(await waiting), up];
  }

  test("changes the lock that both handles share", async () => {
    await using node = await clientNode();
    const [lock, up] = await waitedFor(node);
    const inner = held(await up.client.acquire(path, { reentrant: true }));
    assert.deepEqual([lock.mode, lock.fence], ["write", inner.fence]);
  });

  test("and has lost meanwhile, without having heard of it, gives a lock of its own: the first is lost [M9]", async () => {
    await using node = await clientNode();
    const [lock, up] = await waitedFor(node);
    up.ways.areEventsHeldUp = true;
    await node.clock.pass(1_000, 250);
    await node.client.locks.forceRelease(lock.fence, "stuck");
    const inner = held(await up.client.acquire(path, { reentrant: true }));
    assert.notEqual(lock.fence, inner.fence);
    up.flow();
    await soon(() => lock.signal.aborted);
    assert.equal(inner.state, "held");
  });
});

describe("a renewal with another lease", () => {
  test("that is shorter and whose answer is lost: the client gives up no later than the server [M9]", async () => {
    await using node = await clientNode();
    const up = heldUp(node, "bob");
    const lock = held(await up.client.acquire(path, { ttlSeconds: 600 }));
    up.ways.areAnswersHeldUp = true;
    const renewed = lock.renew({ ttlSeconds: 5 }).catch(() => undefined);
    await soon(async () => (await left(node, up, lock))[1] === 5_000);
    await assertGivenUpInTime(node, up, lock, 60_000);
    await renewed;
  });

  test("that is answered counts from then on, be it shorter or longer [M9]", async () => {
    await using node = await clientNode();
    const up = heldUp(node, "bob");
    const lock = held(await up.client.acquire(path, { ttlSeconds: 600 }));
    for (const ttlSeconds of [20, 900]) {
      await lock.renew({ ttlSeconds });
      assert.deepEqual(await left(node, up, lock), [ttlSeconds * 1_000, ttlSeconds * 1_000]);
      await pass(node, up, 100_000);
      assert.equal(lock.state, "held");
    }
    await lock.release();
  });

  test("that is refused, here or by the server, leaves the lease as it was", async () => {
    await using node = await clientNode();
    const up = heldUp(node, "bob");
    const lock = held(await up.client.acquire("project/p1", { ttlSeconds: 45 }));
    const leftMs = (): number => lock.expiresAt.getTime() - up.clock.wallMs();
    for (const ttlSeconds of [-5, 0, 0.5, 100_000]) {
      await assert.rejects(lock.renew({ ttlSeconds }), LockUsageError);
      assert.equal(leftMs(), 45_000);
    }
    const refused = assert.rejects(lock.renew({ ttlSeconds: 5 }), HoldfastError);
    assert.equal(leftMs(), 5_000, "nobody knows yet");
    await refused;
    await soon(() => leftMs() === 45_000);
    assert.equal(lock.state, "held");
  });
});

test("an answer that is given again, and tells of a grant that nobody has taken up yet, counts for the time for that [M9]", async () => {
  const now = new Date(0).toISOString();
  const paths = [{ path, mode: "write", scope: "tree" }];
  const lease = { acquired_at: now, expires_at: now, ttl_seconds: 30, still_held: true, left_before: [] };
  const answers: Readonly<Record<string, object>> = {
    "register-agent": { agent_id: "a", secret: "s", seen_at: now, expires_at: new Date(900_000).toISOString() },
    "acquire-lock": { granted: true, ticket: "1.2", fence: "1.3", owner_id: "a", paths, ...lease },
  };
  const { client, clock } = scripted(({ operation }) => {
    const data = answers[operation];
    return data === undefined ? { kind: "refusal", code: "outcome_unknown", data: {} } : { kind: "done", data: data };
  });
  const lock = held(await client.acquire(path, { ttlSeconds: 30 }));
  assert.equal(lock.expiresAt.getTime() - clock.wallMs(), 10_000);
});

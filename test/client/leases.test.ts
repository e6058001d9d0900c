import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HoldfastError, LockUsageError } from "holdfast";
import type { Lock } from "holdfast";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { pausableClient } from "./pausable-client.ts";
import type { PausableClient } from "./pausable-client.ts";
import { scriptedClient } from "./scripted-client.ts";

const path = "doc/1";

/** Passes the same time for the node and for a client across the network. */
async function pass(node: ClientNode, up: PausableClient, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    up.clock.advance(0);
    await Promise.all([up.clock.pass(250, 250), node.clock.pass(250, 250)]);
  }
}

/** The remaining lease, by the client and by the server. */
async function left(node: ClientNode, up: PausableClient, lock: Lock): Promise<readonly [number, number]> {
  const [holder] = (await node.client.locks.status(path)).holders;
  return [
    lock.expiresAt.getTime() - up.clock.wallMs(),
    Date.parse(holder?.until ?? "1970-01-01T00:00:00Z") - node.clock.wallMs(),
  ];
}

/**
 * Cuts the network while another client waits for the lock. Once that client holds it, this one must not treat it as
 * held.
 */
async function assertGivenUpInTime(node: ClientNode, up: PausableClient, lock: Lock, limitMs: number): Promise<void> {
  up.pauses.areCallsPaused = true;
  up.pauses.areEventsPaused = true;
  const eve = node.fresh("eve");
  const other = eve.acquire(path);
  const has = { itNow: false };
  void other.then(() => {
    has.itNow = true;
  });
  for (let passed = 0; passed < limitMs && !has.itNow; passed += 1_000) await pass(node, up, 1_000);
  assert.ok(has.itNow, "the server has granted the lock to the next waiter");
  assert.notEqual(lock.state, "held");
  await held(await other).release();
  up.resume();
}

describe("repeated acquires of a held lock", () => {
  for (const ttlSeconds of [30, 600, 900]) {
    test(`a repeated acquire with ${ttlSeconds} of 600 seconds keeps the longer lease, and the client counts no more than the server [M9]`, async () => {
      await using node = await clientNode();
      const up = pausableClient(node, "bob");
      const lock = held(await up.client.acquire(path, { ttlMs: 600_000 }));
      await pass(node, up, 100_000);
      const inner = held(await up.client.acquire(path, { reentrant: true, ttlMs: ttlSeconds * 1000 }));
      await inner.release();
      const longerMs = Math.max(600, ttlSeconds) * 1_000;
      assert.deepEqual(await left(node, up, lock), [longerMs, longerMs]);
      if (ttlSeconds === 30) await assertGivenUpInTime(node, up, lock, 700_000);
    });

    test(`an acquire with ${ttlSeconds} of 600 seconds by a second client of the owner counts no more than the server [M9]`, async () => {
      await using node = await clientNode();
      const [before, up] = [pausableClient(node, "bob"), pausableClient(node, "bob again")];
      await before.client.acquire(path, { ownerId: "bob", ttlMs: 600_000 });
      before.pauses.areCallsPaused = true;
      await pass(node, up, 100_000);
      const lock = held(await up.client.acquire(path, { ownerId: "bob", ttlMs: ttlSeconds * 1000 }));
      const [clientMs, serverMs] = await left(node, up, lock);
      assert.equal(clientMs, ttlSeconds * 1_000);
      assert.ok(clientMs <= serverMs, `${clientMs} of ${serverMs}`);
      before.resume();
    });
  }

  test("a repeated acquire in a stronger mode renews nothing, and the last released handle frees the lock [M9]", async () => {
    await using node = await clientNode();
    const up = pausableClient(node, "bob");
    const lock = held(await up.client.acquire(path, { mode: "read", ttlMs: 600_000 }));
    await pass(node, up, 100_000);
    const inner = held(await up.client.acquire(path, { reentrant: true, ttlMs: 600_000 }));
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

describe("stronger modes after a wait", () => {
  /** The lock that Bob waited for, with the client of Bob. */
  async function waitedFor(node: ClientNode): Promise<readonly [Lock, PausableClient]> {
    const up = pausableClient(node, "bob");
    const before = held(await node.fresh("ann").acquire(path));
    const waiting = up.client.acquire(path, { mode: "read" });
    await soon(async () => (await node.client.locks.status(path)).queue.length === 1);
    await before.release();
    return [held(await waiting), up];
  }

  test("a repeated acquire in a stronger mode changes the lock that both handles share", async () => {
    await using node = await clientNode();
    const [lock, up] = await waitedFor(node);
    const inner = held(await up.client.acquire(path, { reentrant: true }));
    assert.deepEqual([lock.mode, lock.fence], ["write", inner.fence]);
  });

  test("a repeated acquire after an unnoticed loss returns a separate lock, and the first lock is lost [M9]", async () => {
    await using node = await clientNode();
    const [lock, up] = await waitedFor(node);
    up.pauses.areEventsPaused = true;
    await node.clock.pass(1_000, 250);
    await node.client.locks.forceRelease(lock.fence, "stuck");
    const inner = held(await up.client.acquire(path, { reentrant: true }));
    assert.notEqual(lock.fence, inner.fence);
    up.resume();
    await soon(() => lock.signal.aborted);
    assert.equal(inner.state, "held");
  });
});

describe("renewals with another lease", () => {
  test("a renewal with a shorter lease whose reply is lost ends no later in the client than in the server [M9]", async () => {
    await using node = await clientNode();
    const up = pausableClient(node, "bob");
    const lock = held(await up.client.acquire(path, { ttlMs: 600_000 }));
    up.pauses.areRepliesPaused = true;
    const renewed = lock.renew({ ttlMs: 5_000 }).catch(() => undefined);
    await soon(async () => (await left(node, up, lock))[1] === 5_000);
    await assertGivenUpInTime(node, up, lock, 60_000);
    await renewed;
  });

  test("a renewal that is answered sets the lease, shorter or longer [M9]", async () => {
    await using node = await clientNode();
    const up = pausableClient(node, "bob");
    const lock = held(await up.client.acquire(path, { ttlMs: 600_000 }));
    for (const ttlSeconds of [20, 900]) {
      await lock.renew({ ttlMs: ttlSeconds * 1000 });
      assert.deepEqual(await left(node, up, lock), [ttlSeconds * 1_000, ttlSeconds * 1_000]);
      await pass(node, up, 100_000);
      assert.equal(lock.state, "held");
    }
    await lock.release();
  });

  test("a renewal that is refused by the client or by the server leaves the lease unchanged", async () => {
    await using node = await clientNode();
    const up = pausableClient(node, "bob");
    const lock = held(await up.client.acquire("project/p1", { ttlMs: 45_000 }));
    const leftMs = (): number => lock.expiresAt.getTime() - up.clock.wallMs();
    for (const ttlSeconds of [-5, 0, 0.5, 100_000]) {
      await assert.rejects(lock.renew({ ttlMs: ttlSeconds * 1000 }), LockUsageError);
      assert.equal(leftMs(), 45_000);
    }
    const refused = assert.rejects(lock.renew({ ttlMs: 5_000 }), HoldfastError);
    assert.equal(leftMs(), 5_000, "the reply has not arrived");
    await refused;
    await soon(() => leftMs() === 45_000);
    assert.equal(lock.state, "held");
  });
});

test("a replayed reply about a grant that is not accepted yet counts for the accept time only [M9]", async () => {
  const now = new Date(0).toISOString();
  const paths = [{ path, mode: "write", scope: "tree" }];
  const lease = { acquired_at: now, expires_at: now, ttl_seconds: 30, still_held: true, left_before: [] };
  const answers: Readonly<Record<string, object>> = {
    "register-agent": { agent_id: "a", secret: "s", seen_at: now, expires_at: new Date(900_000).toISOString() },
    "acquire-lock": { granted: true, ticket: "1.2", fence: "1.3", owner_id: "a", paths, ...lease },
  };
  const { client, clock } = scriptedClient(({ operation }) => {
    const data = answers[operation];
    return data === undefined ? { kind: "refusal", code: "outcome_unknown", data: {} } : { kind: "done", data: data };
  });
  const lock = held(await client.acquire(path, { ttlMs: 30_000 }));
  assert.equal(lock.expiresAt.getTime() - clock.wallMs(), 10_000);
});

describe("interval of heartbeats", () => {
  for (const { ttlMs, count } of [
    { ttlMs: 15_000, count: 12 },
    { ttlMs: 45_000, count: 6 },
    { ttlMs: 3_600_000, count: 6 },
  ]) {
    test(`a client sends ${count} heartbeats in a minute for a lease of ${ttlMs / 1_000} seconds: each third of it, at most 10 seconds apart [W3]`, async () => {
      await using node = await clientNode();
      const up = pausableClient(node, "bob");
      const lock = held(await up.client.acquire(path, { ttlMs }));
      await pass(node, up, 60_000);
      assert.equal(up.sent.filter((operation) => operation === "heartbeat").length, count);
      assert.equal(lock.state, "held");
    });
  }
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { after, granted, lockNode, queued } from "./lock-node.ts";
import type { LockNode } from "./lock-node.ts";
import { rawLocks } from "./raw-acquire.ts";
import { rawAcquire } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };
const events = async (node: LockNode, path: string) =>
  (await node.client.locks.history(path)).items.map(({ event, operation }) => `${event} by ${operation}`);

/** Advances until a lease of thirty seconds is over but its timer has not fired. */
async function untilJustDue(node: LockNode): Promise<void> {
  await node.clock.pass(29_950);
  node.clock.advance(60);
}

describe("leases", () => {
  test("a lease without heartbeats ends by an entry, and the next waiter has the lock within a second [G5 M9]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await locks.acquire("p", { ...ttl, ownerId: "a" });
    const next = queued(await locks.acquire("p", { ...ttl, wait: true, ticketMs: 60_000, ownerId: "b" }));
    await node.clock.pass(29_900);
    assert.equal((await locks.ticket(next.ticket)).state, "waiting");
    await node.clock.pass(1_000);
    assert.equal((await locks.ticket(next.ticket)).state, "granted");
    assert.deepEqual((await events(node, "p")).slice(0, 2), [
      "evt.lock.expired by expire-lock",
      "evt.lock.acquired by expire-lock",
    ]);
    await node.stop();
  });

  test("a lease that is due ends in the entry of the first command that meets it [M9]", async () => {
    const node = await lockNode();
    await rawAcquire(node.client, "p", { ...ttl, ownerId: "a" });
    await untilJustDue(node);
    const reply = await node.client.execute("acquire-lock", { paths: ["p/1"], ttl_seconds: 5, owner_id: "b" });
    assert.equal(reply.outcome.kind, "done");
    assert.deepEqual(
      reply.events.map(({ name }) => name),
      ["evt.lock.expired", "evt.lock.acquired"],
    );
    await node.stop();
  });

  test("an expired lease is not revived by a late renewal, release or heartbeat [M8 M9]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const held = granted(await rawAcquire(a, "p", ttl));
    await untilJustDue(node);
    await assert.rejects(a.locks.renew({ fence: held.fence }), refusedWith("lock_not_held"));
    const second = granted(await rawAcquire(a, "p", ttl));
    assert.notEqual(second.fence, held.fence);
    await untilJustDue(node);
    await after(node, a.agents.heartbeat());
    assert.equal((await node.client.locks.list()).items.length, 0);
    assert.equal((await a.locks.checkFence("p", second.fence)).valid, false);
    await node.stop();
  });

  test("a lease that is overdue after an outage is kept for the grace period, so that its holder can renew it [M9]", async () => {
    const first = await lockNode();
    const a = granted(await rawAcquire(first.client, "a", { ...ttl, ownerId: "a" }));
    await rawAcquire(first.client, "b", { ...ttl, ownerId: "b" });
    await first.stop();
    first.clock.jumpWall(3_600_000);
    const node = await lockNode({ disk: first.disk, clock: first.clock, inGrace: true });
    await node.clock.pass(5_000);
    await assert.rejects(rawAcquire(node.client, "a", { ...ttl, ownerId: "c" }), refusedWith("lock_denied"));
    await node.client.locks.renew({ fence: a.fence }, { ownerId: "a" });
    await node.clock.pass(6_000);
    assert.deepEqual(
      (await node.client.locks.list()).items.map(({ path }) => path),
      ["a"],
    );
    await node.stop();
  });

  test("a lease is never shortened by a repeated acquire, and ends at the reported time [M7]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const a = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const { ticket } = queued(await locks.acquire("p", { ttlMs: 20_000, wait: true, ownerId: "b" }));
    await locks.release({ fence: a.fence }, { ownerId: "a" });
    const again = granted(await locks.acquire("p", { ttlMs: 2_000, ownerId: "b" }));
    const status = await locks.ticket(ticket);
    assert.equal(status.expiresAt, again.expiresAt, "the lease is as long as the reply said");
    await node.clock.pass(15_000, 500);
    assert.equal((await locks.checkFence("p", again.fence)).valid, true, "the repeated acquire accepted the ticket");
    await node.stop();
  });

  test("a lease is separate from the maximum hold, which renewals do not extend", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const held = granted(await locks.acquire("p", { ...ttl, maxHoldMs: 40_000, ownerId: "a" }));
    await node.clock.pass(25_000, 500);
    const renewed = await locks.renew({ fence: held.fence }, { ownerId: "a" });
    assert.equal(Date.parse(renewed.expiresAt) - Date.parse(held.acquiredAt), 40_000);
    await node.clock.pass(16_000, 500);
    assert.equal((await locks.list()).items.length, 0);
    await node.stop();
  });

  test("a path of a crashed holder is held off, and a path that is released cleanly is not", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await locks.acquire("p", { ...ttl, holdOffMs: 20_000, ownerId: "a" });
    await node.clock.pass(31_000, 500);
    const denied = await refusalOf(locks.acquire("p", { ...ttl, ownerId: "b" }));
    assert.match(JSON.stringify(denied.data["holders"]), /hold-off after a/u);
    await node.clock.pass(20_000, 500);
    const held = granted(await locks.acquire("p", { ...ttl, holdOffMs: 20_000, ownerId: "b" }));
    await locks.release({ fence: held.fence }, { ownerId: "b" });
    granted(await locks.acquire("p", { ...ttl, ownerId: "c" }));
    await node.stop();
  });
});

describe("hold-offs", () => {
  test("a hold-off covers all expired paths, also where the same owner keeps another live lock", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await locks.acquire("t", { ...ttl, holdOffMs: 20_000, ownerId: "a" });
    const kept = granted(await locks.acquire("t/1", { ttlMs: 300_000, ownerId: "a" }));
    await node.clock.pass(31_000, 500);
    assert.equal(
      (await locks.checkFence("t/1", kept.fence)).valid,
      true,
      "the remaining lock still belongs to its owner",
    );
    const denied = await refusalOf(locks.acquire("t/2", { ...ttl, ownerId: "b" }));
    assert.match(JSON.stringify(denied.data["holders"]), /hold-off after a/u);
    const next = queued(await locks.acquire("t/2", { ...ttl, wait: true, ownerId: "b" }));
    await assert.rejects(locks.transfer({ fence: kept.fence }, "c", { ownerId: "a" }), refusedWith("lock_denied"));
    await node.clock.pass(20_000, 500);
    assert.equal((await locks.ticket(next.ticket)).state, "granted");
    await node.stop();
  });
});

describe("workspace locks", () => {
  const path = "project/p1/map/m1";
  test("a workspace lock with a lapsed lease is shown as stale, still excludes, and can be renewed by its holder [W3]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const held = granted(await locks.acquire(path, { ownerId: "a", metadata: { tool: "tiles" } }));
    await node.clock.pass(50_000, 500);
    assert.equal((await locks.status(path)).holders[0]?.state, "stale");
    const [record] = (await locks.records()).items;
    assert.deepEqual(
      [record?.lockId, record?.state, record?.metadata],
      [`${path}#${held.fence}`, "stale", { tool: "tiles" }],
    );
    await assert.rejects(locks.acquire(path, { ownerId: "b" }), refusedWith("lock_denied"));
    await locks.renew({ fence: held.fence }, { ownerId: "a" });
    assert.equal((await locks.status(path)).holders[0]?.state, "held");
    await node.stop();
  });

  test("a workspace lock is recovered and audited once its lease passed, its heartbeat is old and no job claims it [W3]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await locks.acquire(path, { ownerId: "a" });
    await node.clock.pass(91_000, 500);
    assert.equal((await locks.list()).items.length, 0);
    const [event] = (await locks.history(path)).items as readonly { event: string; data: Record<string, unknown> }[];
    assert.deepEqual(
      [event?.event, event?.data["by"], event?.data["owner_id"]],
      ["evt.lock.recovered", "holdfast", "a"],
    );
    assert.match(event?.data["why"] as string, /lease passed/u);
    await node.stop();
  });

  test("a workspace lock is not recovered while its lease runs, even if all other conditions hold [W3]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await node.client.run("configure-locks", {
      kinds: { bench: { shape: "bench", policy: "recover", ttl_seconds: 300, grace_seconds: 10 } },
    });
    const held = granted(await locks.acquire("bench/1", { ownerId: "a" }));
    await node.clock.pass(100_000, 1_000);
    const refused = await refusalOf(locks.forceRelease(held.fence, "it seems dead"));
    assert.deepEqual([refused.code, refused.data["failed"]], ["not_recoverable", ["lease_not_passed"]]);
    assert.equal((await locks.list()).items.length, 1);
    await node.stop();
  });

  test("a workspace lock is not recovered while its heartbeat is within the grace, even if all other conditions hold [W3]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const held = granted(await locks.acquire(path, { ownerId: "a" }));
    await node.clock.pass(80_000, 1_000);
    const refused = await refusalOf(locks.forceRelease(held.fence, "it seems dead"));
    assert.deepEqual(refused.data["failed"], ["heartbeat_within_grace"]);
    assert.equal((await locks.list()).items.length, 1);
    await node.stop();
  });

  test("a workspace lock has one record per grant: lock id, owner, lease end, heartbeat, metadata, resource and mode [W2]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const held = granted(await a.operations.acquireLock({ paths: [path].flat(), mode: "read", metadata: { n: 1 } }));
    await node.clock.pass(10_000, 500);
    await after(node, a.agents.heartbeat());
    const [record] = (await node.client.locks.records()).items;
    assert.ok(Date.parse(record!.heartbeatTs) - Date.parse(held.acquiredAt) >= 10_000);
    assert.equal(Date.parse(record!.leaseExpires) - Date.parse(record!.heartbeatTs), 45_000);
    const { leaseExpires: _lease, heartbeatTs: _heartbeat, ...rest } = record!;
    const shown = {
      lockId: `${path}#${held.fence}`,
      owner: a.id,
      metadata: { n: 1 },
      resource: path,
      mode: "read",
      state: "held",
    };
    assert.deepEqual(rest, shown);
    await node.stop();
  });

  test("a workspace lock is force-released only by operators, agents are refused, and overrides are audited as such [W10]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const held = granted(await a.operations.acquireLock({ paths: [path].flat() }));
    const before = node.engine.head.position;
    await assert.rejects(a.locks.forceRelease(held.fence, "I want it"), refusedWith("not_allowed"));
    await assert.rejects(node.client.locks.forceRelease(held.fence, "stuck"), refusedWith("not_recoverable"));
    assert.equal(node.engine.head.position, before + 2, "both attempts are recorded");
    await node.client.locks.forceRelease(held.fence, "the building is on fire", { override: true });
    const [event] = (await node.client.locks.history(path)).items as readonly {
      event: string;
      data: Record<string, unknown>;
      operation: string;
    }[];
    assert.deepEqual(
      [event?.event, event?.operation, event?.data["override"], event?.data["why"], event?.data["by"]],
      ["evt.lock.forced", "override-release", true, "the building is on fire", "local"],
    );
    const generic = granted(await rawAcquire(a, "doc/1", ttl));
    await node.client.locks.forceRelease(generic.fence, "stuck");
    await assert.rejects(node.client.locks.forceRelease(generic.fence, "stuck"), refusedWith("lock_not_held"));
    await node.stop();
  });

  test("a workspace lock can be waited for only in one global order, and the refusal names both paths [W5]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const wait = { wait: true };
    await a.operations.acquireLock({ paths: ["project/p1/map/m2/sketch/s1", "project/p1/map/m1/sketch/s9"] });
    const refused = await refusalOf(rawAcquire(a, "project/p1/map/m3", wait));
    assert.deepEqual(
      [refused.code, refused.data["requested"], refused.data["held"]],
      ["lock_order", "project/p1/map/m3", "project/p1/map/m1/sketch/s9"],
    );
    await assert.rejects(rawAcquire(a, "project/p1/map/m2/sketch/s0", wait), refusedWith("lock_order"));
    granted(await rawAcquire(a, "project/p1/map/m2/sketch/s2", wait));
    granted(await a.operations.acquireLock({ paths: ["project/p1/map/m3"] }));
    granted(await rawAcquire(a, "doc/1", { ...wait, ...ttl }));
    const b = await node.agent("b");
    const set = granted(
      await b.operations.acquireLock({ paths: ["project/z/map/a", "project/a/map/b/sketch/c", "project/b"] }),
    );
    assert.deepEqual(
      set.paths.map((item) => item.path),
      ["project/b", "project/z/map/a", "project/a/map/b/sketch/c"],
    );
    await node.stop();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire, rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };
const wait = { ...ttl, wait: true, ticketMs: 600_000 };

describe("queues", () => {
  test("a queue is first come, first served, reports places, and grants in the entry of the release [X5 G4]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const first = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const tickets = [];
    for (const ownerId of ["b", "c", "d"]) tickets.push(queued(await locks.acquire("p", { ...wait, ownerId })));
    assert.deepEqual(
      tickets.map(({ place }) => place),
      [1, 2, 3],
    );
    const reply = await node.client.execute("release-lock", { fence: first.fence, owner_id: "a" });
    assert.deepEqual(
      reply.events.map(({ name }) => name),
      ["evt.lock.released", "evt.lock.acquired"],
    );
    assert.equal((await locks.ticket(tickets[0]!.ticket)).state, "granted");
    const second = await locks.ticket(tickets[1]!.ticket);
    assert.deepEqual([second.state, (second as { place: number }).place], ["waiting", 1]);
    await locks.cancel(tickets[1]!.ticket, { ownerId: "c" });
    const next = granted(await locks.accept(tickets[0]!.ticket, { ownerId: "b" }));
    await locks.release({ fence: next.fence }, { ownerId: "b" });
    assert.deepEqual(
      (await locks.status("p")).holders.map(({ ownerId }) => ownerId),
      ["d"],
    );
    await node.stop();
  });

  test("a queue grants adjacent readers together and no reader before an earlier writer, so writers never starve [X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const a = granted(await locks.acquire("p", { ...ttl, mode: "read", ownerId: "a" }));
    const writer = queued(await locks.acquire("p", { ...wait, ownerId: "w" }));
    const late = queued(await locks.acquire("p", { ...wait, mode: "read", ownerId: "b" }));
    queued(await locks.acquire("p", { ...wait, mode: "read", ownerId: "c" }));
    assert.equal(late.place, 2);
    await assert.rejects(locks.acquire("p", { ...ttl, mode: "read", ownerId: "d" }), refusedWith("lock_denied"));
    await locks.release({ fence: a.fence }, { ownerId: "a" });
    const held = granted(await locks.accept(writer.ticket, { ownerId: "w" }));
    await locks.release({ fence: held.fence }, { ownerId: "w" });
    const readers = (await locks.status("p")).holders;
    assert.deepEqual(
      readers.map(({ ownerId }) => ownerId),
      ["b", "c"],
    );
    assert.equal(new Set(readers.map(({ fence }) => fence)).size, 2, "each grant has its own fence");
    await node.stop();
  });

  test("a queue of thousands of dead waiters is skipped after one release or after the holder's lease [X5]", async () => {
    for (const [ending, seconds] of [
      ["released", 2],
      ["expired", 22],
    ] as const) {
      const node = await lockNode({ inGrace: true });
      const locks = rawLocks(node.client);
      const { fence } = granted(await locks.acquire("p", { ttlMs: 60_000, ownerId: "holder" }));
      const asking = Array.from({ length: 2_200 }, (_, index) =>
        locks.acquire("p", { ...wait, ticketMs: 30_000, ownerId: `dead ${index}` }),
      );
      await Promise.all(asking);
      // A single step, so that no timer expires any of them earlier.
      node.clock.advance(40_000);
      const last = locks.acquire("p", { ...wait, ownerId: "alive" });
      if (ending === "released") await locks.release({ fence }, { ownerId: "holder" });
      await node.clock.pass(seconds * 1_000, 500);
      await last;
      const { holders, queue } = await locks.status("p");
      assert.deepEqual([holders.map(({ ownerId }) => ownerId), queue], [["alive"], []], ending);
      assert.deepEqual(node.reports, []);
      await node.stop();
    }
  });

  test("a queue grants nothing to a dead waiter and is not blocked by one [X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const a = granted(await locks.acquire("p", { ttlMs: 300_000, ownerId: "a" }));
    const dead = queued(await locks.acquire("p", { ...wait, ticketMs: 30_000, ownerId: "dead" }));
    const alive = queued(await locks.acquire("p", { ...wait, ownerId: "alive" }));
    await node.clock.pass(31_000, 500);
    await assert.rejects(locks.ticket(dead.ticket), refusedWith("ticket_unknown"));
    assert.equal(((await locks.ticket(alive.ticket)) as { place: number }).place, 1);
    await locks.release({ fence: a.fence }, { ownerId: "a" });
    assert.equal((await locks.ticket(alive.ticket)).state, "granted");
    await node.stop();
  });

  test("a grant that its waiter does not accept within ten seconds is passed to the next waiter [X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const a = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    queued(await locks.acquire("p", { ...wait, ownerId: "gone" }));
    const next = queued(await locks.acquire("p", { ...wait, ownerId: "next" }));
    await locks.release({ fence: a.fence }, { ownerId: "a" });
    await node.clock.pass(9_500);
    assert.equal((await locks.ticket(next.ticket)).state, "waiting");
    await node.clock.pass(1_000);
    assert.equal((await locks.ticket(next.ticket)).state, "granted");
    granted(await locks.accept(next.ticket, { ownerId: "next" }));
    await node.clock.pass(15_000);
    assert.equal((await locks.ticket(next.ticket)).state, "granted");
    await node.stop();
  });

  test("a queue survives a restart with the same places and grants, and fences continue to rise [X5 X3]", async () => {
    const first = await lockNode();
    const a = granted(await first.client.operations.acquireLock({ paths: ["p"], ttlMs: 600_000, ownerId: "a" }));
    const b = queued(await rawAcquire(first.client, "p", { ...wait, ownerId: "b" }));
    await first.stop();
    const node = await lockNode({ disk: first.disk });
    assert.equal(((await node.client.locks.ticket(b.ticket)) as { place: number }).place, 1);
    await node.client.locks.release({ fence: a.fence }, { ownerId: "a" });
    const next = granted(await node.client.locks.accept(b.ticket, { ownerId: "b" }));
    assert.ok(Number(next.fence.split(".")[1]) > Number(a.fence.split(".")[1]));
    await node.stop();
  });

  test("a set has one ticket, and later requests for single paths cannot overtake it forever [X5 G3]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const one = granted(await locks.acquire("x", { ...ttl, ownerId: "a" }));
    const set = queued(await locks.acquire(["x", "y"], { ...wait, ownerId: "s" }));
    const single = queued(await locks.acquire("y", { ...wait, ownerId: "b" }));
    assert.equal((await locks.status("y")).holders.length, 0, "y is free, and reserved for the earlier waiter");
    await locks.release({ fence: one.fence }, { ownerId: "a" });
    const both = granted(await locks.accept(set.ticket, { ownerId: "s" }));
    assert.equal(both.paths.length, 2);
    await locks.release({ fence: both.fence }, { ownerId: "s" });
    assert.equal((await locks.ticket(single.ticket)).state, "granted");
    await node.stop();
  });

  test("a release by a non-owner or a late release never frees the successor's lock [M8 X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const a = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const b = queued(await locks.acquire("p", { ...wait, ownerId: "b" }));
    await locks.release({ fence: a.fence }, { ownerId: "a" });
    const held = granted(await locks.accept(b.ticket, { ownerId: "b" }));
    await assert.rejects(locks.release({ fence: a.fence }, { ownerId: "a" }), refusedWith("lock_not_held"));
    await assert.rejects(locks.release({ fence: held.fence }, { ownerId: "a" }), refusedWith("lock_not_held"));
    assert.equal((await locks.checkFence("p", held.fence)).valid, true);
    await node.stop();
  });
});

describe("detection of deadlocks", () => {
  test("a deadlock is detected on acquire, described in words, and recorded in the audit trail [X6]", async () => {
    const node = await lockNode();
    const [a, b] = [await node.agent("a"), await node.agent("b")];
    await rawAcquire(a, "x", ttl);
    await rawAcquire(b, "y/1", ttl);
    queued(await rawAcquire(a, "y", wait));
    const refused = await refusalOf(rawAcquire(b, "x/2", wait));
    assert.equal(refused.code, "deadlock");
    const cycle = refused.data["cycle"] as { ownerId: string; blockedBy: string }[];
    assert.deepEqual(
      cycle.map(({ ownerId, blockedBy }) => [ownerId, blockedBy]),
      [
        [b.id, a.id],
        [a.id, b.id],
      ],
    );
    assert.match(
      refused.data["cycleText"] as string,
      /waits for x\/2, because .* holds x; .* waits for y, because .* holds y\/1/u,
    );
    const { items } = await node.client.locks.history("x/2");
    assert.equal((items[0] as { event: string }).event, "evt.lock.deadlock");
    granted(await rawAcquire(b, "z", wait));
    await node.stop();
  });

  test("a deadlock is detected through three earlier waiters, and converging waits are not reported as one [X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    await locks.acquire("x", { ...ttl, ownerId: "a" });
    await locks.acquire("y", { ...ttl, ownerId: "b" });
    await locks.acquire("z", { ...ttl, ownerId: "c" });
    queued(await locks.acquire("y", { ...wait, ownerId: "a" }));
    queued(await locks.acquire("z", { ...wait, ownerId: "b" }));
    queued(await locks.acquire(["y", "z"], { ...wait, ownerId: "d" }));
    const refused = await refusalOf(locks.acquire("x", { ...wait, ownerId: "c" }));
    assert.equal((refused.data["cycle"] as unknown[]).length >= 3, true);
    queued(await locks.acquire(["x", "y"], { ...wait, ownerId: "e" }));
    await node.stop();
  });

  test("a deadlock of two upgrades is refused at once for the second one, and the first one is granted [X6 W1]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const read = { ...ttl, mode: "read" } as const;
    const a = granted(await locks.acquire("p", { ...read, ownerId: "a" }));
    const b = granted(await locks.acquire("p", { ...read, ownerId: "b" }));
    queued(await locks.upgrade({ fence: a.fence }, { wait: true, ownerId: "a" }));
    await assert.rejects(locks.upgrade({ fence: b.fence }, { ownerId: "b" }), refusedWith("upgrade_refused"));
    const deadlocks = async () => (await locks.history("p")).items.filter(({ event }) => event === "evt.lock.deadlock");
    assert.equal((await deadlocks()).length, 0, "a caller that does not wait closes no cycle");
    await assert.rejects(
      locks.upgrade({ fence: b.fence }, { wait: true, ownerId: "b" }),
      refusedWith("upgrade_refused"),
    );
    assert.equal((await deadlocks()).length, 1, "the deadlock is in the audit trail");
    await locks.release({ fence: b.fence }, { ownerId: "b" });
    assert.deepEqual(
      (await locks.status("p")).holders.map(({ ownerId, mode }) => [ownerId, mode]),
      [["a", "write"]],
    );
    await node.stop();
  });
});

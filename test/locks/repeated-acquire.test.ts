import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusedWith } from "../api/refused-with.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };
const wait = { ...ttl, wait: true, ticketMs: 600_000 };

describe("repeated acquires", () => {
  test("a repeated acquire keeps its place and its ticket, is granted once, and never gets an older fence [X2 X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const first = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const own = { ...wait, ownerId: "b" };
    const asked = queued(await locks.acquire("p", own));
    queued(await locks.acquire("p", { ...wait, ownerId: "c" }));
    const again = queued(await locks.acquire("p", own));
    assert.deepEqual([again.ticket, again.place], [asked.ticket, 1]);
    const reply = await node.client.execute("release-lock", { fence: first.fence, owner_id: "a" });
    const acquired = reply.events.filter(({ name }) => name === "evt.lock.acquired");
    assert.equal(acquired.length, 1);
    const { fence } = granted(await locks.accept(asked.ticket, { ownerId: "b" }));
    assert.equal(granted(await locks.acquire("p", own)).fence, fence, "the repeated acquire returns the held lock");
    await locks.release({ fence }, { ownerId: "b" });
    const [next] = (await locks.status("p")).holders;
    assert.equal(next?.ownerId, "c");
    await node.stop();
  });

  test("a repeated acquire extends its ticket by the full lifetime [X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    granted(await locks.acquire("p", { ttlMs: 300_000, ownerId: "a" }));
    const own = { ...wait, ticketMs: 30_000, ownerId: "b" };
    const { ticket } = queued(await locks.acquire("p", own));
    for (let count = 0; count < 3; count += 1) {
      await node.clock.pass(20_000, 500);
      assert.equal(queued(await locks.acquire("p", own)).ticket, ticket);
    }
    await node.clock.pass(31_000, 500);
    assert.notEqual(queued(await locks.acquire("p", own)).ticket, ticket, "an expired ticket is not revived");
    await node.stop();
  });

  test("an acquire gets another ticket for other paths or for a stronger mode than the waiting ticket has [X5 X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    granted(await locks.acquire(["p", "q"], { ...ttl, ownerId: "a" }));
    const own = { ...wait, ownerId: "b" };
    const tickets = [
      queued(await locks.acquire("p", { ...own, mode: "read" })),
      queued(await locks.acquire("p", own)),
      queued(await locks.acquire("q", own)),
      queued(await locks.acquire(["p", "q"], own)),
    ].map(({ ticket }) => ticket);
    assert.equal(new Set(tickets).size, 4);
    assert.equal(queued(await locks.acquire("p", { ...own, mode: "read" })).ticket, tickets[0]);
    await node.stop();
  });

  test("an owner that got a weaker mode keeps its ticket for the stronger one [X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const first = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const read = queued(await locks.acquire("p", { ...wait, mode: "read", ownerId: "b" }));
    queued(await locks.acquire("p", { ...wait, mode: "read", ownerId: "c" }));
    const write = queued(await locks.acquire("p", { ...wait, ownerId: "b" }));
    await locks.release({ fence: first.fence }, { ownerId: "a" });
    assert.equal((await locks.ticket(read.ticket)).state, "granted");
    assert.equal((await locks.ticket(write.ticket)).state, "waiting");
    await node.stop();
  });

  test("an owner keeps a lock that is transferred to it, and its ticket for the same lock is cancelled [X5]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const first = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const ticket = queued(await locks.acquire("p", { ...wait, ownerId: "b" }));
    const { fence } = await locks.transfer({ fence: first.fence }, "b", { ownerId: "a" });
    await assert.rejects(locks.ticket(ticket.ticket), refusedWith("ticket_unknown"));
    assert.equal(granted(await locks.acquire("p", { ...wait, ownerId: "b" })).fence, fence);
    await node.stop();
  });

  test("a ticket for a weaker mode is cancelled once the same owner gets the stronger one [X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const first = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const write = queued(await locks.acquire("p", { ...wait, ownerId: "b" }));
    const read = queued(await locks.acquire("p", { ...wait, mode: "read", ownerId: "b" }));
    const reply = await node.client.execute("release-lock", { fence: first.fence, owner_id: "a" });
    assert.deepEqual(
      reply.events.map(({ name, data }) => [name, (data as { why?: string }).why]),
      [
        ["evt.lock.released", undefined],
        ["evt.lock.acquired", undefined],
        ["evt.lock.cancelled", "held"],
      ],
    );
    const { fence } = granted(await locks.accept(write.ticket, { ownerId: "b" }));
    await assert.rejects(locks.accept(read.ticket, { ownerId: "b" }), refusedWith("ticket_unknown"));
    assert.equal(granted(await locks.acquire("p", { ...wait, mode: "read", ownerId: "b" })).fence, fence);
    await node.stop();
  });
});

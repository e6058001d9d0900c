import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineKind, refuse } from "holdfast";
import Type from "typebox";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { Decider, eventLines } from "./decider.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire, rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };
const rank = (fence: string) => fence.split(".").map(Number);

describe("fences", () => {
  promiseOnEveryStore(
    "a fence is checked in the entry of the write and is valid only for the paths and the lifetime of its grant [X3 M10]",
    async (client) => {
      const locks = rawLocks(client);
      const { entities } = client;
      const held = granted(await locks.acquire("doc/1", { ...ttl, ownerId: "a" }));
      await entities.create("doc", "1", { n: 1 }, { fence: held.fence });
      const reader = granted(await locks.acquire("doc/2", { ...ttl, mode: "read", ownerId: "a" }));
      await assert.rejects(entities.create("doc", "2", {}, { fence: reader.fence }), refusedWith("fence_stale"));
      await assert.rejects(entities.create("doc", "3", {}, { fence: held.fence }), refusedWith("fence_stale"));
      await locks.release({ fence: held.fence }, { ownerId: "a" });
      const again = granted(await locks.acquire("doc", { ...ttl, ownerId: "b", scope: "self" }));
      await assert.rejects(entities.replace("doc", "1", { n: 2 }, { fence: held.fence }), refusedWith("fence_stale"));
      await assert.rejects(entities.replace("doc", "1", { n: 2 }, { fence: again.fence }), refusedWith("fence_stale"));
      assert.deepEqual((await entities.get("doc", "1")).value, { n: 1 });
      await entities.replace("doc", "1", { n: 3 });
    },
  );

  test("a fence of an expired lease is refused, and the entry of the write expires the lease [X3 M9]", async () => {
    const node = await lockNode();
    const held = granted(await rawAcquire(node.client, "doc/1", { ...ttl, ownerId: "a" }));
    await node.clock.pass(29_950);
    node.clock.advance(60);
    const input = { type: "doc", id: "1", value: {}, fence: held.fence };
    const reply = await node.client.execute("create-entity", input);
    assert.equal((reply.outcome as { code: string }).code, "fence_stale");
    assert.deepEqual(
      reply.events.map(({ name }) => name),
      ["evt.lock.expired"],
    );
    await node.stop();
  });

  promise(
    "a fence is required where locks are enforced and another owner holds one, and elsewhere locks are advisory [M10]",
    async (client) => {
      const locks = rawLocks(client);
      const { entities } = client;
      await client.run("configure-locks", { enforce: ["plan"] });
      const held = granted(await locks.acquire("plan", { ...ttl, ownerId: "night job" }));
      await locks.acquire("note/1", { ...ttl, ownerId: "night job" });
      const refused = await refusalOf(entities.create("plan", "1", {}));
      assert.deepEqual([refused.code, refused.status], ["fence_required", 423]);
      assert.match(JSON.stringify(refused.data["holders"]), /night job/u);
      await entities.create("plan", "1", {}, { fence: held.fence });
      await entities.create("note", "1", {});
      await locks.release({ fence: held.fence }, { ownerId: "night job" });
      await entities.replace("plan", "1", { free: true });
    },
  );

  test("a fence is required in the same entry in which an enforced lock expires and is granted to its waiter [M10]", () => {
    const decider = new Decider();
    decider.decide("configure-locks", { enforce: ["doc"] });
    decider.acquire("ann", "doc/1", { ttlMs: 10_000 });
    decider.wait("bob", "doc/1");
    decider.time += 10_000;
    const write = { type: "doc", id: "1", value: {} };
    const { code, data, events } = decider.decide("create-entity", write, "other");
    assert.equal(code, "fence_required");
    assert.match(JSON.stringify(data["holders"]), /bob/u);
    assert.deepEqual(eventLines(events), ["lock.expired ann lease", "lock.acquired bob"]);
    decider.release("bob", "doc/1");
    assert.equal(decider.decide("create-entity", write, "other").code, "done");
  });

  test("a fence is required while one of many locks is live, however many of them are overdue [M10]", () => {
    for (const count of [9, 10, 11, 150]) {
      const decider = new Decider();
      decider.decide("configure-locks", { enforce: ["doc"] });
      for (let index = 0; index < count; index += 1) {
        decider.acquire(`reader ${index}`, "doc/1:read", { ttlMs: 10_000 });
      }
      decider.acquire("ann", "doc/1:read");
      decider.time += 10_000;
      const write = (): string => decider.decide("create-entity", { type: "doc", id: "1", value: {} }, "other").code;
      assert.equal(write(), "fence_required", `${count} overdue`);
      decider.release("ann", "doc/1");
      assert.equal(write(), "done");
    }
  });

  test("a kind can require a fence or the agent's own lock, checked in the entry of the write [M10]", async () => {
    const page = defineKind({
      type: "page",
      value: Type.Unknown(),
      needsLocks: true,
      rule: (_next, _previous, context) => (context.holdsLock("page/1") ? undefined : refuse("lock_missing")),
    });
    const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()), kinds: [page] });
    await using client = clientOf(servicesOf(engine), { kinds: [page] });
    await assert.rejects(client.entities.create("page", "1", {}), refusedWith("page.lock_missing"));
    const agent = client.as(await client.agents.register());
    await rawAcquire(agent, "page/1", ttl);
    await agent.entities.create("page", "1", { by: "agent" });
    await assert.rejects(client.entities.replace("page", "1", {}), refusedWith("page.lock_missing"));
    const { holds } = await agent.agents.whoAmI();
    await client.entities.replace("page", "1", {}, { fence: holds[0]!.fence });
  });

  test("a fence is always higher than the ones before it, across release, concurrent grants, restart and rollback [X3]", async () => {
    const first = await lockNode();
    const fences: string[] = [];
    const locks = rawLocks(first.client);
    for (let round = 0; round < 3; round += 1) {
      const held = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
      fences.push(held.fence);
      const tickets = [];
      for (const ownerId of ["b", "c"]) {
        tickets.push(queued(await locks.acquire("p", { ...ttl, mode: "read", wait: true, ownerId })).ticket);
      }
      await locks.release({ fence: held.fence }, { ownerId: "a" });
      for (const [index, ticket] of tickets.entries()) {
        const next = granted(await locks.accept(ticket, { ownerId: ["b", "c"][index]! }));
        fences.push(next.fence);
      }
      for (const ownerId of ["b", "c"]) await locks.release({ paths: ["p"] }, { ownerId });
    }
    await first.stop();
    const second = await lockNode({ disk: first.disk });
    await second.engine.execute({
      operation: "raise-epoch",
      input: { above: 1, reason: "restored" },
      principal: "holdfast",
      caller: "t",
      bytes: 0,
    });
    fences.push(granted(await rawAcquire(second.client, "p", { ...ttl, ownerId: "z" })).fence);
    const isHigher = (a: number[], b: number[]) => {
      const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0));
      return at !== undefined && (a[at] ?? 0) > (b[at] ?? 0);
    };
    for (let index = 1; index < fences.length; index += 1) {
      assert.ok(isHigher(rank(fences[index]!), rank(fences[index - 1]!)), fences.join(" "));
    }
    assert.equal(rank(fences.at(-1)!)[0], 2);
    await second.stop();
  });

  promise(
    "a grant reports how the previous holder left the lock, and the state at any position stays readable [X3]",
    async (client) => {
      const locks = rawLocks(client);
      const held = granted(await locks.acquire("p/1", { ...ttl, ownerId: "a", purpose: "first" }));
      await locks.release({ fence: held.fence }, { ownerId: "a", note: "left half-way" });
      const during = Number(held.fence.split(".")[1]);
      const next = granted(await locks.acquire("p/1", { ...ttl, ownerId: "b" }));
      const [left] = next.leftBefore;
      assert.deepEqual([left?.how, left?.by, left?.purpose, left?.note], ["released", "a", "first", "left half-way"]);
      const past = await locks.statusAt("p/1", during);
      assert.deepEqual(
        past.holders.map(({ ownerId, purpose }) => [ownerId, purpose]),
        [["a", "first"]],
      );
      assert.equal((await locks.statusAt("p/1", during + 1)).holders.length, 0);
    },
  );
});

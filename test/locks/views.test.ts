import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkOf, lockViews } from "@holdfast/sdk/contract";
import type { LockMode } from "holdfast";
import { promiseOnEveryStore } from "../api/with-client.ts";
import { refusalOf } from "../api/refused-with.ts";
import { granted, lockNode, queued } from "./lock-node.ts";

const ttl = { ttlSeconds: 3_600 };
const wait = { ...ttl, wait: true, ticketSeconds: 3_600 };
const read: { mode: LockMode } = { mode: "read" };

describe("wait-for graph", () => {
  promiseOnEveryStore(
    "the wait-for graph names all holders and waiters that block a ticket, with paths and totals [X6]",
    async (client) => {
      const { locks } = client;
      const x = granted(await locks.acquire("x", { ...ttl, ...read, ownerId: "a" }));
      await locks.acquire("x/1", { ...ttl, ...read, ownerId: "b" });
      await locks.acquire("y", { ...ttl, ownerId: "c" });
      const first = queued(await locks.acquire("x", { ...wait, ownerId: "w" }));
      const set = queued(await locks.acquire(["x/1/2", "y"], { ...wait, ownerId: "s" }));
      const { items } = await locks.waits();
      const output = (await client.execute("list-waits", {})).outcome.data;
      assert.equal(checkOf(lockViews["list-waits"].output)(output as never), undefined);
      const edges = items.map(({ ticket, blockers }) => [
        ticket,
        blockers.map(({ owner_id, path, as, fence, ticket: other }) => [owner_id, path, as, fence ?? other]),
      ]);
      const holderOf = async (path: string) => (await locks.status(path)).holders[0]!.fence;
      assert.deepEqual(edges, [
        [
          first.ticket,
          [
            ["a", "x", "holder", x.fence],
            ["b", "x/1", "holder", await holderOf("x/1")],
          ],
        ],
        [
          set.ticket,
          [
            ["a", "x", "holder", x.fence],
            ["b", "x/1", "holder", await holderOf("x/1")],
            ["c", "y", "holder", await holderOf("y")],
            ["w", "x", "waiter", first.ticket],
          ],
        ],
      ]);
      assert.deepEqual(
        items.map(({ blockers_total: total }) => total),
        [2, 4],
      );
    },
  );

  test("the wait-for graph is bounded to twenty names and a count of two hundred per ticket, page by page [X6]", async () => {
    const node = await lockNode();
    const { locks } = node.client;
    for (let index = 0; index < 250; index += 1) {
      await locks.acquire("p", { ...ttl, ...read, ownerId: `r${String(index)}` });
    }
    for (const ownerId of ["v", "w"]) queued(await locks.acquire("p", { ...wait, ownerId }));
    const page = await locks.waits({ limit: 1 });
    assert.deepEqual([page.items[0]?.blockers.length, page.items[0]?.blockers_total], [20, 200]);
    assert.equal((await locks.waits({ after: page.next! })).items[0]?.owner_id, "w");
    await node.stop();
  });
});

describe("denials", () => {
  test("a denial names the ten earliest holders that it finds and the total number of holders [G4 M7]", async () => {
    const node = await lockNode();
    const { locks } = node.client;
    const denied = async () => {
      const { data } = await refusalOf(locks.acquire("p", { ...ttl, ownerId: "late" }));
      return [(data["holders"] as unknown[]).length, data["holders_total"], data["current_owner"]];
    };
    for (let index = 0; index < 25; index += 1) {
      await locks.acquire(index % 2 === 0 ? "p" : `p/${String(index)}`, {
        ...ttl,
        ...read,
        ownerId: `r${String(index)}`,
      });
      if (index === 2) assert.deepEqual(await denied(), [3, 3, "r0"]);
    }
    assert.deepEqual(await denied(), [10, 25, "r0"]);
    await node.stop();
  });
});

describe("places", () => {
  test("a place counts each set ahead once, ignores other queues, and falls as earlier tickets leave [X5 G4]", async () => {
    const node = await lockNode();
    const { locks } = node.client;
    await locks.acquire("else", { ...ttl, ownerId: "h" });
    let last = "";
    for (let index = 0; index < 1_010; index += 1) {
      last = queued(await locks.acquire("else", { ...wait, ownerId: `e${String(index)}` })).ticket;
    }
    await locks.acquire("p", { ...ttl, ownerId: "h" });
    const set = queued(await locks.acquire(["p/1", "p/2"], { ...wait, ownerId: "s" }));
    const tree = queued(await locks.acquire("p", { ...wait, ownerId: "t" }));
    const leaf = queued(await locks.acquire("p/2", { ...wait, ...read, ownerId: "u" }));
    assert.deepEqual([set.place, tree.place, leaf.place], [1, 2, 3]);
    await locks.cancel(set.ticket, { ownerId: "s" });
    const places = await Promise.all([tree, leaf].map(({ ticket }) => locks.ticket(ticket)));
    assert.deepEqual(
      places.map((status) => status.state === "waiting" && status.place),
      [1, 2],
    );
    const far = await locks.ticket(last);
    assert.equal(far.state === "waiting" && far.place, 1_001, "at least a thousand tickets are ahead");
    await node.stop();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkOf, lockViews } from "@holdfast/sdk/contract";
import type { LockMode } from "holdfast";
import { promiseOnEveryStore } from "../api/with-client.ts";
import { refusalOf } from "../api/refused-with.ts";
import { dalLockPages, lockPages, lockView, ownView } from "../../server/src/features/locks/views/lock-views.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire, rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 3_600_000 };
const wait = { ...ttl, wait: true, ticketMs: 3_600_000 };
const read: { mode: LockMode } = { mode: "read" };

describe("wait-for graph", () => {
  promiseOnEveryStore(
    "the wait-for graph names all holders and waiters that block a ticket, with paths and totals [X6]",
    async (client) => {
      const locks = rawLocks(client);
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
        blockers.map(({ ownerId, path, as, fence, ticket: other }) => [ownerId, path, as, fence ?? other]),
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
        items.map(({ blockersTotal: total }) => total),
        [2, 4],
      );
    },
  );

  test("the wait-for graph is bounded to twenty names and a count of two hundred per ticket, page by page [X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    for (let index = 0; index < 250; index += 1) {
      await locks.acquire("p", { ...ttl, ...read, ownerId: `r${String(index)}` });
    }
    for (const ownerId of ["v", "w"]) queued(await locks.acquire("p", { ...wait, ownerId }));
    const page = await locks.waits({ limit: 1 });
    assert.deepEqual([page.items[0]?.blockers.length, page.items[0]?.blockersTotal], [20, 200]);
    assert.equal((await locks.waits({ after: page.next! })).items[0]?.ownerId, "w");
    await node.stop();
  });
});

/** The state, with the rows that its scans return added up. */
function counted(state: StateReader): { readonly state: StateReader; readonly rowsRead: () => number } {
  let count = 0;
  const rows: StateReader["rows"] = (spec) => {
    const table = state.rows(spec);
    return {
      get: (key) => table.get(key),
      count: (sort) => table.count(sort),
      nextDue: (time) => table.nextDue(time),
      size: table.size,
      scan(sort, range) {
        const found = table.scan(sort, range);
        count += found.length;
        return found;
      },
    };
  };
  return { state: { bytes: state.bytes, rows }, rowsRead: () => count };
}

describe("work of a read", () => {
  test("a view of locks reads no more rows than its limit needs, however long the queue and however many the holders [X15]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const owners = Array.from({ length: 60 }, (_, index) => String(index));
    for (const index of owners) {
      await locks.acquire(`a/b/${index}`, { ...ttl, ownerId: `h${index}` });
      await locks.acquire("a/b/r", { ...ttl, ...read, ownerId: `r${index}` });
    }
    for (const index of owners) {
      const scope = Number(index) % 2 === 0 ? "tree" : "self";
      queued(await locks.acquire("a/b/r", { ...wait, scope, ownerId: `w${index}` }));
    }
    const work = (view: (state: StateReader) => unknown): Promise<number> =>
      node.engine.scan((state) => {
        const { state: reader, rowsRead } = counted(state);
        view(reader);
        return rowsRead();
      });
    const [page, time] = [{ limit: 2, time: 0 }, 0];
    assert.ok((await work((state) => lockView(state, "a/b/r", time, 2))) <= 30);
    assert.ok((await work((state) => lockView(state, "a/b/r/c/d/e", time, 2))) <= 30);
    assert.ok((await work((state) => lockPages(state, page))) <= 60);
    assert.ok((await work((state) => dalLockPages(state, page))) <= 3);
    assert.ok((await work((state) => ownView(state, "w1", page))) <= 5);
    const { queue } = (await node.client.execute("get-lock", { path: "a/b/r", limit: 2 })).outcome.data as {
      queue: readonly { readonly owner_id: string }[];
    };
    assert.deepEqual(
      queue.map(({ owner_id }) => owner_id),
      ["w0", "w1"],
    );
    await node.stop();
  });

  test("a page of locks ends early if its paths have many holders, and the next page has the paths that follow [X15]", async () => {
    const node = await lockNode();
    // The path p-1 sorts between the path p and those below it.
    const paths = ["p", ...Array.from({ length: 11 }, (_, index) => `p/${String(index + 10)}`)];
    for (let index = 0; index < 25; index += 1)
      await rawAcquire(node.client, [...paths, "p-1"], { ...ttl, ...read, ownerId: `r${String(index)}` });
    const pages = async (limit: number): Promise<readonly (readonly string[])[]> => {
      const shown: string[][] = [];
      for (let after: string | undefined; ;) {
        const page = await node.engine.scan((state) => lockPages(state, { under: "p", after, limit, time: 0 }));
        shown.push(page.items.map((item) => item["path"] as string));
        if (page.next === null) return shown;
        after = page.next;
      }
    };
    assert.deepEqual(await pages(5), [paths.slice(0, 5), paths.slice(5, 10), paths.slice(10)]);
    assert.deepEqual(await pages(20), [paths.slice(0, 10), paths.slice(10)]);
    await node.stop();
  });
});

test("pages of one record equal the whole list of lock records, also if an owner holds a path twice [W2]", async () => {
  const node = await lockNode();
  for (const paths of [["a", "b"], ["a"], ["a", "c"]]) await rawAcquire(node.client, paths, { ...ttl, ownerId: "ann" });
  await rawAcquire(node.client, "d", { ...ttl, ownerId: "bob" });
  type Page = (state: StateReader, page: { after?: string; limit: number }) => ReturnType<typeof dalLockPages>;
  const all = async (limit: number, view: Page): Promise<readonly unknown[]> => {
    const items: unknown[] = [];
    for (let after: string | undefined; ;) {
      const page = await node.engine.scan((state) => view(state, after === undefined ? { limit } : { after, limit }));
      items.push(...page.items);
      if (page.next === null) return items;
      after = page.next;
    }
  };
  const records: Page = (state, page) => dalLockPages(state, { ...page, time: 0 });
  const whole = await all(100, records);
  assert.equal(whole.length, 6);
  for (const limit of [1, 2, 5]) assert.deepEqual(await all(limit, records), whole);
  const fences: Page = (state, page) => {
    const { holds, next } = ownView(state, "ann", { ...page, time: 0 }) as { holds: { fence: string }[]; next: string };
    return { items: holds.map(({ fence }) => ({ fence })), next };
  };
  assert.equal((await all(1, fences)).length, 5, "each path of each grant is on a page");
  await node.stop();
});

describe("denials", () => {
  test("a denial names the ten earliest holders that it finds and the total number of holders [G4 M7]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const denied = async () => {
      const { data } = await refusalOf(locks.acquire("p", { ...ttl, ownerId: "late" }));
      return [(data["holders"] as unknown[]).length, data["holdersTotal"], data["currentOwner"]];
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
    const locks = rawLocks(node.client);
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

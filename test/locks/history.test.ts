import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LockMode } from "holdfast";
import { randomOf } from "../machine/sample-history.ts";
import { granted, lockNode } from "./lock-node.ts";
import type { LockNode } from "./lock-node.ts";
import { rawAcquire, rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 86_400_000 };

/** The current holders of a path: owner, mode, scope and fence. */
async function holdersNow(node: LockNode, path: string): Promise<readonly string[]> {
  const { holders, above } = await node.client.locks.status(path, { limit: 500 });
  return [...holders, ...above].map(textOf).sort();
}

async function holdersAt(node: LockNode, path: string, position: number): Promise<readonly string[]> {
  const { holders, above } = await node.client.locks.statusAt(path, position, { limit: 500 });
  return [...holders, ...above].map(textOf).sort();
}

interface Holder {
  readonly ownerId: string;
  readonly path: string;
  readonly mode: string;
  readonly scope: string;
  readonly fence: string;
  readonly since: string;
}

function textOf({ ownerId, path, mode, scope, fence, since }: Holder): string {
  return `${path} ${ownerId} ${mode} ${scope} ${fence} ${since}`;
}

/** The number of history entries that are read during the work. */
async function entriesRead(node: LockNode, work: () => Promise<unknown>): Promise<number> {
  const { engine } = node;
  const entriesAbout = engine.entriesAbout.bind(engine);
  let count = 0;
  engine.entriesAbout = async (query) => {
    const entries = await entriesAbout(query);
    count += entries.length;
    return entries;
  };
  await work();
  engine.entriesAbout = entriesAbout;
  return count;
}

describe("lock history", () => {
  test("the holders at every past position equal the holders shown at that time, for a path and its ancestors [X9]", async () => {
    const node = await lockNode();
    const random = randomOf(7);
    const paths = ["a", "a/b", "a/b/c", "d"];
    const locks = rawLocks(node.client);
    const shown = new Map<number, readonly (readonly string[])[]>();
    for (let step = 0; step < 500; step += 1) {
      const ownerId = `o${String(random(40))}`;
      const path = paths[random(paths.length)]!;
      const mode = (["write", "upgradeable"] as LockMode[])[random(60)] ?? "read";
      const own = { ownerId, ...ttl };
      const act = [
        () => locks.tryAcquire(path, { ...own, mode, scope: random(2) === 0 ? "tree" : "self" }),
        () => locks.tryAcquire([path, `${path}/x`], { ...own, mode }),
        () => locks.acquire(path, { ...own, mode, wait: true, ticketMs: 3_600_000 }),
        () => locks.release({ paths: [path] }, { ownerId }),
        () => locks.upgrade({ path }, { ownerId, wait: random(20) === 0 }),
        () => locks.downgrade({ path }, "read", { ownerId }),
        () => locks.transfer({ path }, `o${String(random(30))}`, { ownerId }),
        () => locks.renew({ path }, { ownerId }),
      ][[0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7][random(15)]!]!;
      await act().catch(() => undefined);
      const now = [];
      for (const lockedPath of paths) now.push(await holdersNow(node, lockedPath));
      shown.set(node.engine.head.position, now);
    }
    for (const [position, then] of shown) {
      for (const [index, path] of paths.entries()) {
        assert.deepEqual(await holdersAt(node, path, position), then[index], `${path} at ${String(position)}`);
      }
    }
    assert.ok(Math.max(...[...shown.values()].flat().map((holders) => holders.length)) > 18, "many share a path");
    await node.stop();
  });

  test("the holders at a past position are found with at most 300 reads, however long the history is [X9]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const [start] = [granted(await locks.acquire("p", { ...ttl, mode: "read", ownerId: "eldest" }))];
    for (let round = 0; round < 1_500; round += 1) {
      await locks.acquire("p", { ...ttl, mode: "read", ownerId: `o${String(round % 40)}` });
      await locks.release({ paths: ["p"] }, { ownerId: `o${String((round + 10) % 40)}` }).catch(() => undefined);
      await locks.renew({ fence: start.fence }, { ownerId: "eldest" });
    }
    const head = node.engine.head.position;
    for (const position of [50, 700, 1_234, head]) {
      const read = await entriesRead(node, async () => {
        const { holders } = await locks.statusAt("p", position);
        assert.equal(holders[0]?.ownerId, "eldest");
      });
      assert.ok(read <= 300, `${String(read)} entries were read for position ${String(position)} of ${String(head)}`);
    }
    const alone = await entriesRead(node, () => locks.statusAt("p/q/r", head));
    assert.ok(alone <= 300);
    await node.stop();
  });

  test("a position beyond the head returns the current holders with purpose and start of the hold [X9]", async () => {
    const node = await lockNode();
    const held = granted(await rawAcquire(node.client, "p", { ...ttl, ownerId: "a", purpose: "work" }));
    const past = await node.client.locks.statusAt("p", 999_999);
    assert.deepEqual(
      [past.position, past.kind, past.holders],
      [
        node.engine.head.position,
        "generic",
        [
          {
            ownerId: "a",
            path: "p",
            mode: "write",
            scope: "tree",
            fence: held.fence,
            purpose: "work",
            since: held.acquiredAt,
            position: Number(held.fence.split(".")[1]),
          },
        ],
      ],
    );
    await node.stop();
  });
});

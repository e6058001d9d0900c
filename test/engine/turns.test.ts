import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Journal } from "../../server/src/journal/journal.ts";
import { engineLimits } from "../../server/src/engine/limits.ts";
import { turns } from "./manual-clock.ts";
import { alone } from "./staged-journal.ts";
import type { StagedJournal } from "./staged-journal.ts";
import { type Node, startNode } from "./start-node.ts";

/** Lets a node share its journal, and counts how it does. */
function share({ journal }: Pick<Node, "journal">): { taken: number; given: number } {
  const counts = { taken: 0, given: 0 };
  journal.sharing = {
    ...alone,
    takeTurn: (after, limit) => {
      counts.taken += 1;
      return journal.follow(after, limit);
    },
    endTurn: () => {
      counts.given += 1;
      return Promise.resolve();
    },
    rank: () => 0,
  };
  return counts;
}

/** The writer looks at what its journal offers when it is made, so a test must offer it before. */
async function startSharing(
  options: Parameters<typeof startNode>[0] & { prepareMore?: (journal: StagedJournal) => void } = {},
): Promise<Node & { counts: ReturnType<typeof share> }> {
  let counts = { taken: 0, given: 0 };
  const prepare = (journal: StagedJournal): void => {
    counts = share({ journal });
    options.prepareMore?.(journal);
  };
  const node = await startNode({ ...options, prepare });
  return { ...node, counts };
}

describe("nodes that share a journal", () => {
  test("take no turns as long as each is alone, and take them once another one was faster", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    for (let n = 0; n < 5; n += 1) await a.client.entities.create("note", String(n), {});
    assert.equal(a.counts.taken, 0);
    const loseRace = holdWake(b.journal);
    await b.client.entities.create("note", "late", {});
    loseRace();
    assert.ok(b.counts.taken > 0, "after a lost race it takes its turn");
    // Nobody else is met any more: after a while it stops.
    for (let n = 0; n < 40; n += 1) await b.client.entities.create("more", String(n), {});
    const { taken } = b.counts;
    await b.client.entities.create("more", "last", {});
    assert.equal(b.counts.taken, taken);
    await a.client.close();
    await b.client.close();
  });

  test("a reader that catches up waits for a look that began after it asked, and is told if there is none", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    await a.client.entities.create("note", "1", {});
    await b.engine.catchUp();
    assert.equal(b.engine.head.position, a.engine.head.position);
    b.journal.readsFail = true;
    await assert.rejects(b.engine.catchUp(), /staged: io/);
    b.journal.readsFail = false;
    await b.clock.pass(1_000);
    await b.engine.catchUp();
    await a.client.close();
    await b.client.close();
  });

  test("begin a new epoch before anything else, once the journal says that it may have another future", async () => {
    const a = await startSharing();
    const before = await a.client.entities.create("note", "1", {});
    forkUnder(a.journal, "it was put on another server");
    const after = await a.client.entities.create("note", "2", {});
    await turns(3);
    assert.match(before.revision, /^1\./);
    assert.doesNotMatch(after.revision, /^1\./);
    assert.equal(a.journal.forkedBecause, undefined);
    assert.ok(a.reports.some((report) => report.includes("put on another server")));
    await a.client.close();
  });

  test("begin another epoch for each fork, also a node that has missed the one before: no fence is given twice [X3]", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk, prepareMore: (journal) => (journal.onWake = () => () => undefined) });
    await a.client.entities.create("note", "1", {});
    await b.engine.catchUp();
    forkUnder(a.journal, "the first time");
    const { revision } = await a.client.entities.create("note", "2", {});
    const kept = a.engine.head.position;
    const lost = await a.client.locks.acquire("a", { ttlSeconds: 60, ownerId: "x" });
    a.disk.truncate(kept);
    forkUnder(b.journal, "the second time");
    const given = await b.client.locks.acquire("a", { ttlSeconds: 60, ownerId: "y" });
    assert.ok(lost.granted && given.granted);
    const epochOf = (token: string): number => Number(token.split(".")[0]);
    assert.equal(epochOf(lost.fence), epochOf(revision));
    assert.ok(epochOf(given.fence) > epochOf(lost.fence), `${given.fence} after ${lost.fence}`);
    await a.client.close();
    await b.client.close();
  });

  test("begin the new epoch first also while they stop and the journal fails: nothing is decided in the old one [X3]", async () => {
    const limits = engineLimits as { batchCommandsMax: number };
    const usual = limits.batchCommandsMax;
    limits.batchCommandsMax = 1;
    try {
      const node = await startSharing();
      forkUnder(node.journal, "it was put on another server");
      let failures = 1;
      node.journal.fate = () => (failures-- > 0 ? { lands: false, certain: true, code: "full" } : undefined);
      const [created] = await Promise.allSettled([node.client.entities.create("note", "1", {}), node.client.close()]);
      assert.ok(created.status === "fulfilled");
      assert.doesNotMatch(created.value.revision, /^1\./);
    } finally {
      limits.batchCommandsMax = usual;
    }
  });
});

/** The journal says that it may have another future, as one does that notices it: by an append that does nothing else. */
function forkUnder(journal: StagedJournal, because: string): void {
  journal.forkedBecause = because;
  const append = journal.append.bind(journal);
  journal.append = () => {
    journal.append = append;
    return Promise.resolve({ kind: "behind" });
  };
  journal.settleFork = () => {
    journal.forkedBecause = undefined;
    return Promise.resolve();
  };
}

/** Keeps a node from hearing of others: it finds out by losing. */
function holdWake(journal: Pick<Journal, "follow">): () => void {
  const { follow } = journal;
  let isFirst = true;
  journal.follow = async (after, limit) => {
    if (!isFirst) return follow.call(journal, after, limit);
    isFirst = false;
    return { kind: "followed", entries: [], head: after };
  };
  return () => {
    journal.follow = follow;
  };
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Journal } from "../../server/src/journal/journal.ts";
import { turns } from "./manual-clock.ts";
import { alone } from "./staged-journal.ts";
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
  options: Parameters<typeof startNode>[0] = {},
): Promise<Node & { counts: ReturnType<typeof share> }> {
  let counts = { taken: 0, given: 0 };
  const node = await startNode({ ...options, prepare: (journal) => (counts = share({ journal })) });
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
    a.journal.forkedBecause = "it was put on another server";
    const append = a.journal.append.bind(a.journal);
    let isTold = false;
    a.journal.append = async (batch) => {
      if (isTold) return append(batch);
      isTold = true;
      return { kind: "behind" };
    };
    a.journal.settleFork = () => {
      a.journal.forkedBecause = undefined;
      return Promise.resolve();
    };
    const after = await a.client.entities.create("note", "2", {});
    await turns(3);
    assert.match(before.revision, /^1\./);
    assert.doesNotMatch(after.revision, /^1\./);
    assert.equal(a.journal.forkedBecause, undefined);
    assert.ok(a.reports.some((report) => report.includes("put on another server")));
    await a.client.close();
  });
});

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

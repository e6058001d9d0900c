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
  journal.coordination = {
    ...alone,
    takeTurn: () => {
      counts.taken += 1;
      return Promise.resolve();
    },
    endTurn: () => {
      counts.given += 1;
      return Promise.resolve();
    },
    findKeysInMemory: () => undefined,
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

  test("have a turn for several batches, and give it back when it is over or nothing is left", async () => {
    const a = await startSharing();
    const lose = loseOnce(a.journal);
    await a.client.entities.create("note", "first", {});
    lose();
    const { taken, given } = a.counts;
    const { batches } = a.journal;
    const before = batches.length;
    // Each answer leads to the next command, as with a busy client.
    for (let n = 0; n < 8; n += 1) {
      await a.client.entities.create("note", String(n), {});
      a.clock.advance(5);
    }
    assert.equal(batches.length - before, 8);
    const turnCount = a.counts.taken - taken;
    assert.ok(turnCount >= 2 && turnCount <= 4, `8 batches in ${String(turnCount)} turns`);
    await turns(3);
    assert.equal(a.counts.taken, a.counts.given, "nothing is left to do");
    assert.ok(a.counts.given > given);
    await a.client.close();
  });

  test("fold what others append while they wait for their turn, and answer readers meanwhile", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    const lose = loseOnce(b.journal);
    await b.client.entities.create("note", "first", {});
    lose();
    const grant = holdTurn(b.journal);
    const waiting = b.client.entities.create("note", "waits", {});
    await turns(3);
    await a.client.entities.create("note", "meanwhile", {});
    await b.engine.catchUp();
    assert.equal((await b.client.entities.get("note", "meanwhile")).version, 1);
    assert.equal(b.engine.head.position, a.engine.head.position);
    grant();
    assert.equal((await waiting).version, 1);
    await a.client.close();
    await b.client.close();
  });

  test("look a key up that only the append found, and answer as before [M4]", async () => {
    const a = await startSharing();
    const input = { type: "note", id: "1", value: {} };
    const first = await a.client.execute("create-entity", input, { key: "k" });
    const asked: unknown[] = [];
    const { coordination } = a.journal;
    const append = a.journal.append.bind(a.journal);
    if (coordination !== undefined) coordination.findKeysInMemory = (scopes) => scopes.map(() => undefined);
    a.journal.append = async (batch, unproven = []) => {
      asked.push(unproven);
      return unproven.some((scope) => scope.includes('"k"')) ? { kind: "used" } : append(batch);
    };
    const again = await a.client.execute("create-entity", input, { key: "k" });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal(asked.length, 1);
    // What would not be appended at all is looked up before it is refused.
    const other = await a.client.execute("create-entity", { type: 1 }, { key: "k" });
    assert.equal(other.outcome.kind === "refusal" && other.outcome.code, "idempotency_replay_conflict");
    await a.client.close();
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
    assert.equal(a.journal.forkReason, undefined);
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
  journal.forkReason = because;
  const append = journal.append.bind(journal);
  journal.append = () => {
    journal.append = append;
    return Promise.resolve({ kind: "behind" });
  };
  journal.settleFork = () => {
    journal.forkReason = undefined;
    return Promise.resolve();
  };
}

/** Another node was faster with the next append. */
function loseOnce(journal: Pick<Journal, "append">): () => void {
  const { append } = journal;
  let isLost = false;
  journal.append = async (batch, unproven) => {
    if (isLost) return append.call(journal, batch, unproven);
    isLost = true;
    return { kind: "behind" };
  };
  return () => {
    journal.append = append;
  };
}

/** Turns are granted when what this returns is called. */
function holdTurn({ coordination }: Pick<Journal, "coordination">): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  (coordination as { takeTurn: () => Promise<void> }).takeTurn = () => promise;
  return () => {
    resolve(undefined);
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

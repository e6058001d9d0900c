import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Journal } from "../../server/src/journal/journal.ts";
import { engineLimits } from "../../server/src/engine/limits.ts";
import { loopTicks } from "./manual-clock.ts";
import { singleNode } from "./staged-journal.ts";
import type { StagedJournal } from "./staged-journal.ts";
import { type TestNode, startNode } from "./start-node.ts";

/** Makes the journal of a node shared, and counts its turns. */
function share({ journal }: Pick<TestNode, "journal">): { taken: number; given: number } {
  const counts = { taken: 0, given: 0 };
  journal.coordination = {
    ...singleNode,
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

/** The writer reads `coordination` in its constructor, so a test must set it before the start. */
async function startSharing(
  options: Parameters<typeof startNode>[0] & { prepareMore?: (journal: StagedJournal) => void } = {},
): Promise<TestNode & { counts: ReturnType<typeof share> }> {
  let counts = { taken: 0, given: 0 };
  const prepare = (journal: StagedJournal): void => {
    counts = share({ journal });
    options.prepareMore?.(journal);
  };
  const node = await startNode({ ...options, prepare });
  return { ...node, counts };
}

describe("nodes that share a journal", () => {
  test("a refusal that is in no entry is decided on the head of the journal, also on a node that lags behind", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    await a.client.entities.create("note", "1", { n: 1 });
    await loopTicks(3);
    const { follow } = b.journal;
    b.journal.follow = (after) => Promise.resolve({ kind: "followed", entries: [], head: after });
    await a.client.entities.create("note", "2", { n: 2 });
    // The node reads nothing at the hint of the other one, and gets no second hint.
    await loopTicks(3);
    b.journal.follow = follow;
    assert.ok(b.engine.head.position < a.engine.head.position, "the other node has not read the entity");
    const patched = await b.client.execute("patch-entity", { type: "note", id: "2", merge: { n: 3 } });
    assert.equal(patched.outcome.kind, "done", JSON.stringify(patched.outcome));
    const unknown = await b.client.execute("patch-entity", { type: "note", id: "3", merge: { n: 3 } });
    assert.equal(unknown.outcome.kind, "refusal");
    await a.client.close();
    await b.client.close();
  });

  test("a node takes no turns while it is alone, and takes turns after it has lost a race", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    for (let n = 0; n < 5; n += 1) await a.client.entities.create("note", String(n), {});
    assert.equal(a.counts.taken, 0);
    const loseRace = holdWake(b.journal);
    await b.client.entities.create("note", "late", {});
    loseRace();
    assert.ok(b.counts.taken > 0, "the node takes a turn after a lost race");
    // No other node appends, so the node stops taking turns after quietTurnsMax turns.
    for (let n = 0; n < 40; n += 1) await b.client.entities.create("more", String(n), {});
    const { taken } = b.counts;
    await b.client.entities.create("more", "last", {});
    assert.equal(b.counts.taken, taken);
    await a.client.close();
    await b.client.close();
  });

  test("a turn covers several batches, and the node releases it when it expires or the queue is empty", async () => {
    const a = await startSharing();
    const lose = loseOnce(a.journal);
    await a.client.entities.create("note", "first", {});
    lose();
    const { taken, given } = a.counts;
    const { batches } = a.journal;
    const before = batches.length;
    // Each reply causes the next command, as with a busy client.
    for (let n = 0; n < 8; n += 1) {
      await a.client.entities.create("note", String(n), {});
      a.clock.advance(5);
    }
    assert.equal(batches.length - before, 8);
    const turnCount = a.counts.taken - taken;
    assert.ok(turnCount >= 2 && turnCount <= 4, `8 batches in ${String(turnCount)} turns`);
    await loopTicks(3);
    assert.equal(a.counts.taken, a.counts.given, "the queue is empty");
    assert.ok(a.counts.given > given);
    await a.client.close();
  });

  test("a node that waits for its turn folds the entries of other nodes and answers readers", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk });
    const lose = loseOnce(b.journal);
    await b.client.entities.create("note", "first", {});
    lose();
    const grant = holdTurn(b.journal);
    const waiting = b.client.entities.create("note", "waits", {});
    await loopTicks(3);
    await a.client.entities.create("note", "meanwhile", {});
    await b.engine.catchUp();
    assert.equal((await b.client.entities.get("note", "meanwhile")).version, 1);
    assert.equal(b.engine.head.position, a.engine.head.position);
    grant();
    assert.equal((await waiting).version, 1);
    await a.client.close();
    await b.client.close();
  });

  test("a node queries the journal for a key that only the append found, and replays its outcome [M4]", async () => {
    const a = await startSharing();
    const input = { type: "note", id: "1", value: {} };
    const first = await a.client.execute("create-entity", input, { key: "k" });
    const unprovenKeys: unknown[] = [];
    const { coordination } = a.journal;
    const append = a.journal.append.bind(a.journal);
    if (coordination !== undefined) coordination.findKeysInMemory = (scopes) => scopes.map(() => undefined);
    a.journal.append = async (batch, unproven = []) => {
      unprovenKeys.push(unproven);
      return unproven.some((scope) => scope.includes('"k"')) ? { kind: "used" } : append(batch);
    };
    const again = await a.client.execute("create-entity", input, { key: "k" });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal(unprovenKeys.length, 1);
    // The key of a command that would not be appended is looked up before the command is refused.
    const other = await a.client.execute("create-entity", { type: 1 }, { key: "k" });
    assert.equal(other.outcome.kind === "refusal" && other.outcome.code, "idempotency_replay_conflict");
    await a.client.close();
  });

  test("catchUp waits for a refresh that starts after the call, and throws if the refresh fails", async () => {
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

  test("a node starts a new epoch before any other command once the journal reports a fork", async () => {
    const a = await startSharing();
    const before = await a.client.entities.create("note", "1", {});
    forkUnder(a.journal, "it was put on another server");
    const after = await a.client.entities.create("note", "2", {});
    await loopTicks(3);
    assert.match(before.revision, /^1\./);
    assert.doesNotMatch(after.revision, /^1\./);
    assert.equal(a.journal.forkReason, undefined);
    assert.ok(a.reports.some((report) => report.includes("put on another server")));
    await a.client.close();
  });

  test("each fork starts its own epoch, also on a node that missed the one before, so no fence is issued twice [X3]", async () => {
    const a = await startSharing();
    const b = await startSharing({ disk: a.disk, prepareMore: (journal) => (journal.onWake = () => () => undefined) });
    await a.client.entities.create("note", "1", {});
    await b.engine.catchUp();
    forkUnder(a.journal, "the first time");
    const { revision } = await a.client.entities.create("note", "2", {});
    const kept = a.engine.head.position;
    const lost = await a.client.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "x" });
    a.disk.truncate(kept);
    forkUnder(b.journal, "the second time");
    const given = await b.client.operations.acquireLock({ paths: ["a"], ttlMs: 60_000, ownerId: "y" });
    assert.ok(lost.granted && given.granted);
    const epochOf = (token: string): number => Number(token.split(".")[0]);
    assert.equal(epochOf(lost.fence), epochOf(revision));
    assert.ok(epochOf(given.fence) > epochOf(lost.fence), `${given.fence} after ${lost.fence}`);
    await a.client.close();
    await b.client.close();
  });

  test("a stopping node with failing appends starts the new epoch first and decides nothing in the old one [X3]", async () => {
    const limits = engineLimits as { batchCommandsMax: number };
    const usual = limits.batchCommandsMax;
    limits.batchCommandsMax = 1;
    try {
      const node = await startSharing();
      forkUnder(node.journal, "it was put on another server");
      let failures = 1;
      node.journal.failureOf = () => (failures-- > 0 ? { isWritten: false, certain: true, code: "full" } : undefined);
      const [created] = await Promise.allSettled([node.client.entities.create("note", "1", {}), node.client.close()]);
      assert.ok(created.status === "fulfilled");
      assert.doesNotMatch(created.value.revision, /^1\./);
    } finally {
      limits.batchCommandsMax = usual;
    }
  });
});

/** Makes the journal report a fork, as a real one does: the append that detects it does nothing else. */
function forkUnder(journal: StagedJournal, reason: string): void {
  journal.forkReason = reason;
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

/** Makes the next append lose the race against another node. */
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

/** Delays the turn until the returned function is called. */
function holdTurn({ coordination }: Pick<Journal, "coordination">): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  (coordination as { takeTurn: () => Promise<void> }).takeTurn = () => promise;
  return () => {
    resolve(undefined);
  };
}

/** Hides the entries of other nodes from a node, so that it loses its next race. */
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

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Head, Journal, NodeCoordination } from "../../server/src/journal/journal.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { scopeOf } from "../conformance/indexed-sample.ts";
import { appendSample, sampleBatch } from "../conformance/sample-entries.ts";
import { shareJournal, type SharedJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

type Shared = Journal & { readonly coordination: NodeCoordination };

describe("journals that share the head of one Postgres", () => {
  let postgres: Awaited<ReturnType<typeof processPostgres>>;
  let shared: SharedJournal;
  const schema = `holdfast_nodes_${String(process.pid)}`;

  before(async () => {
    postgres = await processPostgres();
    shared = shareJournal(postgres);
  });

  after(async () => {
    await shared.close();
  });

  /** Two nodes in a separate space. */
  async function withTwo(
    space: string,
    work: (a: Shared, b: Shared) => Promise<void>,
    // Long enough for a busy host.
    turnMs = 30_000,
  ): Promise<void> {
    const common = { url: postgres.url, clock: systemClock, allowsFsyncOff: true, schema, space, tailRows: 8 };
    const options = { ...common, turnMs };
    const journals = (await Promise.all([openPostgresJournal(options), openPostgresJournal(options)])) as Shared[];
    try {
      await work(...(journals as [Shared, Shared]));
    } finally {
      await Promise.all(journals.map((journal) => journal.close()));
    }
  }

  /** Resolves when a node waits for the turn. */
  async function waiterExists(): Promise<void> {
    while ((await shared.sql("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length === 0);
  }

  const append = (journal: Journal, head: Head, unproven?: readonly string[]) =>
    journal.append(sampleBatch(head, 1), unproven);

  test("a turn lasts for several appends, excludes the other nodes, and then goes to the waiting node", () =>
    withTwo("several", async (a, b) => {
      await a.coordination.takeTurn();
      const waiting = b.coordination.takeTurn();
      for (let n = 0; n < 3; n += 1) await appendSample(a, 1);
      assert.deepEqual(await append(b, await b.head()), { kind: "behind" });
      await a.coordination.endTurn();
      await waiting;
      assert.deepEqual(await append(a, await a.head()), { kind: "behind" });
      assert.deepEqual(await append(b, await b.head()), { kind: "appended" });
      await b.coordination.endTurn();
      await appendUntilDone(a);
      assert.equal((await a.head()).position, 5);
    }));

  test("a node that sleeps during its turn loses the turn, and then appends only entries that follow the new head", () =>
    withTwo(
      "asleep",
      async (a, b) => {
        await a.coordination.takeTurn();
        const old = await a.head();
        // Only the timeout of the server ends the turn of a.
        await b.coordination.takeTurn();
        await appendSample(b, 2);
        await b.coordination.endTurn();
        assert.equal((await append(a, old)).kind, "behind");
        await a.coordination.endTurn();
        await a.coordination.takeTurn();
        assert.deepEqual(await append(a, await a.head()), { kind: "appended" });
      },
      200,
    ));

  test("a node that stops waiting for the turn leaves the queue", () =>
    withTwo("leaves", async (a, b) => {
      await a.coordination.takeTurn();
      // Before its connection is made, and while it waits.
      for (const until of [() => Promise.resolve(), waiterExists]) {
        const waiting = b.coordination.takeTurn();
        await until();
        await b.coordination.endTurn();
        await assert.rejects(waiting, /request for the turn was cancelled/);
      }
      await a.coordination.endTurn();
      await appendUntilDone(a);
    }));

  test("one of two concurrent appends that follow the same entry is written, and the other gets the entries that it missed", () =>
    withTwo("races", async (a, b) => {
      for (let n = 0; n < 25; n += 1) {
        const head = await a.head();
        const both = await Promise.all([append(a, head), append(b, head)]);
        const lost = both.filter(({ kind }) => kind !== "appended");
        assert.deepEqual(
          lost.map(({ kind }) => kind),
          ["behind"],
        );
        for (const each of lost) if ("missed" in each) assert.equal(each.missed.entries.length, 1);
        assert.equal((await b.head()).position, head.position + 1);
      }
    }));

  test("an append finds a used key in memory and in the tables, and then writes nothing [M4]", () =>
    withTwo("keys", async (a, b) => {
      const scopes = ["k1", "k40", "new"].map(scopeOf);
      for (let n = 0; n < 50; n += 1) await appendSample(a, 1, () => ({ key: `k${String(n)}` }));
      const head = await a.head();
      // Keys in memory are recalled, keys in the tables are not. Together they cover every key. Rows move to the tables
      // concurrently with the appends, so the move may still be in progress.
      let recalled = a.coordination.findKeysInMemory(scopes, head);
      for (let look = 0; look < 1_000 && recalled?.[0] !== undefined; look += 1) {
        await a.head();
        recalled = a.coordination.findKeysInMemory(scopes, head);
      }
      assert.ok(recalled !== undefined);
      const unproven = scopes.filter((_, index) => recalled[index] === undefined);
      assert.ok(unproven.includes(scopeOf("new")));
      assert.ok(unproven.includes(scopeOf("k1")), "with 8 rows in memory the first key is in the tables");
      assert.deepEqual(await append(a, head, unproven), { kind: "used" });
      assert.deepEqual(await a.head(), head);
      // The other node has read nothing yet, and returns undefined.
      assert.equal(b.coordination.findKeysInMemory(scopes, head), undefined);
      assert.deepEqual(await b.findKeys(scopes), [2, 41, undefined]);
      assert.deepEqual(await append(b, head, [scopeOf("new")]), { kind: "appended" });
    }));

  test("an append is refused if the index cannot prove that its keys are unused [M4]", () =>
    withTwo("lost index", async (a) => {
      for (let n = 0; n < 50; n += 1) await appendSample(a, 1, () => ({ key: `k${String(n)}` }));
      // Under the lock of a flush: one that has read the cover before would write it again.
      await shared.sql(`BEGIN;
        SELECT pg_advisory_xact_lock(hashtextextended('holdfast index lost index', 0));
        DELETE FROM keys WHERE space = 'lost index';
        DELETE FROM index_cover WHERE space = 'lost index';
        COMMIT`);
      assert.deepEqual(await append(a, await a.head(), [scopeOf("k1")]), { kind: "used" });
    }));
});

/** `endTurn` returns before the turn of the other node has ended on the server. Until then no other node may append. */
async function appendUntilDone(journal: Journal): Promise<void> {
  for (;;) {
    const { kind } = await journal.append(sampleBatch(await journal.head(), 1));
    if (kind === "appended") return;
  }
}

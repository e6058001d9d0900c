import assert from "node:assert/strict";
import { test } from "node:test";
import { importBatch } from "../../server/src/journal/import-batch.ts";
import { type Journal, JournalError } from "../../server/src/journal/journal.ts";
import type { StoredBatch } from "../../server/src/journal/unseal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { appendIndexed, assertSubjects } from "./indexed-sample.ts";
import type { JournalKind, WithJournal } from "./journal-kind.ts";
import { appendSample, everything, sampleBatch } from "./sample-entries.ts";

/** The expected form of an entry after its payload was erased. */
function erased(entry: Entry | undefined, by: number): Entry | undefined {
  if (entry === undefined) return undefined;
  const { evidence: _, ...rest } = entry;
  const events = entry.events.map((event) => ({ ...event, data: {} }));
  return { ...rest, input: null, outcome: { ...entry.outcome, data: {} }, events, erased: by };
}

const isInvalid = (error: unknown): boolean => error instanceof JournalError && error.code === "invalid";

export function upkeepPromises(withJournal: WithJournal, kind: JournalKind): void {
  test(
    "erase removes a payload with its evidence permanently and records the erasing entry, and all other data and the chain stay [X1]",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 30, 4);
      const before = await journal.read(0, everything);
      const head = await journal.head();
      await journal.erase(6, 20);
      await journal.erase(6, 21);
      await journal.erase(30, 29);
      const expected = before.with(5, erased(before[5], 20) as Entry).with(29, erased(before[29], 29) as Entry);
      assert.deepEqual(await journal.read(0, everything), expected);
      assert.deepEqual(await journal.readAt([30, 6]), [expected[29], expected[5]]);
      await assert.rejects(journal.erase(0, 1), isInvalid);
      await assert.rejects(journal.erase(31, 1), isInvalid);
      await store.crash(journal);
      const again = await store.open();
      assert.deepEqual([await again.head(), await again.read(0, everything)], [head, expected]);
      await assertSubjects(again, 30);
      await appendIndexed(again, 4, 4);
      await assertSubjects(again, 34);
      await again.close();
    }),
  );

  test(
    "the erasure mark is 0 at first, and the last stored mark survives a crash",
    withJournal(async (journal, store) => {
      await appendSample(journal, 2);
      assert.deepEqual(await journal.erasureMark(), { to: 0, left: [] });
      await journal.setErasureMark({ to: 1, left: [] });
      const mark = { to: 2, left: [{ position: 1, by: 2 }], has_event_stream: true } as const;
      await journal.setErasureMark(mark);
      assert.deepEqual(await journal.erasureMark(), mark);
      await store.crash(journal);
      const again = await store.open();
      assert.deepEqual(await again.erasureMark(), mark);
      await again.close();
    }),
  );

  test(
    "reads, follow, searches and appends work the same after archiving, also after the index was deleted [X9]",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 40, 4);
      const before = await journal.read(0, everything);
      await assertArchived(journal, kind, 10, { to: 8, batchCount: 2, segmentCount: 1 });
      await assertArchived(journal, kind, 8, { to: 8, batchCount: 0, segmentCount: 0 });
      await assertArchived(journal, kind, 31, { to: 28, batchCount: 5, segmentCount: 1 });
      await assertSame(journal, before);
      await appendIndexed(journal, 4, 4);
      await journal.close();
      await store.loseIndex();
      const again = await store.open();
      await assertSubjects(again, 44);
      await assertSame(again, [...before, ...(await again.read(40, everything))]);
      await again.close();
    }),
  );

  test(
    "the newest batch is never archived, and an append after a wrong predecessor in the archive returns diverged",
    withJournal(async (journal) => {
      await appendIndexed(journal, 12, 4);
      const head = await journal.head();
      await assertArchived(journal, kind, 1_000, { to: 8, batchCount: 2, segmentCount: 1 });
      assert.deepEqual(await journal.head(), head);
      assert.deepEqual(await journal.append(sampleBatch({ ...head, position: 8 }, 1)), { kind: "diverged" });
      await appendSample(journal, 1);
      assert.equal((await journal.read(0, everything)).length, 13);
    }),
  );

  test(
    "a payload in the archive can be erased like any other [X1]",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 40, 4);
      const before = await journal.read(0, everything);
      await journal.archive(24);
      for (const position of [3, 24, 25, 4]) await journal.erase(position, 39);
      const expected = before.map((entry) => ([3, 4, 24, 25].includes(entry.position) ? erased(entry, 39) : entry));
      assert.deepEqual(await journal.read(0, everything), expected);
      await journal.close();
      const again = await store.open();
      assert.deepEqual(await again.read(0, everything), expected);
      await again.archive(36);
      assert.deepEqual(await again.read(0, everything), expected);
      await again.close();
    }),
  );

  test(
    "importBatch appends a batch of another journal unchanged, once, and refuses a batch that does not follow",
    withJournal(async (journal) => {
      const batches: StoredBatch[] = [];
      let head = await journal.head();
      for (let index = 0; index < 3; index += 1) {
        const { lines, head: next, after } = sampleBatch(head, 3);
        batches.push({
          first: after.position + 1,
          count: 3,
          time: next.time,
          previous: after.hash,
          hash: next.hash,
          lines,
        });
        head = next;
      }
      const [one, two, three] = batches as [StoredBatch, StoredBatch, StoredBatch];
      await assert.rejects(importBatch(journal, two), isInvalid);
      assert.equal(await importBatch(journal, one), "appended");
      await assert.rejects(
        importBatch(journal, { ...two, lines: two.lines.replace("tester", "taster") }),
        JournalError,
      );
      assert.equal(await importBatch(journal, two), "appended");
      assert.equal(await importBatch(journal, one), "there");
      assert.equal(await importBatch(journal, three), "appended");
      assert.deepEqual(await journal.head(), head);
      const { lines, head: other } = sampleBatch({ ...head, position: 3, time: 0 }, 3);
      const fork = { first: 4, count: 3, time: other.time, previous: head.hash, hash: other.hash, lines };
      await assert.rejects(importBatch(journal, fork), isInvalid);
    }),
  );
}

/** Checks the result of an archive. A journal without an archive must report that it moved nothing. */
async function assertArchived(
  journal: Journal,
  { canArchive: archives }: JournalKind,
  to: number,
  expected: Awaited<ReturnType<Journal["archive"]>>,
): Promise<void> {
  const nothing = { to: 0, batchCount: 0, segmentCount: 0 };
  assert.deepEqual(await journal.archive(to), archives ? expected : nothing);
}

async function assertSame(journal: Journal, entries: readonly Entry[]): Promise<void> {
  assert.deepEqual(await journal.read(0, everything), entries);
  for (const after of [3, 7, 8, 9, 27, 28, 29]) {
    assert.deepEqual(await journal.read(after, { entries: 3, bytes: 1e9 }), entries.slice(after, after + 3));
  }
  const positions = [28, 1, 29, 8, 9, 40];
  assert.deepEqual(
    await journal.readAt(positions),
    positions.map((position) => entries[position - 1]),
  );
  let head = { position: 0, hash: "0".repeat(64), time: 0 };
  for (let followed = 0; followed < entries.length;) {
    const page = await journal.follow(head, { entries: 5, bytes: 1e9 });
    assert.ok(page.kind === "followed" && page.entries.length > 0);
    assert.deepEqual(page.entries, entries.slice(followed, followed + page.entries.length));
    ({ head } = page);
    followed += page.entries.length;
  }
  assert.deepEqual(head, await journal.head());
}

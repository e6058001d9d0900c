import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalError } from "../../server/src/journal/journal.ts";
import { appendIndexed, assertSubjects } from "./indexed-sample.ts";
import type { JournalKind, WithJournal } from "./journal-kind.ts";
import { appendSample, everything, sampleBatch } from "./sample-entries.ts";

export function reopenPromises(withJournal: WithJournal, kind: JournalKind): void {
  test(
    "all entries and the index survive close and open",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 30, 4);
      const before = [await journal.head(), await journal.read(0, everything)];
      await journal.close();
      const again = await store.open();
      assert.deepEqual([await again.head(), await again.read(0, everything)], before);
      await assertSubjects(again, 30);
      await appendIndexed(again, 30, 7);
      await assertSubjects(again, 60);
      await again.close();
    }),
  );

  test(
    "all appended entries and the index survive a crash [X1]",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 30, 4);
      const before = [await journal.head(), await journal.read(0, everything)];
      await store.crash(journal);
      const again = await store.open();
      assert.deepEqual([await again.head(), await again.read(0, everything)], before);
      await assertSubjects(again, 30);
      await again.close();
    }),
  );

  test(
    "a deleted index is rebuilt completely [P5]",
    withJournal(async (journal, store) => {
      await appendIndexed(journal, 30, 4);
      await journal.close();
      await store.loseIndex();
      const again = await store.open();
      await assertSubjects(again, 30);
      await again.close();
    }),
  );

  test(
    "close is idempotent, and every call on a closed journal throws the code closed",
    withJournal(async (journal) => {
      await appendSample(journal, 1);
      await Promise.all([journal.close(), journal.close()]);
      await journal.close();
      const closed = (error: unknown): boolean => error instanceof JournalError && error.code === "closed";
      await assert.rejects(journal.head(), closed);
      await assert.rejects(journal.read(0, everything), closed);
      await assert.rejects(journal.findKeys([]), closed);
      await assert.rejects(appendSample(journal, 1), closed);
    }),
  );

  if (!kind.isShared) return;

  test(
    "two journals on one store read each other's entries, and one of two appends after the same head wins",
    withJournal(async (journal, store) => {
      const other = await store.open();
      await appendSample(journal, 2);
      assert.deepEqual(await other.head(), await journal.head());
      const batch = sampleBatch(await journal.head(), 1);
      const results = await Promise.all([journal.append(batch), other.append(batch)]);
      assert.deepEqual(results.map(({ kind }) => kind).sort(), ["appended", "behind"]);
      assert.deepEqual(await other.read(0, everything), await journal.read(0, everything));
      await other.close();
    }),
  );

  test(
    "an append wakes the listeners of other journals on the store until they unsubscribe",
    withJournal(async (journal, store) => {
      const other = await store.open();
      const woken = Promise.withResolvers<undefined>();
      let own = 0;
      const stop = other.onWake(() => woken.resolve(undefined));
      journal.onWake(() => (own += 1));
      await appendSample(journal, 1);
      await woken.promise;
      assert.equal(own, 0, "an append does not wake its own journal");
      stop();
      stop();
      await other.close();
    }),
  );
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Head, JournalError } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import { arbitraryDrafts, type EntryDraft, placeDrafts } from "./arbitrary-entries.ts";
import type { JournalKind, WithJournal } from "./journal-kind.ts";
import * as sample from "./sample-entries.ts";
import { counts } from "../prove/counts.ts";

const { everything } = sample;

export function appendPromises(withJournal: WithJournal, kind: JournalKind): void {
  test(
    "an empty journal has its head at position 0, and the first batch follows it",
    withJournal(async (journal) => {
      assert.deepEqual(await journal.head(), genesis);
      assert.deepEqual(await journal.read(0, everything), []);
      assert.deepEqual(await journal.append(sample.sampleBatch(genesis, 1)), { kind: "appended" });
    }),
  );

  test(
    "positions have no gaps, and every batch moves the head to its last entry [X1]",
    withJournal(async (journal) => {
      for (const count of [1, 3, 16, 2]) {
        const batch = sample.sampleBatch(await journal.head(), count);
        await journal.append(batch);
        assert.deepEqual(await journal.head(), batch.head);
      }
      const positions = (await journal.read(0, everything)).map((entry) => entry.position);
      assert.deepEqual(
        positions,
        Array.from({ length: 22 }, (_, index) => index + 1),
      );
    }),
  );

  test(
    "an append after a predecessor that is not the head returns behind and writes nothing",
    withJournal(async (journal) => {
      await sample.appendSample(journal, 2);
      const old = await journal.head();
      await sample.appendSample(journal, 3);
      const head = await journal.head();
      for (const [after, missed] of [
        [old, 3],
        [genesis, 5],
      ] as const) {
        const appended = await journal.append(sample.sampleBatch(after, 3));
        assert.equal(appended.kind, "behind");
        // A journal that returns missed entries returns all of them, or a prefix.
        if (!("missed" in appended)) continue;
        assert.deepEqual(appended.missed.entries, (await journal.read(0, everything)).slice(-missed));
        assert.deepEqual(appended.missed.head, head);
      }
      assert.deepEqual(await journal.head(), head);
      assert.equal((await journal.read(0, everything)).length, 5);
    }),
  );

  test(
    "an append after the right position with another hash returns diverged, at the head and before it [X1]",
    withJournal(async (journal) => {
      await sample.appendSample(journal, 2);
      const lost: Head = { ...(await journal.head()), hash: "f".repeat(64) };
      assert.deepEqual(await journal.append(sample.sampleBatch(lost, 1)), { kind: "diverged" });
      await sample.appendSample(journal, 2);
      assert.deepEqual(await journal.append(sample.sampleBatch(lost, 1)), { kind: "diverged" });
      assert.equal((await journal.head()).position, 4);
    }),
  );

  test(
    "an append after a predecessor beyond the head or inside a batch returns diverged",
    withJournal(async (journal) => {
      await sample.appendSample(journal, 4);
      const head = await journal.head();
      assert.deepEqual(await journal.append(sample.sampleBatch({ ...head, position: 9 }, 1)), { kind: "diverged" });
      assert.deepEqual(await journal.append(sample.sampleBatch({ ...head, position: 2 }, 1)), { kind: "diverged" });
      const noGenesis = { ...genesis, hash: "e".repeat(64) };
      assert.deepEqual(await journal.append(sample.sampleBatch(noGenesis, 1)), { kind: "diverged" });
    }),
  );

  test(
    "an append whose time is before the head is refused and writes nothing",
    withJournal(async (journal) => {
      await sample.appendSample(journal, 1, () => ({ time: 5000 }));
      const head = await journal.head();
      const earlier = sample.sampleBatch({ ...head, time: 0 }, 1, () => ({ time: 4999 }));
      await assert.rejects(journal.append(earlier), isInvalid);
      assert.deepEqual(await journal.head(), head);
      assert.deepEqual(await journal.append(sample.sampleBatch(head, 1)), { kind: "appended" });
    }),
  );

  test("a batch that does not follow its predecessor cannot be sealed", () => {
    const [entry] = sample.sampleEntries(genesis, 1) as [Entry];
    const salts = sample.sampleSalts(genesis, 1);
    const invalid: readonly (readonly [readonly Entry[], readonly string[]])[] = [
      [[], salts],
      [[{ ...entry, position: 2 }], salts],
      [[{ ...entry, time: -1 }], salts],
      [[{ ...entry, time: 1.5 }], salts],
      [[{ ...entry, time: NaN }], salts],
      [[entry], []],
      [[entry, entry], sample.sampleSalts(genesis, 2)],
    ];
    for (const [entries, given] of invalid) assert.throws(() => seal(entries, genesis, given), isInvalid);
  });

  test(
    "a batch of 1,000 entries and several MiB is appended and read as a whole",
    withJournal(async (journal) => {
      const filler = "héllo ✨ ".repeat(400);
      const entries = await sample.appendSample(journal, 1000, () => ({ input: { filler } }));
      assert.deepEqual(await journal.read(0, everything), entries);
    }),
  );

  test("any sequence of batches is read as it was written, with the same hashes as in the memory journal [X7]", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryDrafts, (batches) => readsBackEqual(kind, batches)),
      { numRuns: counts.journalBatches },
    );
  });
}

async function readsBackEqual(kind: JournalKind, batches: readonly (readonly EntryDraft[])[]): Promise<void> {
  const store = await kind.create();
  const journal = await store.open();
  const reference = openMemoryJournal(createMemoryDisk());
  try {
    const written: Entry[] = [];
    for (const drafts of batches) {
      const head = await journal.head();
      assert.deepEqual(head, await reference.head());
      const batch = sample.sealSample(placeDrafts(drafts, head), head);
      assert.deepEqual(await journal.append(batch), { kind: "appended" });
      await reference.append(batch);
      written.push(...batch.entries);
    }
    assert.deepEqual(await journal.head(), await reference.head());
    assert.deepEqual(await journal.read(0, everything), written);
  } finally {
    await journal.close();
    await store.cleanUp();
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof JournalError && error.code === "invalid" && error.certain;
}

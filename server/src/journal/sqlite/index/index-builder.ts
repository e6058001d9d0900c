/**
 * Folds the batches of journal.db into index.db, over connections of its own. Each read is one short statement, because an
 * open reader would prevent the truncation of the write-ahead log.
 */
import { createIndexTail } from "../../index-tail.ts";
import type { BatchEnd } from "../../sealed-batch.ts";
import { damageError, headOf, type StoredBatch, unseal } from "../../unseal.ts";
import { createCombinedBatchTable } from "../archive/combined-batch-table.ts";
import { createSegmentTable } from "../archive/segment-table.ts";
import { createBatchTable } from "../batch-table.ts";
import { flushIndex } from "../flush-index.ts";
import { openIndexFile } from "../folder/files.ts";
import { openReadOnly } from "../folder/sqlite-reader.ts";
import { createIndexStore } from "../index-store.ts";
import { createKeyFilter, type KeyFilter } from "./key-filter.ts";

/** Number of keys that one step adds to the filter. A step takes a few milliseconds. */
const keysPerStep = 4_096;

export interface IndexBuilder {
  /** A filter over all keys of index.db. It is complete after the last step of `fillFilter`. */
  readonly filter: KeyFilter;
  fillFilter(): Generator<undefined, void>;
  /** Adds the rows of all batches up to the target to index.db. The journal must hold the target. */
  flush(target: BatchEnd): void;
  close(): void;
}

export function openIndexBuilder(folder: string): IndexBuilder {
  const journal = openReadOnly(folder);
  try {
    const index = openIndexFile(folder);
    const store = createIndexStore(index);
    const segments = createSegmentTable(journal, folder);
    const table = createCombinedBatchTable(createBatchTable(journal), segments);
    const filter = createKeyFilter();

    function batchAt(first: number): StoredBatch {
      const stored = table.holding(first);
      if (stored !== undefined) return stored;
      throw damageError(first, "chain", "the batch that starts here is missing");
    }

    return {
      filter,
      *fillFilter() {
        const next = index.prepare("SELECT hash FROM keys WHERE hash > ? ORDER BY hash LIMIT ?");
        for (let last: Uint8Array | undefined = new Uint8Array(0); last !== undefined;) {
          const hashes: readonly Uint8Array[] = next.all(last, keysPerStep).map(({ hash }) => hash as Uint8Array);
          for (const hash of hashes) filter.add(hash);
          last = hashes.at(-1);
          yield;
        }
      },
      flush(target) {
        // The owner of the folder may have archived batches since the last call.
        segments.refresh();
        const tail = createIndexTail();
        let end = store.complete();
        while (end.position < target.position) {
          const stored = batchAt(end.position + 1);
          tail.add(unseal(stored, end.hash).indexed());
          end = headOf(stored);
        }
        if (end.hash !== target.hash)
          throw damageError(target.position, "chain", "the index expects another batch that ends here");
        for (const _step of flushIndex(tail, target, store, filter));
      },
      close() {
        store.close();
        journal.close();
      },
    };
  } catch (error) {
    journal.close();
    throw error;
  }
}

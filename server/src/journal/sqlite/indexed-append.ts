/**
 * Keeps the index in step with the appended batches. After a failed append the batch may be in the journal anyway. The
 * index then reads the journal again before its next use.
 */
import type { AppendResult } from "../journal.ts";
import type { SealedBatch } from "../seal.ts";
import { headOf, unseal } from "../unseal.ts";
import type { SqliteAppend } from "./append.ts";
import type { SqliteBatchTable } from "./batch-table.ts";
import type { SqliteLayeredIndex } from "./layered-index.ts";

interface SqliteIndexedAppend {
  /** Appends a batch. It waits first if the index thread is far behind, so that the tails in memory stay bounded. */
  append(batch: SealedBatch): Promise<AppendResult>;
  /** The index, as complete as the journal. */
  index(): SqliteLayeredIndex;
  /** The index, if it is complete without reading the journal. */
  readyIndex(): SqliteLayeredIndex | undefined;
}

export function createIndexedAppend(
  append: SqliteAppend,
  table: SqliteBatchTable,
  index: SqliteLayeredIndex,
): SqliteIndexedAppend {
  let isCurrent = true;

  function refreshed(): SqliteLayeredIndex {
    if (!isCurrent) for (const _batch of catchUp(table, index));
    isCurrent = true;
    return index;
  }

  return {
    async append(batch) {
      await index.overdue();
      const upToDate = refreshed();
      isCurrent = false;
      const result = append(batch);
      // Behind or diverged: another connection appended, and the index does not hold its batch.
      if (result.kind === "appended") isCurrent = tryToAdd(upToDate, batch);
      return result;
    },
    index: refreshed,
    readyIndex: () => (isCurrent ? index : undefined),
  };
}

/** Never throws, because the batch is already durable. An error would wrongly report a failed append. */
function tryToAdd(index: SqliteLayeredIndex, batch: SealedBatch): boolean {
  try {
    index.add(batch.entries, batch.head);
    return true;
  } catch {
    return false;
  }
}

/** Indexes the batches that are missing in the index, one at a time. */
export function* catchUp(table: SqliteBatchTable, index: SqliteLayeredIndex): Generator<undefined, void> {
  for (const stored of table.from(index.end().position + 1)) {
    index.add(unseal(stored, index.end().hash).indexed(), headOf(stored));
    yield;
  }
}

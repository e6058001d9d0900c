/**
 * Keeps the index in step with what is appended. After a failed append the batch may be there all the same; then the
 * index looks at the journal again before anybody else relies on it.
 */
import type { SealedBatch } from "../seal.ts";
import { headOf, unseal } from "../unseal.ts";
import type { SqliteAppend } from "./append.ts";
import type { SqliteBatchTable } from "./batch-table.ts";
import type { SqliteLayeredIndex } from "./layered-index.ts";

export interface SqliteIndexedAppend {
  readonly append: SqliteAppend;
  /** The index, as complete as the journal. */
  index(): SqliteLayeredIndex;
  /** The same, if nothing has to be read for it. */
  readyIndex(): SqliteLayeredIndex | undefined;
}

export function createIndexedAppend(
  append: SqliteAppend,
  table: SqliteBatchTable,
  index: SqliteLayeredIndex,
): SqliteIndexedAppend {
  let sure = true;

  function refreshed(): SqliteLayeredIndex {
    if (!sure) for (const _batch of catchUp(table, index));
    sure = true;
    return index;
  }

  return {
    append(batch) {
      const upToDate = refreshed();
      sure = false;
      const result = append(batch);
      // Behind or diverged: somebody wrote past this journal, and the index has not seen it.
      if (result.kind === "appended") sure = tryToAdd(upToDate, batch);
      return result;
    },
    index: refreshed,
    readyIndex: () => (sure ? index : undefined),
  };
}

/** The batch is durable by now: whatever happens here, saying that it failed would be a lie. */
function tryToAdd(index: SqliteLayeredIndex, batch: SealedBatch): boolean {
  try {
    index.add(batch.entries, batch.head);
    return true;
  } catch {
    return false;
  }
}

/** Indexes the batches that the index does not know yet, one at a time. */
export function* catchUp(table: SqliteBatchTable, index: SqliteLayeredIndex): Generator<undefined, void> {
  for (const stored of table.from(index.end().position + 1)) {
    index.add(unseal(stored, index.end().hash).indexed(), headOf(stored));
    yield;
  }
}

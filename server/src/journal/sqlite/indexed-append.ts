/**
 * Keeps the index in step with what is appended. After a failed append the batch may be there all the same; then the
 * index looks at the journal again before anybody else relies on it.
 */
import type { SealedBatch } from "../seal.ts";
import { headOf, unseal } from "../unseal.ts";
import type { AppendBatch } from "./append.ts";
import type { BatchTable } from "./batch-table.ts";
import type { LayeredIndex } from "./layered-index.ts";

export interface IndexedAppend {
  readonly append: AppendBatch;
  /** The index, as complete as the journal. */
  index(): LayeredIndex;
  /** The same, if nothing has to be read for it. */
  readyIndex(): LayeredIndex | undefined;
}

export function createIndexedAppend(append: AppendBatch, table: BatchTable, index: LayeredIndex): IndexedAppend {
  let sure = true;

  function refreshed(): LayeredIndex {
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
function tryToAdd(index: LayeredIndex, batch: SealedBatch): boolean {
  try {
    index.add(batch.entries, batch.head);
    return true;
  } catch {
    return false;
  }
}

/** Indexes the batches that the index does not know yet, one at a time. */
export function* catchUp(table: BatchTable, index: LayeredIndex): Generator<undefined, void> {
  for (const stored of table.from(index.end().position + 1)) {
    index.add(unseal(stored, index.end().hash).indexed(), headOf(stored));
    yield;
  }
}

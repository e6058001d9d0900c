/** The table of batches: every statement that reads it, prepared once for each connection. */
import type { DatabaseSync } from "node:sqlite";
import type { Head } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { genesis } from "../seal.ts";
import { headOf, type StoredBatch } from "../unseal.ts";

type BatchSummary = Omit<StoredBatch, "lines">;

export interface SqliteBatchTable {
  head(): Head;
  /** The batch that holds a position. */
  holding(position: number): StoredBatch | undefined;
  /** The end of the last batch before `first`. The batch that starts at `first` must chain to it. */
  endBefore(first: number): BatchEnd;
  /** The hash of the batch that ends at a position, if there is one. */
  hashAt(position: number): string | undefined;
  /** The batches that start at `first` or later, in order. */
  from(first: number): Iterable<StoredBatch>;
  /** The first position of the batch that holds a position, or the position itself if no batch holds it. */
  startOf(position: number): number;
}

export function createBatchTable(database: DatabaseSync): SqliteBatchTable {
  const ends = "SELECT first, count, time, previous, hash FROM batches";
  const last = database.prepare(`${ends} ORDER BY first DESC LIMIT 1`);
  const below = database.prepare(`${ends} WHERE first <= ? ORDER BY first DESC LIMIT 1`);
  const whole = database.prepare(
    "SELECT first, count, time, previous, hash, lines FROM batches WHERE first <= ? ORDER BY first DESC LIMIT 1",
  );
  const onward = database.prepare(
    "SELECT first, count, time, previous, hash, lines FROM batches WHERE first >= ? ORDER BY first",
  );

  // The table is STRICT, so the columns have their declared types and these casts are safe.
  const endBelow = (position: number): BatchSummary | undefined => below.get(position) as BatchSummary | undefined;
  function endHolding(position: number): BatchSummary | undefined {
    const end = endBelow(position);
    return end !== undefined && position < end.first + end.count ? end : undefined;
  }

  return {
    head() {
      const end = last.get() as BatchSummary | undefined;
      return end === undefined ? genesis : headOf(end);
    },
    holding: (position) =>
      endHolding(position) === undefined ? undefined : (whole.get(position) as unknown as StoredBatch),
    endBefore(first) {
      const end = endBelow(first - 1);
      return end === undefined ? genesis : headOf(end);
    },
    hashAt(position) {
      const end = endBelow(position);
      return end !== undefined && end.first + end.count - 1 === position ? end.hash : undefined;
    },
    from: (first) => onward.iterate(first) as unknown as Iterable<StoredBatch>,
    startOf: (position) => endHolding(position)?.first ?? position,
  };
}

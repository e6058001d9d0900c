/**
 * Writes a tail to the stored index in small steps; the caller decides when the next one runs. A step is a few
 * hundred rows: about a millisecond, so that nobody who waits for an append notices.
 *
 * Rows go in sorted by hash: neighbours share pages, and a page that is written once for ten rows is a tenth of the
 * writing. Sorting all of a tail at once would take too long for one step, so rows are first dealt out by their first
 * byte.
 *
 * A kill between any two steps loses nothing: `begun` is written first and `complete` last, rows that are there are
 * not written again, and the tail answers until the end.
 */
import type { IndexTail } from "../index-tail.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { indexHash, type IndexRow, type SqliteIndexStore } from "./index-store.ts";

const rowsPerStep = 256;

/** How many steps a caller must take for so many new rows, to be done well before the next tail is full. */
export function stepsFor(rows: number): number {
  return Math.max(1, Math.ceil(rows / 64));
}

export function* flushIndex(tail: IndexTail, target: BatchEnd, store: SqliteIndexStore): Generator<undefined, void> {
  store.begin(target);
  const buckets: IndexRow[][] = Array.from({ length: 256 }, () => []);
  let dealt = 0;
  for (const row of rowsOf(tail)) {
    buckets[Number.parseInt(row.hash.slice(0, 2), 16)]?.push(row);
    dealt += 1;
    if (dealt % rowsPerStep === 0) yield;
  }
  for (const bucket of buckets) {
    if (bucket.length === 0) continue;
    store.insert(bucket.sort((one, other) => (one.hash < other.hash ? -1 : 1)));
    yield;
  }
  store.finish(target);
}

function* rowsOf(tail: IndexTail): Generator<IndexRow, void> {
  for (const [scope, position] of tail.keys()) yield { table: "keys", hash: indexHash(scope), position };
  for (const [subject, positions] of tail.subjects()) {
    const hash = indexHash(subject);
    for (const position of positions) yield { table: "subjects", hash, position };
  }
}

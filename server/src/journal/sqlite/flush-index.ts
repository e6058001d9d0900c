/**
 * Writes a tail to the stored index in small steps. The caller decides when the next step runs. A step writes a few
 * hundred rows in about a millisecond, so that a program that closes its journal stays responsive.
 *
 * Rows are inserted sorted by hash. Neighbours share pages, and one page write for ten rows is a tenth of the I/O. Sorting
 * a whole tail would take too long for one step, so rows are first distributed to buckets by their first byte.
 *
 * A kill between any two steps loses nothing. `begun` is written first and `complete` last. Existing rows are not written
 * again, and the tail answers queries until the end.
 */
import type { IndexTail } from "../index-tail.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { indexHash } from "../index-hash.ts";
import type { KeyFilter } from "./index/key-filter.ts";
import type { IndexRow, SqliteIndexStore } from "./index-store.ts";

const rowsPerStep = 256;

/** With a filter, the keys are added to it before they are in the store. */
export function* flushIndex(
  tail: IndexTail,
  target: BatchEnd,
  store: SqliteIndexStore,
  filter?: KeyFilter,
): Generator<undefined, void> {
  store.begin(target);
  const buckets: IndexRow[][] = Array.from({ length: 256 }, () => []);
  let distributed = 0;
  for (const row of rowsOf(tail)) {
    buckets[Number.parseInt(row.hash.slice(0, 2), 16)]?.push(row);
    distributed += 1;
    if (distributed % rowsPerStep === 0) yield;
  }
  for (const bucket of buckets) {
    if (bucket.length === 0) continue;
    if (filter !== undefined) addKeys(filter, bucket);
    store.insert(bucket.sort((a, b) => (a.hash < b.hash ? -1 : 1)));
    yield;
  }
  store.finish(target);
}

function addKeys(filter: KeyFilter, rows: readonly IndexRow[]): void {
  for (const { table, hash } of rows) if (table === "keys") filter.add(Buffer.from(hash, "hex"));
}

function* rowsOf(tail: IndexTail): Generator<IndexRow, void> {
  for (const [scope, position] of tail.keys()) yield { table: "keys", hash: indexHash(scope), position };
  for (const [subject, positions] of tail.subjects()) {
    const hash = indexHash(subject);
    for (const position of positions) yield { table: "subjects", hash, position };
  }
}

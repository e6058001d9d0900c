import type { Entry } from "../../machine/entry.ts";
import type { FollowResult, Head, PageLimit } from "../journal.ts";
import { createEntryPage, createBatchPage, noEntry } from "../entry-page.ts";
import { damageError, type OpenedBatch, unseal } from "../unseal.ts";
import type { SqliteBatchTable } from "./batch-table.ts";

export function readPage(table: SqliteBatchTable, after: number, limit: PageLimit): readonly Entry[] {
  const start = table.startOf(after + 1);
  const page = createEntryPage(after, table.endBefore(start), limit);
  for (const batch of table.from(start)) {
    if (!page.add(batch)) break;
  }
  return page.entries;
}

export function followPage(table: SqliteBatchTable, after: Head, limit: PageLimit): FollowResult {
  const start = after.position + 1;
  const previous = table.endBefore(start);
  if (previous.position !== after.position || previous.hash !== after.hash) return { kind: "diverged" };
  const page = createBatchPage(after, limit);
  for (const batch of table.from(start)) {
    if (!page.add(batch)) break;
  }
  return { kind: "followed", entries: page.entries, head: page.head() };
}

export function readPositions(table: SqliteBatchTable, positions: readonly number[]): readonly Entry[] {
  let opened: OpenedBatch | undefined;
  return positions.map((position) => {
    // Positions of one request are often in one batch. Successive positions share one verification of their batch.
    if (opened === undefined || position < opened.first || position > opened.last) opened = openBatch(table, position);
    return opened.entry(position);
  });
}

function openBatch(table: SqliteBatchTable, position: number): OpenedBatch {
  const stored = table.holding(position);
  if (stored !== undefined) return unseal(stored, table.endBefore(stored.first).hash);
  const head = table.head().position;
  if (position < 1 || position > head) throw noEntry(position, head);
  throw damageError(position, "chain", "the batch that holds it is missing");
}

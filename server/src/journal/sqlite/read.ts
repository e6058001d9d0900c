import type { Entry } from "../../machine/entry.ts";
import type { Followed, Head, PageLimit } from "../journal.ts";
import { createPage, createWholeBatches, noEntry } from "../page.ts";
import { damage, type OpenedBatch, unseal } from "../unseal.ts";
import type { BatchTable } from "./batch-table.ts";

export function readPage(table: BatchTable, after: number, limit: PageLimit): readonly Entry[] {
  const start = table.startOf(after + 1);
  const page = createPage(after, table.jointBefore(start), limit);
  for (const batch of table.from(start)) {
    if (!page.take(batch)) break;
  }
  return page.entries;
}

export function followPage(table: BatchTable, after: Head, limit: PageLimit): Followed {
  const start = after.position + 1;
  const joint = table.jointBefore(start);
  if (joint.position !== after.position || joint.hash !== after.hash) return { kind: "diverged" };
  const taken = createWholeBatches(after, limit);
  for (const batch of table.from(start)) {
    if (!taken.take(batch)) break;
  }
  return { kind: "followed", entries: taken.entries, head: taken.head() };
}

export function readPositions(table: BatchTable, positions: readonly number[]): readonly Entry[] {
  let opened: OpenedBatch | undefined;
  return positions.map((position) => {
    // Positions asked for together often lie together: a batch is proven once for all of them in a row.
    if (opened === undefined || position < opened.first || position > opened.last) opened = openBatch(table, position);
    return opened.entry(position);
  });
}

function openBatch(table: BatchTable, position: number): OpenedBatch {
  const stored = table.holding(position);
  if (stored !== undefined) return unseal(stored, table.jointBefore(stored.first).hash);
  const head = table.head().position;
  if (position < 1 || position > head) throw noEntry(position, head);
  throw damage(position, "chain", "the batch that should hold it is missing");
}

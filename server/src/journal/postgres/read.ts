import type { Entry } from "../../machine/entry.ts";
import type { PageLimit } from "../journal.ts";
import { createPage, noEntry } from "../page.ts";
import { damage, type OpenedBatch, unseal } from "../unseal.ts";
import type { BatchTable } from "./batch-table.ts";

export async function readPage(table: BatchTable, after: number, limit: PageLimit): Promise<readonly Entry[]> {
  const start = await table.startOf(after + 1);
  const page = createPage(after, await table.jointBefore(start), limit);
  for await (const batch of table.from(start)) {
    if (!page.take(batch)) break;
  }
  return page.entries;
}

export async function readPositions(table: BatchTable, positions: readonly number[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let opened: OpenedBatch | undefined;
  for (const position of positions) {
    // Positions asked for together often lie together: a batch is fetched and proven once for all of them in a row.
    if (opened === undefined || position < opened.first || position > opened.last)
      opened = await openBatch(table, position);
    entries.push(opened.entry(position));
  }
  return entries;
}

async function openBatch(table: BatchTable, position: number): Promise<OpenedBatch> {
  const found = await table.holding(position);
  if (found !== undefined) return unseal(found.stored, found.joint.hash);
  const head = (await table.head()).position;
  if (position < 1 || position > head) throw noEntry(position, head);
  throw damage(position, "chain", "the batch that should hold it is missing");
}

import type { Entry } from "../../machine/entry.ts";
import type { PageLimit } from "../journal.ts";
import { createEntryPage, noEntry } from "../entry-page.ts";
import { damageError, type OpenedBatch, unseal } from "../unseal.ts";
import type { PostgresBatchTable } from "./batch-table.ts";

export async function readPage(table: PostgresBatchTable, after: number, limit: PageLimit): Promise<readonly Entry[]> {
  const start = await table.startOf(after + 1);
  const page = createEntryPage(after, await table.endBefore(start), limit);
  for await (const batch of table.from(start)) {
    if (!page.add(batch)) break;
  }
  return page.entries;
}

export async function readPositions(
  table: PostgresBatchTable,
  positions: readonly number[],
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let opened: OpenedBatch | undefined;
  for (const position of positions) {
    // Positions of one request are often in one batch. Successive positions share one fetch and one verification.
    if (opened === undefined || position < opened.first || position > opened.last)
      opened = await openBatch(table, position);
    entries.push(opened.entry(position));
  }
  return entries;
}

async function openBatch(table: PostgresBatchTable, position: number): Promise<OpenedBatch> {
  const found = await table.holding(position);
  if (found !== undefined) return unseal(found.stored, found.previous.hash);
  const head = (await table.head()).position;
  if (position < 1 || position > head) throw noEntry(position, head);
  throw damageError(position, "chain", "the batch that holds it is missing");
}

import type { Entry } from "../../machine/entry.ts";
import { JournalError, type PageLimit } from "../journal.ts";
import { createPage, type Joint } from "../page.ts";
import { genesis } from "../seal.ts";
import { type StoredBatch, unseal } from "../unseal.ts";
import { batchIndex, headOf, type MemoryStore } from "./disk.ts";

export function readPage(store: MemoryStore, after: number, limit: PageLimit): readonly Entry[] {
  const start = batchIndex(store.batches, after + 1);
  const page = createPage(after, jointBefore(store, start), limit);
  for (let index = start; index < store.batches.length; index += 1) {
    if (!page.take(store.batches[index] as StoredBatch)) break;
  }
  return page.entries;
}

export function readPositions(store: MemoryStore, positions: readonly number[]): readonly Entry[] {
  return positions.map((position) => {
    const index = batchIndex(store.batches, position);
    const stored = store.batches[index];
    if (stored === undefined || position < stored.first) throw noEntry(position, store.head().position);
    return unseal(stored, jointBefore(store, index).hash).entry(position);
  });
}

function jointBefore(store: MemoryStore, index: number): Joint {
  const before = store.batches[index - 1];
  return before === undefined ? genesis : headOf(before);
}

function noEntry(position: number, head: number): JournalError {
  const message = `There is no entry at position ${position}; the last one is ${head}.`;
  return new JournalError("invalid", message, { certain: true });
}

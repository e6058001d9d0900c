import type { Entry } from "../../machine/entry.ts";
import type { FollowResult, Head, PageLimit } from "../journal.ts";
import { createEntryPage, createBatchPage, noEntry } from "../entry-page.ts";
import { genesis } from "../seal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { headOf, unseal } from "../unseal.ts";
import { batchIndex, type MemoryStore } from "./disk.ts";

export function readPage(store: MemoryStore, after: number, limit: PageLimit): readonly Entry[] {
  const start = batchIndex(store.batches, after + 1);
  const page = createEntryPage(after, endBefore(store, start), limit);
  for (const batch of store.batches.slice(start)) {
    if (!page.add(batch)) break;
  }
  return page.entries;
}

export function followPage(store: MemoryStore, after: Head, limit: PageLimit): FollowResult {
  const start = batchIndex(store.batches, after.position + 1);
  const previous = endBefore(store, start);
  if (previous.position !== after.position || previous.hash !== after.hash) return { kind: "diverged" };
  const page = createBatchPage(after, limit);
  for (const batch of store.batches.slice(start)) {
    if (!page.add(batch)) break;
  }
  return { kind: "followed", entries: page.entries, head: page.head() };
}

export function readPositions(store: MemoryStore, positions: readonly number[]): readonly Entry[] {
  return positions.map((position) => {
    const index = batchIndex(store.batches, position);
    const stored = store.batches[index];
    if (stored === undefined || position < stored.first) throw noEntry(position, store.head().position);
    return unseal(stored, endBefore(store, index).hash).entry(position);
  });
}

function endBefore(store: MemoryStore, index: number): BatchEnd {
  const before = store.batches[index - 1];
  return before === undefined ? genesis : headOf(before);
}

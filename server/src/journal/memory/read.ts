import type { Entry } from "../../machine/entry.ts";
import type { Followed, Head, PageLimit } from "../journal.ts";
import { createPage, createWholeBatches, type Joint, noEntry } from "../page.ts";
import { genesis } from "../seal.ts";
import { headOf, unseal } from "../unseal.ts";
import { batchIndex, type MemoryStore } from "./disk.ts";

export function readPage(store: MemoryStore, after: number, limit: PageLimit): readonly Entry[] {
  const start = batchIndex(store.batches, after + 1);
  const page = createPage(after, jointBefore(store, start), limit);
  for (const batch of store.batches.slice(start)) {
    if (!page.take(batch)) break;
  }
  return page.entries;
}

export function followPage(store: MemoryStore, after: Head, limit: PageLimit): Followed {
  const start = batchIndex(store.batches, after.position + 1);
  const joint = jointBefore(store, start);
  if (joint.position !== after.position || joint.hash !== after.hash) return { kind: "diverged" };
  const taken = createWholeBatches(after, limit);
  for (const batch of store.batches.slice(start)) {
    if (!taken.take(batch)) break;
  }
  return { kind: "followed", entries: taken.entries, head: taken.head() };
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

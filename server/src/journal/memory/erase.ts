import { eraseFromBatch } from "../erase-from-batch.ts";
import { noEntry } from "../entry-page.ts";
import { batchIndex, type MemoryStore } from "./disk.ts";

export function erasePayload(store: MemoryStore, position: number, by: number): void {
  const index = batchIndex(store.batches, position);
  const stored = store.batches[index];
  if (stored === undefined || position < stored.first) {
    throw noEntry(position, store.head().position);
  }
  store.batches[index] = eraseFromBatch(stored, position, by);
}

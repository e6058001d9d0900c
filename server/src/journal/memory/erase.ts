import { eraseFromBatch } from "../erase-from-batch.ts";
import { JournalError } from "../journal.ts";
import { batchIndex, type MemoryStore } from "./disk.ts";

export function erasePayload(store: MemoryStore, position: number, by: number): void {
  const index = batchIndex(store.batches, position);
  const stored = store.batches[index];
  if (stored === undefined || position < stored.first) {
    throw new JournalError("invalid", `There is no entry at position ${String(position)}.`, { certain: true });
  }
  store.batches[index] = eraseFromBatch(stored, position, by);
}

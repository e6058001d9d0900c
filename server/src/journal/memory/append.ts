import type { AppendResult } from "../journal.ts";
import { checkPredecessor } from "../check-predecessor.ts";
import type { SealedBatch } from "../seal.ts";
import { headOf } from "../unseal.ts";
import { batchIndex, type MemoryStore } from "./disk.ts";

export function appendBatch(store: MemoryStore, batch: SealedBatch): AppendResult {
  const { after, head, entries, lines } = batch;
  const verdict = checkPredecessor(batch, store.head(), (position) => {
    const at = store.batches[batchIndex(store.batches, position)];
    return at !== undefined && headOf(at).position === position ? at.hash : undefined;
  });
  if (verdict.kind !== "appended") return verdict;
  store.batches.push({
    first: after.position + 1,
    count: entries.length,
    time: head.time,
    previous: after.hash,
    hash: head.hash,
    lines,
  });
  store.index().add(entries);
  return verdict;
}

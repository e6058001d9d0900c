/**
 * The part of a memory journal that survives a simulated crash of its process: sealed batches and their index. Several
 * journals, one for each node, may share a disk. The disk stores the same lines as a real store, so tests and simulation
 * use the same encoding, hashing and verification.
 */
import type { SyncCheckpointStore } from "../checkpoint.ts";
import { type ErasureMark, noErasureMark } from "../erasure-mark.ts";
import type { Head } from "../journal.ts";
import { createIndexTail, type IndexTail } from "../index-tail.ts";
import { genesis } from "../seal.ts";
import { headOf, type StoredBatch, unseal } from "../unseal.ts";
import { createMemoryCheckpoints } from "./checkpoints.ts";

export interface MemoryDisk {
  /** Rolls the history back: drops every batch that ends after this position. */
  truncate(position: number): void;
}

/** The internals of a disk. Only the memory journal uses them. */
export interface MemoryStore extends MemoryDisk {
  readonly batches: StoredBatch[];
  readonly listeners: Set<() => void>;
  readonly checkpoints: SyncCheckpointStore;
  erasureMark: ErasureMark;
  index(): IndexTail;
  head(): Head;
}

export function createMemoryDisk(): MemoryDisk {
  const batches: StoredBatch[] = [];
  let index = createIndexTail();
  const store: MemoryStore = {
    batches,
    listeners: new Set(),
    checkpoints: createMemoryCheckpoints((head) => {
      const batch = batches[batchIndex(batches, head.position)];
      return batch?.hash === head.hash;
    }),
    erasureMark: noErasureMark,
    index: () => index,
    head() {
      const last = batches.at(-1);
      return last === undefined ? genesis : headOf(last);
    },
    truncate(position) {
      while (batches.length > 0 && store.head().position > position) batches.pop();
      store.erasureMark = noErasureMark;
      index = createIndexTail();
      for (const batch of batches) index.add(unseal(batch, batch.previous).indexed());
    },
  };
  return store;
}

/** The index of the batch that holds a position, or the index at which it would be inserted. */
export function batchIndex(batches: readonly StoredBatch[], position: number): number {
  let low = 0;
  let high = batches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const batch = batches[middle];
    if (batch !== undefined && batch.first + batch.count <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What survives when a process that uses the memory journal "crashes": sealed batches and their index. Several
 * journals, as of several nodes, may share one. It stores the same lines as a real store, so that tests and
 * simulation go through the same encoding, hashing and proving.
 */
import type { SyncCheckpointStore } from "../checkpoint.ts";
import { type ErasureMark, noErasureMark } from "../erasure-mark.ts";
import type { Head } from "../journal.ts";
import { createIndexTail, type IndexTail } from "../index-tail.ts";
import { genesis } from "../seal.ts";
import { headOf, type StoredBatch, unseal } from "../unseal.ts";
import { createMemoryCheckpoints } from "./checkpoints.ts";

export interface MemoryDisk {
  /** Makes history go back: drops every batch that ends after this position. */
  truncate(position: number): void;
}

/** The inside of a disk, for the memory journal alone. */
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

/** The index of the batch that holds a position, or where it would be. */
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

import type { AppendResult, Journal } from "../../server/src/journal/journal.ts";
import type { MemoryStore } from "../../server/src/journal/memory/disk.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { simulatedMachine } from "./simulated-machine.ts";

export type WriteBatch = (store: MemoryStore, batch: SealedBatch) => AppendResult;

/** A way in which Holdfast could be wrong, put around its parts from outside. */
export interface Mutant {
  readonly journal: (journal: Journal) => Journal;
  readonly write: (store: MemoryStore, batch: SealedBatch, write: WriteBatch) => AppendResult;
  readonly machine: () => Machine;
  /** Changes a part for the time of a run; returns the way back. */
  readonly patch: () => () => void;
}

/** Holdfast as it is. */
export const unchanged: Mutant = {
  journal: (journal) => journal,
  write: (store, batch, write) => write(store, batch),
  machine: () => simulatedMachine(),
  patch: () => () => {},
};

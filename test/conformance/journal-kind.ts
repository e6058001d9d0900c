import type { Journal } from "../../server/src/journal/journal.ts";

/** One store, from its creation to its clean-up. */
export interface JournalStore {
  /** Opens the store, which nobody has open unless the kind is shared. */
  open(): Promise<Journal>;
  /** Drops a journal as a crash would: nothing is flushed or closed in order. The next open() finds what was left. */
  crash(journal: Journal): Promise<void>;
  /** Loses the rebuildable index of a store that nobody has open. */
  loseIndex(): Promise<void>;
  cleanUp(): Promise<void>;
}

export interface JournalKind {
  readonly name: string;
  /** True if several journals may have one store open at once. */
  readonly shared: boolean;
  /** True if old batches can be moved to another place; one that has none says that it moved nothing. */
  readonly archives: boolean;
  create(): Promise<JournalStore>;
}

/** Runs with a fresh store and an open journal on it, and cleans up whatever happens. */
export type WithJournal = (work: (journal: Journal, store: JournalStore) => Promise<void>) => () => Promise<void>;

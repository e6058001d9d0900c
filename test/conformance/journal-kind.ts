import type { Journal } from "../../server/src/journal/journal.ts";

/** One store, from its creation to its clean-up. */
export interface JournalStore {
  /** Opens the store. Unless the kind is shared, no other journal may have it open. */
  open(): Promise<Journal>;
  /** Drops a journal as a crash would, without a flush or an orderly close. The next open() finds the remaining files. */
  crash(journal: Journal): Promise<void>;
  /** Deletes the rebuildable index of a closed store. */
  loseIndex(): Promise<void>;
  cleanUp(): Promise<void>;
}

export interface JournalKind {
  readonly name: string;
  /** True if several journals may have one store open at once. */
  readonly isShared: boolean;
  /** True if old batches can be moved to an archive. Otherwise `archive` must report that it moved nothing. */
  readonly canArchive: boolean;
  create(): Promise<JournalStore>;
}

/** Runs the work with a new store and an open journal on it, and always cleans up. */
export type WithJournal = (work: (journal: Journal, store: JournalStore) => Promise<void>) => () => Promise<void>;

/**
 * One suite for every journal: the promises in the header of journal.ts. A journal joins with a JournalKind, and
 * everything that a store may do differently (share, crash, lose its index) is asked through it.
 */
import { suite } from "node:test";
import type { Journal } from "../../server/src/journal/journal.ts";
import { appendPromises } from "./append-promises.ts";
import { checkpointPromises } from "./checkpoint-promises.ts";
import { indexPromises } from "./index-promises.ts";
import { readPromises } from "./read-promises.ts";
import { reopenPromises } from "./reopen-promises.ts";
import { upkeepPromises } from "./upkeep-promises.ts";

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

export function journalSuite(kind: JournalKind): void {
  const withJournal: WithJournal = (work) => async () => {
    const store = await kind.create();
    try {
      const journal = await store.open();
      try {
        await work(journal, store);
      } finally {
        await journal.close();
      }
    } finally {
      await store.cleanUp();
    }
  };
  suite(`${kind.name} journal`, () => {
    appendPromises(withJournal, kind);
    readPromises(withJournal);
    indexPromises(withJournal);
    reopenPromises(withJournal, kind);
    checkpointPromises(withJournal);
    upkeepPromises(withJournal, kind);
  });
}

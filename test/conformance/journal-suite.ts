/**
 * One suite for every journal. It proves the guarantees in the header of journal.ts. A journal joins with a
 * JournalKind, which covers all differences between stores: sharing, crashes and the loss of the index.
 */
import { suite } from "node:test";
import { appendPromises } from "./append-promises.ts";
import { checkpointPromises } from "./checkpoint-promises.ts";
import { indexPromises } from "./index-promises.ts";
import type { JournalKind, WithJournal } from "./journal-kind.ts";
import { readPromises } from "./read-promises.ts";
import { reopenPromises } from "./reopen-promises.ts";
import { upkeepPromises } from "./upkeep-promises.ts";

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

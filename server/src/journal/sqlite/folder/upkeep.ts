/** The long work on a journal: one piece at a time, in steps, while commands go on. */
import type { ArchiveResult } from "../../journal.ts";
import { archiveBatches, deleteArchivedRows, cleanUpArchive } from "../archive/archive-batches.ts";
import { type EraseParts, erasePayload, finishErasure } from "../erase.ts";

export interface Upkeep {
  /** Does what a kill left undone. */
  resume(): Promise<void>;
  archive(to: number): Promise<ArchiveResult>;
  erase(position: number, by: number): Promise<void>;
  /** Waits for what is under way. */
  settled(): Promise<void>;
}

export function createUpkeep(parts: EraseParts): Upkeep {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(() => {
      parts.throwIfClosing();
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    resume: async () => {
      cleanUpArchive(parts);
      await deleteArchivedRows(parts);
      await finishErasure(parts);
    },
    archive: (to) => inTurn(() => archiveBatches(parts, to)),
    erase: (position, by) => inTurn(() => erasePayload(parts, position, by)),
    settled: async () => {
      await last;
    },
  };
}

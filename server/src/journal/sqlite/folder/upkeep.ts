/** Long work on a journal: archive and erasure. One task runs at a time, in steps, while the engine executes commands. */
import type { ArchiveResult } from "../../journal.ts";
import { archiveBatches, deleteArchivedRows, cleanUpArchive } from "../archive/archive-batches.ts";
import { type EraseParts, erasePayload, finishErasure } from "../erase.ts";

export interface Upkeep {
  /** Completes work that a kill interrupted. */
  resume(): Promise<void>;
  archive(to: number): Promise<ArchiveResult>;
  erase(position: number, by: number): Promise<void>;
  /** Waits for the running task. */
  settled(): Promise<void>;
}

export function createUpkeep(parts: EraseParts): Upkeep {
  let last: Promise<unknown> = Promise.resolve();

  function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const task = last.then(() => {
      parts.throwIfClosing();
      return work();
    });
    last = task.catch(() => undefined);
    return task;
  }

  return {
    resume: async () => {
      cleanUpArchive(parts);
      await deleteArchivedRows(parts);
      await finishErasure(parts);
    },
    archive: (to) => enqueue(() => archiveBatches(parts, to)),
    erase: (position, by) => enqueue(() => erasePayload(parts, position, by)),
    settled: async () => {
      await last;
    },
  };
}

import { type IndexThread, openIndexThread } from "../../server/src/journal/sqlite/index/index-thread.ts";

interface WatchedIndexThread {
  readonly openThread: (folder: string) => IndexThread;
  /** Waits for the running flush, whether it succeeds or fails. */
  settled(): Promise<void>;
  /** Waits until the filter holds every key. */
  filled(): Promise<void>;
  flushCount(): number;
}

/** A real index thread whose flushes a test can wait for. */
export function watchIndexThread(open: (folder: string) => IndexThread = openIndexThread): WatchedIndexThread {
  let thread: IndexThread | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    openThread: (folder) => {
      const opened = open(folder);
      thread = opened;
      return {
        ...opened,
        flush: (target) => {
          const flush = opened.flush(target);
          last = flush.catch(() => undefined);
          count += 1;
          return flush;
        },
      };
    },
    async settled() {
      await last;
      // The index itself follows the same promise. It has run once another turn of the loop has passed.
      await new Promise((resolve) => setImmediate(resolve));
    },
    async filled() {
      while (thread?.filter() === undefined) await new Promise((resolve) => setImmediate(resolve));
    },
    flushCount: () => count,
  };
}

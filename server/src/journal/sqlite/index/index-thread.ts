/**
 * Runs the index builder in a thread. The thread reads journal.db itself, so a flush costs the event loop one message. It
 * starts with the first order: a short program never needs it.
 */
import { Worker } from "node:worker_threads";
import type { BatchEnd } from "../../sealed-batch.ts";
import { createKeyFilter, type KeyFilter } from "./key-filter.ts";

export interface IndexThread {
  /** Starts to fill the filter. A later call changes nothing. */
  start(): void;
  /** Adds the rows of all batches up to the target to index.db. One flush runs at a time. */
  flush(target: BatchEnd): Promise<void>;
  /** Keeps the program running until the flush ends, because an append or the end of the thread waits for it. */
  keepAlive(flush: Promise<void>): Promise<void>;
  /** The filter over the keys of index.db, once it is filled. A flush updates it before it ends. */
  filter(): KeyFilter | undefined;
  /** Ends the thread, after a flush that is running. */
  close(): Promise<void>;
}

export type IndexOrder = { readonly kind: "flush"; readonly target: BatchEnd } | { readonly kind: "close" };

export type IndexReport =
  | { readonly kind: "filled"; readonly filter: readonly SharedArrayBuffer[] }
  | { readonly kind: "flushed"; readonly filter: readonly SharedArrayBuffer[] | undefined }
  | { readonly kind: "failed"; readonly message: string };

/** The worker file next to this one, as source or as built. */
const workerUrl = new URL(`./index-worker${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

export function openIndexThread(folder: string): IndexThread {
  let worker: Worker | undefined;
  let filter: KeyFilter | undefined;
  let running: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  function take(report: IndexReport): void {
    if (report.kind !== "failed" && report.filter !== undefined) filter = createKeyFilter(report.filter);
    if (report.kind === "flushed") running?.resolve();
    if (report.kind === "failed") running?.reject(new Error(report.message));
  }

  /** The next order starts a new thread. The filter of a dead thread gets no new keys, so it must not be used. */
  function end(ended: Worker, error: Error): void {
    if (worker !== ended) return;
    worker = undefined;
    filter = undefined;
    running?.reject(error);
  }

  function started(): Worker {
    if (worker !== undefined) return worker;
    const thread = new Worker(workerUrl, { workerData: folder });
    worker = thread;
    thread.on("message", take);
    thread.on("error", (error: Error) => {
      end(thread, error);
    });
    thread.on("exit", (code) => {
      end(thread, new Error(`the index thread ended with exit code ${String(code)}`));
    });
    // A lost flush is folded again, so the thread does not keep a program running.
    thread.unref();
    return thread;
  }

  return {
    start: () => void started(),
    async flush(target) {
      try {
        await new Promise<void>((resolve, reject) => {
          running = { resolve, reject };
          started().postMessage({ kind: "flush", target } satisfies IndexOrder);
        });
      } finally {
        running = undefined;
      }
    },
    async keepAlive(flush) {
      const thread = worker;
      thread?.ref();
      try {
        await flush;
      } finally {
        thread?.unref();
      }
    },
    filter: () => filter,
    async close() {
      const thread = worker;
      if (thread === undefined) return;
      thread.ref();
      const ended = new Promise((resolve) => thread.once("exit", resolve));
      thread.postMessage({ kind: "close" } satisfies IndexOrder);
      await ended;
    },
  };
}

/**
 * The index in three layers: the stored part, the tail that is being flushed to it, and the open tail. A thread writes the
 * stored part. An error of index.db never fails an append, because the batch is already durable. The tails stay in memory,
 * and a later append retries the flush.
 */
import { createIndexTail, findInLayers, type IndexTail } from "../index-tail.ts";
import type { SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import type { IndexedEntry } from "../unseal.ts";
import { flushIndex } from "./flush-index.ts";
import type { IndexThread } from "./index/index-thread.ts";
import { createStoredKeys } from "./index/stored-keys.ts";
import type { SqliteIndexStore } from "./index-store.ts";

export interface SqliteLayeredIndex {
  /** The end of the last indexed batch. */
  end(): BatchEnd;
  /** Adds the entries of the next batch, and starts a flush if one is due. */
  add(entries: readonly IndexedEntry[], end: BatchEnd): void;
  findKeys(scopes: readonly string[]): readonly (number | undefined)[];
  findSubject(query: SubjectQuery): readonly number[];
  /** Answers `findSubject` if the tails in memory suffice. */
  findSubjectInMemory(query: SubjectQuery): readonly number[] | undefined;
  /** The running flush, if the tails hold so many rows that their owner must wait for it. */
  overdue(): Promise<void> | undefined;
  /** Waits for the running flush and ends the thread. */
  endThread(): Promise<void>;
  /** Flushes all tails, in steps. It stops at an error. The next open then folds the rest again. */
  flushAll(): Generator<undefined, void>;
}

interface SqliteLayeredIndexOptions {
  readonly store: SqliteIndexStore;
  readonly thread: IndexThread;
  /** Number of rows in the open tail at which a flush starts. */
  readonly tailRows: number;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of rows in the open tail while a flush runs, as a multiple of `tailRows`. */
const tailsPerFlushMax = 4;

export function createLayeredIndex(options: SqliteLayeredIndexOptions): SqliteLayeredIndex {
  const { store, thread, tailRows, onError } = options;
  let end = store.complete();
  let open = createIndexTail();
  let full: { readonly tail: IndexTail; readonly target: BatchEnd } | undefined;
  let flush: Promise<void> | undefined;
  /** Number of rows in the open tail at which the next flush, or the next attempt, starts. */
  let dueRows = tailRows;
  const findStored = createStoredKeys(store, thread);

  function start(): void {
    if (full === undefined) {
      full = { tail: open, target: end };
      open = createIndexTail();
    }
    flush = thread
      .flush(full.target)
      .then(
        () => {
          store.refresh();
          full = undefined;
          dueRows = tailRows;
        },
        (error: unknown) => {
          // The next attempt starts again. Writing a row twice is harmless.
          dueRows = open.rows() + Math.ceil(tailRows / 8);
          onError(error);
        },
      )
      .finally(() => {
        flush = undefined;
      });
  }

  return {
    end: () => end,
    add(entries, next) {
      open.add(entries);
      end = next;
      if (flush === undefined && open.rows() >= dueRows) start();
    },
    // The oldest layer first: its entries precede those of the layers above.
    findKeys(scopes) {
      const stored = findStored(scopes);
      return scopes.map((scope) => stored?.get(scope) ?? full?.tail.findKey(scope) ?? open.findKey(scope));
    },
    findSubjectInMemory(query) {
      if (query.order === "oldest-first") return undefined;
      const found = findInLayers(query, full === undefined ? [open] : [full.tail, open]);
      return found.length < query.limit && store.complete().position > 0 ? undefined : found;
    },
    findSubject: (query) => findInLayers(query, full === undefined ? [store, open] : [store, full.tail, open]),
    overdue: () =>
      flush !== undefined && open.rows() >= tailsPerFlushMax * tailRows ? thread.keepAlive(flush) : undefined,
    async endThread() {
      if (flush !== undefined) await thread.keepAlive(flush);
      await thread.close();
    },
    *flushAll() {
      const tails = [...(full === undefined ? [] : [full]), { tail: open, target: end }];
      try {
        for (const { tail, target } of tails) if (tail.rows() > 0) yield* flushIndex(tail, target, store);
        if (store.complete().position !== end.position) store.finish(end);
      } catch (error) {
        onError(error);
      }
    },
  };
}

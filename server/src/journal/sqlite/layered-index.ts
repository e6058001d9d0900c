/**
 * The index in three layers: the stored part, the tail that is being flushed to it, and the open tail. An error of
 * index.db never fails an append, because the batch is already durable. The tails stay in memory, and a later append
 * retries the flush.
 */
import { createIndexTail, findInLayers, type IndexTail } from "../index-tail.ts";
import type { SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import type { IndexedEntry } from "../unseal.ts";
import { flushIndex, stepsFor } from "./flush-index.ts";
import type { SqliteIndexStore } from "./index-store.ts";

export interface SqliteLayeredIndex {
  /** The end of the last indexed batch. */
  end(): BatchEnd;
  /** Adds the entries of the next batch, and runs the next steps of a flush if one is due. */
  add(entries: readonly IndexedEntry[], end: BatchEnd): void;
  findKeys(scopes: readonly string[]): readonly (number | undefined)[];
  findSubject(query: SubjectQuery): readonly number[];
  /** Answers `findSubject` if the tails in memory suffice. */
  findSubjectInMemory(query: SubjectQuery): readonly number[] | undefined;
  /** Flushes all tails, in steps. It stops at an error. The next open then folds the rest again. */
  flushAll(): Generator<undefined, void>;
}

interface SqliteLayeredIndexOptions {
  readonly store: SqliteIndexStore;
  /** Number of rows in the open tail at which a flush starts. */
  readonly tailRows: number;
  readonly onError: (error: unknown) => void;
}

export function createLayeredIndex({ store, tailRows, onError }: SqliteLayeredIndexOptions): SqliteLayeredIndex {
  let end = store.complete();
  let open = createIndexTail();
  let full: { readonly tail: IndexTail; readonly target: BatchEnd } | undefined;
  let flush: Generator<undefined, void> | undefined;
  /** Number of rows in the open tail at which the next flush, or the next attempt, starts. */
  let dueRows = tailRows;

  function start(): void {
    if (full === undefined) {
      full = { tail: open, target: end };
      open = createIndexTail();
    }
    flush = flushIndex(full.tail, full.target, store);
  }

  /** Runs one step of the flush. Returns false at its end or on an error. */
  function step(): boolean {
    if (flush === undefined) return false;
    try {
      if (flush.next().done !== true) return true;
      full = undefined;
      dueRows = tailRows;
    } catch (error) {
      // A generator that threw cannot continue, so the next attempt starts again. Writing a row twice is harmless.
      dueRows = open.rows() + Math.ceil(tailRows / 8);
      onError(error);
    }
    flush = undefined;
    return false;
  }

  return {
    end: () => end,
    add(entries, next) {
      const before = open.rows();
      open.add(entries);
      end = next;
      let steps = stepsFor(open.rows() - before);
      if (flush === undefined && open.rows() >= dueRows) start();
      while (steps > 0 && step()) steps -= 1;
    },
    // The oldest layer first: its entries precede those of the layers above.
    findKeys(scopes) {
      const stored = store.findKeys(scopes);
      return scopes.map((scope, index) => stored[index] ?? full?.tail.findKey(scope) ?? open.findKey(scope));
    },
    findSubjectInMemory(query) {
      if (query.order === "oldest-first") return undefined;
      const found = findInLayers(query, full === undefined ? [open] : [full.tail, open]);
      return found.length < query.limit && store.complete().position > 0 ? undefined : found;
    },
    findSubject: (query) => findInLayers(query, full === undefined ? [store, open] : [store, full.tail, open]),
    *flushAll() {
      while (flush !== undefined || full !== undefined || open.rows() > 0) {
        if (flush === undefined) start();
        while (step()) yield;
        if (full !== undefined) return;
      }
      if (store.complete().position !== end.position) store.finish(end);
    },
  };
}

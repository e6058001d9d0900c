/**
 * The index as the journal asks it: the stored part below, then the tail that is being written to it, then the open
 * tail. Trouble with index.db never fails an append, which is durable by then: the tails stay in memory and the flush
 * is tried again later.
 */
import { createIndexTail, findInLayers, type IndexTail } from "../index-tail.ts";
import type { SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import type { IndexedEntry } from "../unseal.ts";
import { flushIndex, stepsFor } from "./flush-index.ts";
import type { SqliteIndexStore } from "./index-store.ts";

export interface SqliteLayeredIndex {
  /** The last batch that is indexed. */
  end(): BatchEnd;
  /** Adds the next batch's entries, and goes on with a flush if one is due. */
  add(entries: readonly IndexedEntry[], end: BatchEnd): void;
  findKeys(scopes: readonly string[]): readonly (number | undefined)[];
  findSubject(query: SubjectQuery): readonly number[];
  /** The same, if what is in memory is enough for the answer. */
  findSubjectInMemory(query: SubjectQuery): readonly number[] | undefined;
  /** Writes all that is in memory, in steps. Stops early on trouble: the next open folds the rest again. */
  flushAll(): Generator<undefined, void>;
}

export interface SqliteLayeredIndexOptions {
  readonly store: SqliteIndexStore;
  /** A flush starts when the open tail has so many rows. */
  readonly tailRows: number;
  readonly onError: (error: unknown) => void;
}

export function createLayeredIndex({ store, tailRows, onError }: SqliteLayeredIndexOptions): SqliteLayeredIndex {
  let end = store.complete();
  let open = createIndexTail();
  let full: { readonly tail: IndexTail; readonly target: BatchEnd } | undefined;
  let flush: Generator<undefined, void> | undefined;
  /** The open tail must have so many rows before a flush starts, or starts again. */
  let due = tailRows;

  function start(): void {
    if (full === undefined) {
      full = { tail: open, target: end };
      open = createIndexTail();
    }
    flush = flushIndex(full.tail, full.target, store);
  }

  /** One step of the flush. Returns false once there is nothing left to do, or on trouble. */
  function step(): boolean {
    if (flush === undefined) return false;
    try {
      if (flush.next().done !== true) return true;
      full = undefined;
      due = tailRows;
    } catch (error) {
      // From the start, later: a generator that threw can not go on, and writing a row twice does no harm.
      due = open.rows() + Math.ceil(tailRows / 8);
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
      if (flush === undefined && open.rows() >= due) start();
      while (steps > 0 && step()) steps -= 1;
    },
    // The oldest layer first: whatever it knows was used before anything above it.
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

/**
 * Opens the index of a journal. An unreadable index, or one of another history, is deleted and replaced by a new one. It
 * would return entries that do not exist, and all its rows can be folded again.
 */
import type { DatabaseSync } from "node:sqlite";
import type { BatchEnd } from "../../sealed-batch.ts";
import { genesis } from "../../seal.ts";
import type { SqliteBatchTable } from "../batch-table.ts";
import { deleteIndexFile, openIndexFile } from "./files.ts";
import { createIndexStore, type SqliteIndexStore } from "../index-store.ts";
import { type IndexThread, openIndexThread } from "../index/index-thread.ts";
import { createLayeredIndex, type SqliteLayeredIndex } from "../layered-index.ts";

/**
 * Rows of about 50,000 entries with a key and an event each. In a large index nearly every row is on its own page, so a
 * larger tail saves page writes. But the tail is in memory twice during a flush, and after a crash the next start folds
 * it again, which takes about 0.3 s.
 */
const defaultTailRows = 100_000;

interface OpenIndexOptions {
  readonly folder: string;
  readonly tailRows?: number;
  readonly onIndexError?: (error: unknown) => void;
  readonly openThread?: (folder: string) => IndexThread;
}

interface OpenedIndex {
  readonly index: SqliteLayeredIndex;
  readonly store: SqliteIndexStore;
}

export function openIndex(table: SqliteBatchTable, options: OpenIndexOptions): OpenedIndex {
  const { folder, tailRows = defaultTailRows, onIndexError: onError = () => undefined } = options;
  const { openThread = openIndexThread } = options;
  const store = openUsableStore(table, folder) ?? openNewStore(folder);
  return { index: createLayeredIndex({ store, thread: openThread(folder), tailRows, onError }), store };
}

function openUsableStore(table: SqliteBatchTable, folder: string): SqliteIndexStore | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openIndexFile(folder);
    const store = createIndexStore(database);
    if (isInHistory(table, store.complete()) && isInHistory(table, store.begun())) return store;
  } catch {
    // Unreadable, or of a newer format. A new index replaces it in both cases.
  }
  database?.close();
  return undefined;
}

function openNewStore(folder: string): SqliteIndexStore {
  deleteIndexFile(folder);
  return createIndexStore(openIndexFile(folder));
}

function isInHistory(table: SqliteBatchTable, end: BatchEnd | undefined): boolean {
  if (end === undefined || end.position === 0) return end === undefined || end.hash === genesis.hash;
  return table.hashAt(end.position) === end.hash;
}

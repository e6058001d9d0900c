/**
 * Opens the index of a journal, or a new one: an index that can not be read, or that was made for another history,
 * is deleted. It would answer for entries that do not exist, and everything in it can be folded again.
 */
import type { DatabaseSync } from "node:sqlite";
import type { BatchEnd } from "../../sealed-batch.ts";
import { genesis } from "../../seal.ts";
import type { SqliteBatchTable } from "../batch-table.ts";
import { deleteIndexFile, openIndexFile } from "./files.ts";
import { createIndexStore, type SqliteIndexStore } from "../index-store.ts";
import { createLayeredIndex, type SqliteLayeredIndex } from "../layered-index.ts";

/**
 * About 50,000 entries with a key and an event each. More saves writing, because in a large index nearly every row
 * lies on a page of its own; but it all is in memory twice while it is flushed, and a crash makes the next start fold
 * it again (about 0.3 s).
 */
const defaultTailRows = 100_000;

export interface OpenIndexOptions {
  readonly folder: string;
  readonly tailRows?: number;
  readonly onIndexError?: (error: unknown) => void;
}

export interface OpenedIndex {
  readonly index: SqliteLayeredIndex;
  readonly store: SqliteIndexStore;
}

export function openIndex(table: SqliteBatchTable, options: OpenIndexOptions): OpenedIndex {
  const { folder, tailRows = defaultTailRows, onIndexError: onError = () => undefined } = options;
  const store = openUsableStore(table, folder) ?? openNewStore(folder);
  return { index: createLayeredIndex({ store, tailRows, onError }), store };
}

function openUsableStore(table: SqliteBatchTable, folder: string): SqliteIndexStore | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openIndexFile(folder);
    const store = createIndexStore(database);
    if (isInHistory(table, store.complete()) && isInHistory(table, store.begun())) return store;
  } catch {
    // Unreadable, or of a newer format: not worth a difference, a new one is as good.
  }
  database?.close();
  return undefined;
}

function openNewStore(folder: string): SqliteIndexStore {
  deleteIndexFile(folder);
  return createIndexStore(openIndexFile(folder));
}

function isInHistory(table: SqliteBatchTable, joint: BatchEnd | undefined): boolean {
  if (joint === undefined || joint.position === 0) return joint === undefined || joint.hash === genesis.hash;
  return table.hashAt(joint.position) === joint.hash;
}

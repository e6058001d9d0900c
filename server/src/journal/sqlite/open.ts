/**
 * The journal in a folder of SQLite files, with one owner. Calls are asynchronous by the port and synchronous inside:
 * each one runs as a whole, and an append is on the disk when it returns.
 */
import type { DatabaseSync } from "node:sqlite";
import { type Journal, JournalError } from "../journal.ts";
import { unseal } from "../unseal.ts";
import { createAppend } from "./append.ts";
import { type BatchTable, createBatchTable } from "./batch-table.ts";
import { SqliteCheckpoints } from "./checkpoints.ts";
import { openJournalFile } from "./files.ts";
import { catchUp, createIndexedAppend } from "./indexed-append.ts";
import { makeFolder } from "./make-folder.ts";
import { mapError, resultCode } from "./map-error.ts";
import { openIndex } from "./open-index.ts";
import { ownFolder } from "./own-folder.ts";
import { followPage, readPage, readPositions } from "./read.ts";

export interface SqliteJournalOptions {
  readonly folder: string;
  /** When the process started, for whoever finds the folder in use. */
  readonly startedAt: string;
  readonly space?: string;
  /** How many index rows are kept in memory before they are written to index.db. */
  readonly tailRows?: number;
  /** Lets others run while a long index is built at open or written at close. */
  readonly yieldToLoop?: () => Promise<void>;
  /** Hears that index.db could not be written. No entry is lost by it; memory grows until it works again. */
  readonly onIndexTrouble?: (error: unknown) => void;
  /** Hears that checkpoint.db could not be used and was deleted. The next start folds more. */
  readonly onCheckpointTrouble?: (error: unknown) => void;
}

export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { folder, startedAt, space = "main" } = options;
  makeFolder(folder);
  const giveBack = ownFolder(folder, startedAt);
  let database: DatabaseSync | undefined;
  try {
    database = openJournalFile(folder, space);
    return await assembleSqliteJournal(database, giveBack, options);
  } catch (error) {
    database?.close();
    giveBack();
    throw resultCode(error) === 0 ? error : mapError(error, folder, true);
  }
}

/** Puts a journal together around its open file. Apart from openSqliteJournal only tests need it, to make the file fail. */
export async function assembleSqliteJournal(
  database: DatabaseSync,
  giveBack: () => void,
  options: Omit<SqliteJournalOptions, "startedAt">,
): Promise<Journal> {
  const { yieldToLoop = () => Promise.resolve() } = options;
  const table = createBatchTable(database);
  proveHead(table);
  const { index, store } = openIndex(table, options);
  let checkpoints: SqliteCheckpoints;
  try {
    checkpoints = new SqliteCheckpoints({
      folder: options.folder,
      isInHistory: ({ position, hash }) => table.hashAt(position) === hash,
      onTrouble: options.onCheckpointTrouble,
    });
    for (const _batch of catchUp(table, index)) await yieldToLoop();
  } catch (error) {
    store.close();
    throw error;
  }
  const indexed = createIndexedAppend(createAppend(database, table), table, index);
  let closing: Promise<void> | undefined;

  async function use<Result>(work: () => Result): Promise<Result> {
    if (closing !== undefined) throw new JournalError("closed", "The journal is closed.", { certain: true });
    try {
      return await Promise.resolve(work());
    } catch (error) {
      // What is not SQLite's stays what it is: a bug must not look like a bad disk.
      throw resultCode(error) === 0 ? error : mapError(error, options.folder, true);
    }
  }

  async function close(): Promise<void> {
    // What can not be flushed is folded again at the next open, so the folder is given back whatever happens.
    try {
      for (const _step of index.flushAll()) await yieldToLoop();
    } catch (error) {
      options.onIndexTrouble?.(error);
    } finally {
      checkpoints.close();
      store.close();
      database.close();
      giveBack();
    }
  }

  return {
    head: () => use(() => table.head()),
    append: (batch) => use(() => indexed.append(batch)),
    follow: (after, limit) => use(() => followPage(table, after, limit)),
    read: (after, limit) => use(() => readPage(table, after, limit)),
    readAt: (positions) => use(() => readPositions(table, positions)),
    findKeys: (scopes) => use(() => indexed.index().findKeys(scopes)),
    findSubject: (query) => use(() => indexed.index().findSubject(query)),
    checkpoints,
    erase: () => Promise.reject(new JournalError("unsupported", "Not yet.", { certain: true })),
    archive: () => Promise.reject(new JournalError("unsupported", "Not yet.", { certain: true })),
    forkedBecause: undefined,
    settleFork: () => Promise.resolve(),
    // Nobody else can append to a folder that has one owner.
    onWake: () => () => undefined,
    close: () => (closing ??= close()),
  };
}

/** The head is what every append compares with: if its own row lies, everything after it would. */
function proveHead(table: BatchTable): void {
  const { position } = table.head();
  const stored = table.holding(position);
  if (stored !== undefined) unseal(stored, table.jointBefore(stored.first).hash);
}

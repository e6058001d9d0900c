/**
 * The journal in a folder of SQLite files, with one owner. The port is asynchronous, but each call runs synchronously.
 * Calls therefore never interleave, and an append is on the disk when it returns.
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { erasureMarkText, readErasureMark } from "../erasure-mark.ts";
import { JournalError, type LocalJournal } from "../journal.ts";
import { createAppend } from "./append.ts";
import { openJournalFile } from "./folder/files.ts";
import { createIndexedAppend } from "./indexed-append.ts";
import { makePrivateFolder } from "./folder/make-folder.ts";
import { mapError, resultCode } from "./map-error.ts";
import { openParts } from "./folder/open-parts.ts";
import type { SqliteJournalOptions } from "./options.ts";
import { ownFolder } from "./folder/own-folder.ts";
import { requirePlainFiles } from "./folder/require-plain-files.ts";
import { requireSameFile } from "./folder/require-same-file.ts";
import { followPage, readPage, readPositions } from "./read.ts";

export async function openSqliteJournal(options: SqliteJournalOptions): Promise<LocalJournal> {
  const { folder, startedAt, space = "main" } = options;
  makePrivateFolder(folder, (warning) => options.onRepair?.(warning));
  requirePlainFiles(folder);
  const release = ownFolder(folder, startedAt);
  let database: DatabaseSync | undefined;
  try {
    database = openJournalFile(folder, space);
    return await assembleSqliteJournal(database, release, options);
  } catch (error) {
    database?.close();
    release();
    throw resultCode(error) === 0 ? error : mapError(error, folder, true);
  }
}

/** Assembles a journal around its open file. Besides openSqliteJournal, only tests use it, to make the file fail. */
export async function assembleSqliteJournal(
  database: DatabaseSync,
  release: () => void,
  options: Omit<SqliteJournalOptions, "startedAt">,
): Promise<LocalJournal> {
  const { yieldToLoop = () => Promise.resolve() } = options;
  let closing: Promise<void> | undefined;
  const parts = await openParts(database, { ...options, isClosing: () => closing !== undefined });
  const { table, index, indexStore, checkpoints, fork, upkeep, meta } = parts;
  const append = createAppend(database, table, requireSameFile(join(options.folder, "journal.db")));
  const indexed = createIndexedAppend(append, table, index);

  async function use<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (closing !== undefined) throw new JournalError("closed", "The journal is closed.", { certain: true });
    try {
      return await work();
    } catch (error) {
      // Other errors stay unchanged. A bug must not look like a disk error.
      throw resultCode(error) === 0 ? error : mapError(error, options.folder, true);
    }
  }

  async function close(): Promise<void> {
    // The next open folds the unflushed part of the index again, so an error must not keep the folder locked.
    try {
      await upkeep.settled();
      await index.endThread();
      for (const _step of index.flushAll()) await yieldToLoop();
    } catch (error) {
      options.onIndexError?.(error);
    } finally {
      checkpoints.close();
      indexStore.close();
      database.close();
      release();
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
    findSubjectInMemory: (query) => indexed.readyIndex()?.findSubjectInMemory(query),
    checkpoints,
    erase: (position, by) => use(() => upkeep.erase(position, by)),
    erasureMark: () => use(() => readErasureMark(meta.get("erasures"))),
    setErasureMark: (mark) =>
      use(() => {
        meta.set("erasures", erasureMarkText(mark));
      }),
    archive: (to) => use(() => upkeep.archive(to)),
    get forkReason() {
      return fork.reason();
    },
    get isForkImported() {
      return fork.isImported();
    },
    settleFork: () =>
      use(() => {
        fork.settle();
      }),
    // The folder has one owner, so no other node can append.
    onWake: () => () => undefined,
    close: () => (closing ??= close()),
  };
}

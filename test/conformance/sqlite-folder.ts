/** A temporary data folder for a test of the SQLite journal, and functions that bypass the journal. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Journal, JournalError, type JournalErrorCode } from "../../server/src/journal/journal.ts";
import { openJournalFile } from "../../server/src/journal/sqlite/folder/files.ts";
import { assembleSqliteJournal, openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { ownFolder } from "../../server/src/journal/sqlite/folder/own-folder.ts";

/** Runs a test with a folder that does not exist yet. The folder is removed afterwards. */
export function withFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const base = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
    try {
      await work(join(base, "data"));
    } finally {
      await rm(base, { recursive: true });
    }
  };
}

export async function openFolder(folder: string, tailRows = 100_000): Promise<Journal> {
  return openSqliteJournal({ folder, tailRows, startedAt: "2026-11-15T12:00:00Z" });
}

/** Opens a journal and returns its connection too, so that the test can make the connection fail. */
export async function openWithConnection(folder: string): Promise<{ journal: Journal; connection: DatabaseSync }> {
  await (await openFolder(folder)).close();
  const release = ownFolder(folder, "2026-11-15T12:00:00Z");
  const connection = openJournalFile(folder, "main");
  return { connection, journal: await assembleSqliteJournal(connection, release, { folder }) };
}

/** Runs SQL on a file of the folder over another connection. */
export function tamper(folder: string, file: "journal.db" | "index.db", sql: string, ...values: string[]): void {
  const database = new DatabaseSync(join(folder, file));
  try {
    database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}

/** Matches a JournalError, for assert.rejects. */
export function failure(code: JournalErrorCode, more: { certain?: boolean; position?: number; says?: RegExp } = {}) {
  return (error: unknown): boolean =>
    error instanceof JournalError &&
    error.code === code &&
    (more.certain === undefined || error.certain === more.certain) &&
    (more.position === undefined || error.position === more.position) &&
    (more.says === undefined || more.says.test(error.message));
}

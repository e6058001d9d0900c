import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";

/** Copies the write-ahead log into the database and truncates it, so that no old page remains in it. */
export function truncateWal(database: DatabaseSync, file: string): void {
  const result = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (result?.busy === 0) return;
  const message = `${file}: another connection is reading, so the write-ahead log cannot be truncated. Try again.`;
  throw new JournalError("busy", message, { certain: false });
}

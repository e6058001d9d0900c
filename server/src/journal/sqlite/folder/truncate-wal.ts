import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";

/** Copies everything from the write-ahead log into the database and empties it, so that no old page stays in there. */
export function truncateWal(database: DatabaseSync, file: string): void {
  const result = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (result?.busy === 0) return;
  const message = `${file}: somebody is reading it, so its log can not be emptied now. Try again.`;
  throw new JournalError("busy", message, { certain: false });
}

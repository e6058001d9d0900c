import type { DatabaseSync } from "node:sqlite";
import { tryRollBack } from "../append.ts";

/** Runs the work in a transaction of a file that can be rebuilt. It throws SQLite's own error, not a JournalError. */
export function transactRaw(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    tryRollBack(database);
    throw error;
  }
}

import type { DatabaseSync } from "node:sqlite";
import { tryRollBack } from "../append.ts";

/** All of it or nothing, in a file that may be lost: SQLite's own error goes on to whoever can do without it. */
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

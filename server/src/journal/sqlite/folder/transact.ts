import type { DatabaseSync } from "node:sqlite";
import { tryRollBack } from "../append.ts";
import { mapError } from "../map-error.ts";

/** Called between the steps of long work. Only tests use it, to kill the process there. */
export type StepHook = (name: string) => void;

/** Runs the work in a transaction of journal.db. Its changes are on the disk when it returns. */
export function transact(database: DatabaseSync, work: () => void): void {
  try {
    database.exec("BEGIN IMMEDIATE");
    work();
  } catch (error) {
    throw mapError(error, "journal.db", tryRollBack(database));
  }
  try {
    database.exec("COMMIT");
  } catch (error) {
    tryRollBack(database);
    throw mapError(error, "journal.db", false);
  }
}

/**
 * Appends a batch: one row, one transaction, on the disk before it returns.
 *
 * The certainty after a failure decides which answer the engine sends to its callers, so it is exact:
 * - Before COMMIT nothing is durable, provided that the transaction has ended. If ROLLBACK fails too, a later COMMIT
 *   might commit the transaction. Nothing is certain then.
 * - After a failed COMMIT nothing is certain. The frames may be complete in the WAL although the sync failed. No reader
 *   sees them and a later append overwrites them, but a crash before that append would recover them.
 *
 * Each append reads the head inside its transaction, so there is no cached head that could be wrong. The read takes 3 µs,
 * the sync 250 µs.
 */
import type { DatabaseSync } from "node:sqlite";
import type { AppendResult } from "../journal.ts";
import { checkPredecessor } from "../check-predecessor.ts";
import type { SealedBatch } from "../seal.ts";
import type { SqliteBatchTable } from "./batch-table.ts";
import { mapError } from "./map-error.ts";

export type SqliteAppend = (batch: SealedBatch) => AppendResult;

/** `requireFile` throws if the path of the database leads to another file or to none. */
export function createAppend(database: DatabaseSync, table: SqliteBatchTable, requireFile: () => void): SqliteAppend {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(
    "INSERT INTO batches (first, count, time, previous, hash, lines) VALUES (?, ?, ?, ?, ?, ?)",
  );

  function write({ after, head, entries, lines }: SealedBatch): void {
    insert.run(after.position + 1, entries.length, head.time, after.hash, head.hash, lines);
  }

  function insertIfNext(batch: SealedBatch): AppendResult {
    try {
      rollBack(database);
      requireFile();
      begin.run();
      const verdict = checkPredecessor(batch, table.head(), (position) => table.hashAt(position));
      if (verdict.kind === "appended") write(batch);
      else rollBack(database);
      return verdict;
    } catch (error) {
      throw mapError(error, "journal.db", tryRollBack(database));
    }
  }

  return (batch) => {
    const verdict = insertIfNext(batch);
    if (verdict.kind !== "appended") return verdict;
    try {
      commit.run();
      return verdict;
    } catch (error) {
      tryRollBack(database);
      throw mapError(error, "journal.db", false);
    }
  };
}

/** Rolls back an open transaction. SQLite ends the transaction itself after some errors and leaves it open after others. */
function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Returns true if no transaction is open. It swallows its own error, because the caller's error is the cause. */
export function tryRollBack(database: DatabaseSync): boolean {
  try {
    rollBack(database);
  } catch {
    // The next append retries the rollback first.
  }
  return !database.isTransaction;
}

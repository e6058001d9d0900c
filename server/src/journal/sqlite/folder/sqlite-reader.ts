/**
 * Reads a journal without owning its folder, also while somebody else writes to it. It changes nothing: what a crash
 * left behind stays as it is, and so can be looked at.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Head, JournalError } from "../../journal.ts";
import type { StoredBatch } from "../../unseal.ts";
import { tryRollBack } from "../append.ts";
import { createBatchTable } from "../batch-table.ts";
import { newestFormat } from "../migrate.ts";
import { mapError } from "../map-error.ts";
import { verifyFiles } from "./verify-files.ts";
import type { FileFault } from "./verify-wal.ts";
import type { Segment } from "../archive/segment-file.ts";
import { createSegmentTable, type SegmentTable } from "../archive/segment-table.ts";
import { createCombinedBatchTable } from "../archive/combined-batch-table.ts";

export interface SqliteReader {
  head(): Head;
  /**
   * The stored batches from the one that holds a position, in order, as they are at the first step. If an erasure puts
   * another file in the place of an archive's, they go on as they are then: with all that was appended until there, since
   * an erased payload names the entry that erased it.
   */
  batches(from: number): Iterable<StoredBatch>;
  segments(): readonly Segment[];
  /** Looks at the files themselves, for damage that reading the batches does not show. Nothing: none was found. */
  verifyFiles(): readonly FileFault[];
  close(): void;
}

export function openSqliteReader(folder: string): SqliteReader {
  const database = openReadOnly(folder);
  const segments = createSegmentTable(database, folder);
  const table = createCombinedBatchTable(createBatchTable(database), segments);

  /** Reads within one transaction, so that an archive which goes on meanwhile hides nothing. */
  function* batchesFrom(from: number): Generator<StoredBatch, void> {
    const isFirst = !database.isTransaction;
    let next = Math.max(1, from);
    const snapshot = (): void => {
      if (isFirst) database.exec("BEGIN");
      segments.refresh();
    };
    /** Looks again. True if the segment that holds the next batch is in another file now. */
    const isReplaced = (): boolean => {
      const before = segments.segmentOf(next)?.file;
      // Whoever else reads within this transaction must not lose it.
      if (!isFirst || !tryRollBack(database)) return false;
      snapshot();
      return segments.segmentOf(next)?.file !== before;
    };
    try {
      snapshot();
      for (;;) {
        try {
          for (const batch of table.from(table.startOf(next))) {
            next = batch.first + batch.count;
            yield batch;
          }
          return;
        } catch (error) {
          if (!isMissing(error) || !isReplaced()) throw error;
        }
      }
    } catch (error) {
      throw mapReadError(error, folder);
    } finally {
      if (isFirst) tryRollBack(database);
    }
  }

  return {
    head: () => {
      try {
        return table.head();
      } catch (error) {
        throw mapReadError(error, folder);
      }
    },
    batches: batchesFrom,
    segments: () => currentSegments(segments),
    verifyFiles: () => verifyFiles(database, folder, () => currentSegments(segments)),
    close: () => {
      database.close();
    },
  };
}

function currentSegments(segments: SegmentTable): readonly Segment[] {
  segments.refresh();
  return segments.list();
}

/** Opens journal.db to read it. It must be there, and of a format that this version knows. */
export function openReadOnly(folder: string): DatabaseSync {
  const file = join(folder, "journal.db");
  if (!existsSync(file)) throw new JournalError("invalid", `There is no journal in ${folder}.`, { certain: true });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    const format = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (format === newestFormat("journal")) return database;
    const message = `${file} has format ${format}, not ${newestFormat("journal")}: open it once with this version, or use the one that wrote it.`;
    throw new JournalError("unsupported", message, { certain: true });
  } catch (error) {
    database?.close();
    throw mapError(error, file, true);
  }
}

/** A file of the archive can not be opened: it was moved away, or an erasure has put another one in its place. */
function isMissing(error: unknown): boolean {
  return error instanceof JournalError && error.code === "archived";
}

function mapReadError(error: unknown, folder: string): unknown {
  return error instanceof Error && "errcode" in error ? mapError(error, join(folder, "journal.db"), true) : error;
}

/**
 * Reads a journal without owning its folder, also while the owner writes to it. The reader changes nothing, so files that
 * a crash left behind can be examined.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Head, JournalError } from "../../journal.ts";
import type { StoredBatch } from "../../unseal.ts";
import { tryRollBack } from "../append.ts";
import { createBatchTable } from "../batch-table.ts";
import { requireNewestFormat } from "../migrate.ts";
import { mapError, resultCode } from "../map-error.ts";
import { openDatabase } from "./open-database.ts";
import { requirePlainFiles } from "./require-plain-files.ts";
import { verifyFiles } from "./verify-files.ts";
import type { FileFault } from "./verify-wal.ts";
import type { Segment } from "../archive/segment-file.ts";
import { createSegmentTable, type SegmentTable } from "../archive/segment-table.ts";
import { createCombinedBatchTable } from "../archive/combined-batch-table.ts";

interface SqliteReader {
  head(): Head;
  /**
   * The stored batches from the one that holds a position, in order, as of the first step. If an erasure replaces a segment
   * file, the iteration continues with a newer snapshot. That snapshot includes the entry that the erased payload names.
   */
  batches(from: number): Iterable<StoredBatch>;
  segments(): readonly Segment[];
  /** Checks the files for damage that a read of the batches does not reveal. Returns an empty list if there is none. */
  verifyFiles(): readonly FileFault[];
  close(): void;
}

export function openSqliteReader(folder: string): SqliteReader {
  const database = openReadOnly(folder);
  const segments = segmentsOf(database, folder);
  const table = createCombinedBatchTable(createBatchTable(database), segments);

  /** Reads within one transaction, so that a concurrent archive hides no batch. */
  function* batchesFrom(from: number): Generator<StoredBatch, void> {
    const isOutermost = !database.isTransaction;
    let next = Math.max(1, from);
    const snapshot = (): void => {
      if (isOutermost) database.exec("BEGIN");
      segments.refresh();
    };
    /** Takes a new snapshot. Returns true if the segment that holds the next batch is in another file there. */
    const isReplaced = (): boolean => {
      const before = segments.segmentOf(next)?.file;
      // An enclosing iteration still reads within this transaction.
      if (!isOutermost || !tryRollBack(database)) return false;
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
      if (isOutermost) tryRollBack(database);
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

function segmentsOf(database: DatabaseSync, folder: string): SegmentTable {
  try {
    return createSegmentTable(database, folder);
  } catch (error) {
    database.close();
    throw mapReadError(error, folder);
  }
}

function currentSegments(segments: SegmentTable): readonly Segment[] {
  segments.refresh();
  return segments.list();
}

/** Opens journal.db for reading. The file must exist and have the newest format. */
export function openReadOnly(folder: string): DatabaseSync {
  const file = join(folder, "journal.db");
  if (!existsSync(file))
    throw new JournalError("invalid", `There is no journal in ${folder}. Check the path of the data folder.`, {
      certain: true,
    });
  requirePlainFiles(folder);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file, { readOnly: true, timeout: 1_000 });
    requireNewestFormat(database, "journal", file);
    return database;
  } catch (error) {
    database?.close();
    throw mapError(error, file, true);
  }
}

/** True if an archive file cannot be opened: it was moved, or an erasure replaced it. */
function isMissing(error: unknown): boolean {
  return error instanceof JournalError && error.code === "archived";
}

function mapReadError(error: unknown, folder: string): unknown {
  return resultCode(error) !== 0 ? mapError(error, join(folder, "journal.db"), true) : error;
}

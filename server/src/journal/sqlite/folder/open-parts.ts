/** Opens all parts around an open journal.db: index, checkpoints and archive. It also completes interrupted work. */
import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";
import { unseal } from "../../unseal.ts";
import { type SqliteBatchTable, createBatchTable } from "../batch-table.ts";
import { SqliteCheckpoints } from "../checkpoints.ts";
import { type SqliteForkWatch, watchFork } from "../fork.ts";
import { catchUp } from "../indexed-append.ts";
import type { SqliteIndexStore } from "../index-store.ts";
import type { SqliteLayeredIndex } from "../layered-index.ts";
import { createMetaTable, type MetaTable } from "../meta.ts";
import { openIndex } from "./open-index.ts";
import type { SqliteJournalOptions } from "../options.ts";
import { createSegmentTable } from "../archive/segment-table.ts";
import { createUpkeep, type Upkeep } from "./upkeep.ts";
import { createCombinedBatchTable } from "../archive/combined-batch-table.ts";

interface JournalParts {
  /** All batches, archived or not. */
  readonly table: SqliteBatchTable;
  readonly index: SqliteLayeredIndex;
  readonly indexStore: SqliteIndexStore;
  readonly checkpoints: SqliteCheckpoints;
  readonly fork: SqliteForkWatch;
  readonly upkeep: Upkeep;
  readonly meta: MetaTable;
}

type PartsOptions = Omit<SqliteJournalOptions, "startedAt"> & {
  readonly isClosing: () => boolean;
};

export async function openParts(database: DatabaseSync, options: PartsOptions): Promise<JournalParts> {
  const { folder, newId, yieldToLoop = () => Promise.resolve(), isClosing, onStep: step = () => undefined } = options;
  const recent = createBatchTable(database);
  const segments = createSegmentTable(database, folder);
  const table = createCombinedBatchTable(recent, segments);
  verifyHead(table);
  const meta = createMetaTable(database);
  const fork = watchFork(meta, folder, newId);
  const { index, store: indexStore } = openIndex(table, options);
  let checkpoints: SqliteCheckpoints | undefined;
  try {
    for (const _batch of catchUp(table, index)) {
      await yieldToLoop();
      await index.overdue();
    }
    checkpoints = new SqliteCheckpoints({
      folder,
      isInHistory: ({ position, hash }) => table.hashAt(position) === hash,
      onError: options.onCheckpointError,
    });
    const throwIfClosing = (): void => {
      if (isClosing()) throw new JournalError("closed", "The journal is closing.", { certain: false });
    };
    const upkeep = createUpkeep({ database, recent, segments, meta, checkpoints, yieldToLoop, throwIfClosing, step });
    // Unfinished work stays recorded, so a failure here does not prevent reads and appends.
    await upkeep.resume().catch((error: unknown) => options.onUpkeepError?.(error));
    return { table, index, indexStore, checkpoints, fork, upkeep, meta };
  } catch (error) {
    checkpoints?.close();
    await index.endThread();
    indexStore.close();
    throw error;
  }
}

/** Verifies the batch of the head. Every append compares with the head, so a wrong row would corrupt all later batches. */
function verifyHead(table: SqliteBatchTable): void {
  const { position } = table.head();
  const stored = table.holding(position);
  if (stored !== undefined) unseal(stored, table.endBefore(stored.first).hash);
}

/** Opens checkpoint.db, or creates a new one if it is unusable, and reads the rows of a checkpoint in it. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointRow, StoredCheckpoint } from "../../checkpoint.ts";
import {
  type CheckpointTable,
  createCheckpointTable,
  isSameRow,
  startCursor,
  type RowVersion,
} from "./checkpoint-table.ts";
import { deleteCheckpointFile, openCheckpointFile } from "../folder/files.ts";

export interface CheckpointFile {
  readonly table: CheckpointTable;
  /** All rows of the checkpoint of this generation, in slices. */
  rows(generation: number, unfinished: ReadonlySet<number>): Iterable<readonly CheckpointRow[]>;
  close(): void;
}

const versionsPerPage = 1_000;
const copyName = "checkpoint-copy.db";

/** Opens the file. An unreadable file, or one of a newer format, is reported and deleted. Its rows can be folded again. */
export function openUsableCheckpointFile(folder: string, onError: (error: unknown) => void): CheckpointFile {
  try {
    deleteCheckpointFile(folder, copyName);
    return open(folder);
  } catch (error) {
    onError(error);
    return openNewCheckpointFile(folder);
  }
}

export function openNewCheckpointFile(folder: string): CheckpointFile {
  deleteCheckpointFile(folder);
  return open(folder);
}

/** Copies one checkpoint to a new file, in steps. useCopiedCheckpoint then replaces the old file. */
export function* copyCheckpoint(
  folder: string,
  slices: Iterable<readonly CheckpointRow[]>,
  header: StoredCheckpoint,
): Generator<undefined, void> {
  deleteCheckpointFile(folder, copyName);
  const copy = open(folder, copyName);
  try {
    copy.table.begin(header.generation);
    for (const slice of slices) {
      copy.table.write(header.generation, slice);
      yield;
    }
    copy.table.commit(header, []);
  } finally {
    copy.close();
  }
}

/** Replaces checkpoint.db by the copy. The old file must be closed. */
export function useCopiedCheckpoint(folder: string): CheckpointFile {
  deleteCheckpointFile(folder);
  renameSync(join(folder, copyName), join(folder, "checkpoint.db"));
  return open(folder);
}

function open(folder: string, name?: string): CheckpointFile {
  const database = openCheckpointFile(folder, name);
  try {
    const table = createCheckpointTable(database);
    table.saved();
    return {
      table,
      rows: (generation, unfinished) => rowsOf(folder, generation, unfinished),
      close: () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads in its own connection and transaction, so concurrent writes are not visible. */
function* rowsOf(
  folder: string,
  generation: number,
  unfinished: ReadonlySet<number>,
): Generator<CheckpointRow[], void> {
  const database = openCheckpointFile(folder);
  try {
    database.exec("BEGIN");
    const table = createCheckpointTable(database);
    let cursor = startCursor;
    /** The newest version found of the row that is being read. */
    let pending: RowVersion | undefined;
    for (
      let page = table.after(cursor, versionsPerPage);
      page.length > 0;
      page = table.after(cursor, versionsPerPage)
    ) {
      const slice: CheckpointRow[] = [];
      for (const version of page) {
        cursor = version;
        if (version[2] > generation || unfinished.has(version[2])) continue;
        if (!isSameRow(pending, version)) addRow(slice, pending);
        pending = version;
      }
      yield slice;
    }
    const last: CheckpointRow[] = [];
    addRow(last, pending);
    if (last.length > 0) yield last;
  } finally {
    database.close();
  }
}

function addRow(rows: CheckpointRow[], version: RowVersion | undefined): void {
  const line = version?.[3] ?? undefined;
  if (version !== undefined && line !== undefined) rows.push({ table: version[0], key: version[1], line });
}

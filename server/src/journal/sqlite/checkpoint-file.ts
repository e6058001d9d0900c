/** Opens checkpoint.db, or a new one if it can not be used, and reads what a checkpoint in it holds. */
import type { CheckpointRow } from "../checkpoint.ts";
import { type CheckpointTable, createCheckpointTable, isSameRow, noVersion, type Version } from "./checkpoint-table.ts";
import { deleteCheckpointFile, openCheckpointFile } from "./files.ts";
import { truncateLog } from "./truncate-log.ts";

export interface CheckpointFile {
  readonly table: CheckpointTable;
  /** Everything that the checkpoint of this generation holds, in slices. */
  rows(generation: number, unfinished: ReadonlySet<number>): Iterable<readonly CheckpointRow[]>;
  /** Leaves nothing of what was deleted in the log. */
  truncateLog(): void;
  close(): void;
}

const versionsPerPage = 1_000;

/** Unreadable, or of a newer format: deleted and reported. Everything in it can be folded again. */
export function openUsableCheckpointFile(folder: string, onTrouble: (error: unknown) => void): CheckpointFile {
  try {
    return open(folder);
  } catch (error) {
    onTrouble(error);
    return openNewCheckpointFile(folder);
  }
}

export function openNewCheckpointFile(folder: string): CheckpointFile {
  deleteCheckpointFile(folder);
  return open(folder);
}

function open(folder: string): CheckpointFile {
  const database = openCheckpointFile(folder);
  try {
    const table = createCheckpointTable(database);
    table.saved();
    return {
      table,
      rows: (generation, unfinished) => rowsOf(folder, generation, unfinished),
      truncateLog: () => {
        truncateLog(database, "checkpoint.db");
      },
      close: () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads over a connection and in a transaction of its own: what is written meanwhile does not show. */
function* rowsOf(
  folder: string,
  generation: number,
  unfinished: ReadonlySet<number>,
): Generator<CheckpointRow[], void> {
  const database = openCheckpointFile(folder);
  try {
    database.exec("BEGIN");
    const table = createCheckpointTable(database);
    let place = noVersion;
    /** The last version seen of the row that is being read. */
    let pending: Version | undefined;
    for (let page = table.after(place, versionsPerPage); page.length > 0; page = table.after(place, versionsPerPage)) {
      const slice: CheckpointRow[] = [];
      for (const version of page) {
        place = version;
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

function addRow(rows: CheckpointRow[], version: Version | undefined): void {
  const line = version?.[3] ?? undefined;
  if (version !== undefined && line !== undefined) rows.push({ table: version[0], key: version[1], line });
}

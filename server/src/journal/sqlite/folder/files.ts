/** Opens journal.db, index.db and checkpoint.db with the settings that the guarantees need, and checks their effect. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";
import { mapError } from "../map-error.ts";
import { migrate } from "../migrate.ts";
import { openDatabase } from "./open-database.ts";

/** The format of `lines`, see seal.ts. */
const format = "1";
/**
 * Maximum wait for a lock on a file, in milliseconds. No other process normally locks these files, and the wait blocks the
 * whole process, so a quick "busy" is better.
 */
const lockTimeoutMs = 50;
const fullSync = 2;
const normalSync = 1;

export function openJournalFile(folder: string, space: string): DatabaseSync {
  const file = join(folder, "journal.db");
  return openFile(file, (database) => {
    // Must be set before the first table is created. SQLite can then release the pages that the archive frees, in steps.
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    // FULL: a commit is on the disk before it returns. NORMAL would lose acknowledged batches in a power failure.
    prepareFile(database, file, fullSync);
    // Deleted rows are overwritten, because an archived entry may be erased later and must not remain here.
    database.exec("PRAGMA secure_delete = ON");
    migrate(database, "journal", file);
    database
      .prepare("INSERT INTO meta (name, value) VALUES ('format', ?), ('space', ?) ON CONFLICT DO NOTHING")
      .run(format, space);
    requireMeta(database, file, "format", format);
    requireMeta(database, file, "space", space);
  });
}

export function openIndexFile(folder: string): DatabaseSync {
  const file = join(folder, "index.db");
  return openFile(file, (database) => {
    // NORMAL: a power failure may lose the newest rows but never corrupts the file. The rows are folded again.
    prepareFile(database, file, normalSync);
    // Keeps the upper pages of a large index in memory. The size is 16 MiB.
    database.exec("PRAGMA cache_size = -16384");
    migrate(database, "index", file);
  });
}

export function openCheckpointFile(folder: string, name = "checkpoint.db"): DatabaseSync {
  const file = join(folder, name);
  return openFile(file, (database) => {
    // NORMAL: a power failure may lose the newest checkpoint but never tears it. The next start folds more entries.
    prepareFile(database, file, normalSync);
    // SQLite copies the WAL into the file after 1 MiB. The writer waits for that, so the WAL is kept short.
    database.exec("PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 256; PRAGMA secure_delete = ON");
    migrate(database, "checkpoint", file);
  });
}

/** Deletes an unusable index. The file must not be open. */
export function deleteIndexFile(folder: string): void {
  deleteDatabase(folder, "index.db");
}

/** Deletes all checkpoints. The file must not be open. */
export function deleteCheckpointFile(folder: string, name = "checkpoint.db"): void {
  deleteDatabase(folder, name);
}

function deleteDatabase(folder: string, name: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, name + end), { force: true });
}

function openFile(file: string, prepare: (database: DatabaseSync) => void): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file, { timeout: lockTimeoutMs });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    throw mapError(error, file, true);
  }
}

function prepareFile(database: DatabaseSync, file: string, synchronous: number): void {
  // On macOS a plain fsync leaves the data in the drive's cache. On other systems these two settings change nothing.
  database.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  requirePragma(database, file, "journal_mode", "wal");
  requirePragma(database, file, "synchronous", synchronous);
}

function requirePragma(database: DatabaseSync, file: string, name: string, wanted: string | number): void {
  const value = database.prepare(`PRAGMA ${name}`).get()?.[name];
  if (value === wanted) return;
  const message = `${file}: SQLite keeps ${name} at ${String(value)}, but ${wanted} is required. Do not use a network file system.`;
  throw new JournalError("unsupported", message, { certain: true });
}

function requireMeta(database: DatabaseSync, file: string, name: string, wanted: string): void {
  const value = database.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value;
  if (value === wanted) return;
  throw new JournalError(
    "unsupported",
    `${file} has the ${name} ${String(value)}, not ${wanted}. Use another folder, or the version and settings that created it.`,
    {
      certain: true,
    },
  );
}

/** Opens journal.db, index.db and checkpoint.db with the settings that the promises rest on, and proves that they took effect. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";
import { mapError } from "../map-error.ts";
import { migrate } from "../migrate.ts";

/** The format of `lines`, see seal.ts. */
const format = "1";
/** Nobody else should ever hold these files locked, and a wait stops the whole process: better a quick "busy". */
const patience = 50;
const fullSync = 2;
const normalSync = 1;

export function openJournalFile(folder: string, space: string): DatabaseSync {
  const file = join(folder, "journal.db");
  return openFile(file, (database) => {
    // FULL: a commit is on the disk before it returns. NORMAL would lose acknowledged batches when the power goes.
    // Set before the first table is made: pages that the archive frees can be given back then, a few at a time.
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    prepareFile(database, file, fullSync);
    // What is deleted is written over: an entry that was archived may be erased there later.
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
    // NORMAL: when the power goes the newest rows may be lost, never mixed up; they are folded from the journal again.
    prepareFile(database, file, normalSync);
    // Keeps the upper pages of a large index in memory: 16 MiB.
    database.exec("PRAGMA cache_size = -16384");
    migrate(database, "index", file);
  });
}

export function openCheckpointFile(folder: string, name = "checkpoint.db"): DatabaseSync {
  const file = join(folder, name);
  return openFile(file, (database) => {
    // NORMAL: when the power goes the newest checkpoint may be lost, never torn; more entries are folded then.
    prepareFile(database, file, normalSync);
    // The log is copied into the file 1 MiB at a time: whoever writes waits for that, so it is kept short.
    database.exec("PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 256; PRAGMA secure_delete = ON");
    migrate(database, "checkpoint", file);
  });
}

/** Deletes an index that can not be used. It must not be open. */
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
    database = new DatabaseSync(file, { timeout: patience });
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    throw mapError(error, file, true);
  }
}

function prepareFile(database: DatabaseSync, file: string, synchronous: number): void {
  // On macOS a plain fsync leaves the data in the drive's cache. Elsewhere these two change nothing.
  database.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  requirePragma(database, file, "journal_mode", "wal");
  requirePragma(database, file, "synchronous", synchronous);
}

function requirePragma(database: DatabaseSync, file: string, name: string, wanted: string | number): void {
  const value = database.prepare(`PRAGMA ${name}`).get()?.[name];
  if (value === wanted) return;
  const message = `${file}: SQLite keeps ${name} at ${String(value)} where ${wanted} is needed; is it on a network disk?`;
  throw new JournalError("unsupported", message, { certain: true });
}

function requireMeta(database: DatabaseSync, file: string, name: string, wanted: string): void {
  const value = database.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value;
  if (value === wanted) return;
  throw new JournalError("unsupported", `${file} holds the ${name} ${String(value)}, not ${wanted}.`, {
    certain: true,
  });
}

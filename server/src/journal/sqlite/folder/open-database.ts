/**
 * Opens a database file that may come from elsewhere. Its schema is code: triggers and views run inside our statements. Its
 * pages and values may have any content.
 */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { batchCharactersMax } from "../../batch-line.ts";

interface OpenDatabaseOptions {
  readonly timeout: number;
  readonly readOnly?: boolean;
}

/** Opens a file with SQLite's defences. `requireSchema` must follow before the first statement on a table. */
export function openDatabase(file: string, { timeout, readOnly = false }: OpenDatabaseOptions): DatabaseSync {
  if (!readOnly) createPrivateFile(file);
  // The maximum length of a value bounds the memory that one row can take.
  const database = new DatabaseSync(file, {
    timeout,
    readOnly,
    defensive: true,
    limits: { length: batchCharactersMax },
  });
  try {
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates an empty file that only this user can read, if there is none. SQLite alone would create it readable by others. It
 * gives its WAL and its shared memory the rights of the database.
 */
export function createPrivateFile(file: string): void {
  try {
    // `wx` never opens an existing file. Closing a second descriptor of a database would drop SQLite's locks on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

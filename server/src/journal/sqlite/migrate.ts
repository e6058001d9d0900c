/**
 * Migrates a database to the newest schema, one numbered .sql file at a time. `user_version` is the number of the last
 * applied file. It changes in the same transaction, so a kill leaves either the old schema or the new one.
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../journal.ts";
import { readMigrations } from "../read-migrations.ts";
import { requireSchema } from "./folder/require-schema.ts";

type DatabaseKind = "journal" | "index" | "checkpoint";

const folder = join(import.meta.dirname, "migrations");

const migrationsOf: Readonly<Record<DatabaseKind, readonly string[]>> = {
  journal: readMigrations(join(folder, "journal")),
  index: readMigrations(join(folder, "index")),
  checkpoint: readMigrations(join(folder, "checkpoint")),
};

export function migrate(database: DatabaseSync, kind: DatabaseKind, file: string): void {
  const migrations = migrationsOf[kind];
  const applied = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (applied > migrations.length) {
    const message = `${file} has format ${applied}. This version supports formats up to ${migrations.length}. Use a newer version.`;
    throw new JournalError("unsupported", message, { certain: true });
  }
  requireSchema(database, migrations.slice(0, applied), file);
  for (const [index, sql] of migrations.entries()) {
    if (index + 1 > applied) database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}

/** Requires the newest format and its schema, for a reader that cannot migrate. */
export function requireNewestFormat(database: DatabaseSync, kind: DatabaseKind, file: string): void {
  const migrations = migrationsOf[kind];
  const applied = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (applied !== migrations.length) {
    const message = `${file} has format ${applied}, not ${migrations.length}. Start this version once on the folder, or use the version that wrote it.`;
    throw new JournalError("unsupported", message, { certain: true });
  }
  requireSchema(database, migrations, file);
}

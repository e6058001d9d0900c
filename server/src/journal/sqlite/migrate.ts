/**
 * Migrates a database to the newest schema, one numbered .sql file at a time. `user_version` is the number of the last
 * applied file. It changes in the same transaction, so a kill leaves either the old schema or the new one.
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../journal.ts";
import { readMigrations } from "../read-migrations.ts";

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
  for (const [index, sql] of migrations.entries()) {
    if (index + 1 > applied) database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}

export function newestFormat(kind: DatabaseKind): number {
  return migrationsOf[kind].length;
}

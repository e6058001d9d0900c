/**
 * Brings a database to the newest schema, one numbered .sql file at a time. `user_version` is the number of the last
 * one applied; it changes in the same transaction, so a kill in between leaves the old schema or the new one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { JournalError } from "../journal.ts";

export type DatabaseKind = "journal" | "index" | "checkpoint";

export function migrate(database: DatabaseSync, kind: DatabaseKind, file: string): void {
  const migrations = readMigrations(kind);
  const applied = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (applied > migrations.length) {
    const message = `${file} has format ${applied}; this version knows formats up to ${migrations.length}. Use a newer one.`;
    throw new JournalError("unsupported", message, { certain: true });
  }
  for (const [index, sql] of migrations.entries()) {
    if (index + 1 > applied) database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}

export function newestFormat(kind: DatabaseKind): number {
  return readMigrations(kind).length;
}

/** The files are numbered from 0001 without gaps: their place in the list is their number. */
function readMigrations(kind: DatabaseKind): readonly string[] {
  const folder = join(import.meta.dirname, "migrations", kind);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`The migration ${name} should be number ${index + 1}.`);
    return readFileSync(join(folder, name), "utf8");
  });
}

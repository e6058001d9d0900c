/** The facts about the folder that journal.db keeps beside the batches, by name. */
import type { DatabaseSync } from "node:sqlite";

export type SqliteMetaName =
  | "format"
  | "space"
  /** The identity file that belongs to this journal: see fork.ts. */
  | "identity"
  /** Set by a restore until the epoch is raised. */
  | "restored"
  /** An erasure whose last traces must still be removed. */
  | "purging"
  /** How far erasures are carried out: see erasure-mark.ts. */
  | "erasures"
  /** Set while pages may hold leftovers of rows that were moved within the file: see erase.ts. */
  | "leftovers";

export interface MetaTable {
  get(name: SqliteMetaName): string | undefined;
  set(name: SqliteMetaName, value: string): void;
  delete(name: SqliteMetaName): void;
}

export function createMetaTable(database: DatabaseSync): MetaTable {
  const get = database.prepare("SELECT value FROM meta WHERE name = ?");
  const set = database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM meta WHERE name = ?");
  return {
    get: (name) => get.get(name)?.["value"] as string | undefined,
    set: (name, value) => void set.run(name, value),
    delete: (name) => void remove.run(name),
  };
}

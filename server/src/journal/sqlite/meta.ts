/** Named values about the folder, stored in journal.db together with the batches. */
import type { DatabaseSync } from "node:sqlite";

type SqliteMetaName =
  | "format"
  | "space"
  /** Identifies the identity file of this journal. See fork.ts. */
  | "identity"
  /** Set by a restore until the epoch is raised. */
  | "restored"
  /** The position of the newest erasing entry whose remaining steps are unfinished. See erase.ts. */
  | "purging"
  /** The watermark of completed erasures. See erasure-mark.ts. */
  | "erasures"
  /** Set while pages may hold bytes of rows that moved within the file. See erase.ts. */
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

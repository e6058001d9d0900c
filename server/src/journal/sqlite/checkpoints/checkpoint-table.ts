/** checkpoint.db: every statement on that file, prepared once. */
import type { DatabaseSync } from "node:sqlite";
import type { CheckpointRow, StoredCheckpoint } from "../../checkpoint.ts";
import { transactRaw } from "../folder/transact-raw.ts";

export type RowVersion = readonly [table: string, key: string, generation: number, line: string | null];

export interface CheckpointTable {
  /** Committed checkpoints, newest first. */
  saved(): readonly StoredCheckpoint[];
  unfinished(): readonly number[];
  begin(generation: number): void;
  write(generation: number, rows: readonly CheckpointRow[]): void;
  /** Finishes a generation, and drops older ones. */
  commit(next: StoredCheckpoint, dropped: readonly StoredCheckpoint[]): void;
  /** Versions after a cursor, in the order of table, key and generation. */
  after(cursor: RowVersion, limit: number): readonly RowVersion[];
  remove(versions: readonly RowVersion[]): void;
  forget(what: { readonly saved?: readonly StoredCheckpoint[]; readonly unfinished?: readonly number[] }): void;
}

/** A cursor before all versions. */
export const startCursor: RowVersion = ["", "", -1, null];

export function isSameRow(one: RowVersion | undefined, other: RowVersion | undefined): boolean {
  return one?.[1] === other?.[1] && one?.[0] === other?.[0];
}

export function createCheckpointTable(database: DatabaseSync): CheckpointTable {
  const facts = database.prepare(
    "SELECT generation, position, hash, time, rules, state_hash AS stateHash FROM facts ORDER BY generation DESC",
  );
  const unfinished = database.prepare("SELECT generation FROM unfinished");
  const begin = database.prepare("INSERT INTO unfinished (generation) VALUES (?)");
  const finish = database.prepare("DELETE FROM unfinished WHERE generation = ?");
  const save = database.prepare(
    "INSERT INTO facts (generation, position, hash, time, rules, state_hash) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const unsave = database.prepare("DELETE FROM facts WHERE generation = ?");
  const write = database.prepare(
    "INSERT OR REPLACE INTO versions (table_name, key, generation, line) VALUES (?, ?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM versions WHERE table_name = ? AND key = ? AND generation = ?");
  const after = database.prepare(
    `SELECT table_name, key, generation, line FROM versions WHERE (table_name, key, generation) > (?, ?, ?)
     ORDER BY table_name, key, generation LIMIT ?`,
  );
  after.setReturnArrays(true);

  return {
    saved: () => facts.all().map((row) => toStoredCheckpoint(row as unknown as CheckpointColumns)),
    unfinished: () => unfinished.all().map((row) => row.generation as number),
    begin: (generation) => void begin.run(generation),
    write: (generation, rows) => {
      transactRaw(database, () => {
        for (const { table, key, line } of rows) write.run(table, key, generation, line ?? null);
      });
    },
    commit: ({ generation, head, rules, stateHash }, dropped) => {
      transactRaw(database, () => {
        finish.run(generation);
        for (const old of dropped) unsave.run(old.generation);
        save.run(generation, head.position, head.hash, head.time, rules, stateHash);
      });
    },
    after: ([table, key, generation], limit) =>
      after.all(table, key, generation, limit) as unknown as readonly RowVersion[],
    remove: (versions) => {
      if (versions.length === 0) return;
      transactRaw(database, () => {
        for (const [table, key, generation] of versions) remove.run(table, key, generation);
      });
    },
    forget: (what) => {
      transactRaw(database, () => {
        for (const { generation } of what.saved ?? []) unsave.run(generation);
        for (const generation of what.unfinished ?? []) finish.run(generation);
      });
    },
  };
}

type CheckpointColumns = Omit<StoredCheckpoint, "head"> & StoredCheckpoint["head"];

function toStoredCheckpoint({
  generation,
  position,
  hash,
  time,
  rules,
  stateHash,
}: CheckpointColumns): StoredCheckpoint {
  return { generation, head: { position, hash, time }, rules, stateHash };
}

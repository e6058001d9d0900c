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
  /** Removes generations from the list of unfinished ones, after their versions were deleted. */
  forget(unfinished: readonly number[]): void;
}

/** A cursor before all versions. */
export const startCursor: RowVersion = ["", "", -1, null];

export function isSameRow(a: RowVersion | undefined, b: RowVersion | undefined): boolean {
  return a?.[1] === b?.[1] && a?.[0] === b?.[0];
}

export function createCheckpointTable(database: DatabaseSync): CheckpointTable {
  const saved = database.prepare(
    "SELECT generation, position, hash, time, rules, state_hash AS stateHash FROM checkpoints ORDER BY generation DESC",
  );
  const unfinished = database.prepare("SELECT generation FROM unfinished");
  const begin = database.prepare("INSERT INTO unfinished (generation) VALUES (?)");
  const finish = database.prepare("DELETE FROM unfinished WHERE generation = ?");
  const save = database.prepare(
    "INSERT INTO checkpoints (generation, position, hash, time, rules, state_hash) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const unsave = database.prepare("DELETE FROM checkpoints WHERE generation = ?");
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
    saved: () => saved.all().map((row) => toStoredCheckpoint(row as unknown as CheckpointColumns)),
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
    forget: (generations) => {
      transactRaw(database, () => {
        for (const generation of generations) finish.run(generation);
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

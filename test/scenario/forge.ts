/** Attacks by a process with write access to the data folder: it changes stored data, with or without the hashes. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { type StoredBatch, unsealAll } from "../../server/src/journal/unseal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";

/** Runs SQL on the journal's file without the knowledge of its owner. */
export function tamper(data: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(join(data, "journal.db"));
  try {
    database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}

export function storedBatches(data: string): readonly StoredBatch[] {
  const database = new DatabaseSync(join(data, "journal.db"), { readOnly: true });
  try {
    return database.prepare("SELECT * FROM batches ORDER BY first").all() as unknown as StoredBatch[];
  } finally {
    database.close();
  }
}

/** Changes entries and recomputes every hash from there on. The result is a valid chain of a false history. */
export function forge(data: string, change: (entry: Entry) => Entry): void {
  let after = genesis;
  for (const batch of storedBatches(data)) {
    const entries = unsealAll(batch, batch.previous).map(change);
    const saltsOf = batch.lines.split("\n").slice(1).map(saltOf);
    const { head, lines } = seal(entries, after, saltsOf);
    const sql = "UPDATE batches SET lines = ?, hash = ?, previous = ?, time = ? WHERE first = ?";
    tamper(data, sql, lines, head.hash, after.hash, head.time, batch.first);
    after = head;
  }
}

function saltOf(payload: string): string {
  return (JSON.parse(payload) as [salt: string])[0];
}

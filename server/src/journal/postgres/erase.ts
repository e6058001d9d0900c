/**
 * Removes a payload from the table, and the checkpoints that may hold it, in one transaction. Postgres itself keeps old rows
 * until a vacuum, and in its WAL. The operator of the server has to remove those. The documents describe how.
 */
import type { Client } from "pg";
import { eraseFromBatch } from "../erase-from-batch.ts";
import { noEntry } from "../entry-page.ts";
import type { PayloadErasure } from "../journal.ts";
import { checkpointLock, dropSuperseded, storedCheckpoints } from "./checkpoints.ts";

export async function erasePayload(client: Client, space: string, erasure: PayloadErasure): Promise<void> {
  await client.query("BEGIN");
  try {
    // Waits for a draft in progress, because it may hold the erased data.
    await client.query(`SELECT pg_advisory_xact_lock(${checkpointLock})`, [space]);
    // One transaction removes both, the payload and the checkpoints that hold it.
    if (await eraseLines(client, space, erasure)) await purgeCheckpoints(client, space, erasure.by);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Returns false if the payload was erased earlier. */
async function eraseLines(client: Client, space: string, { position, by }: PayloadErasure): Promise<boolean> {
  const { rows } = await client.query<{ first: string; count: number; lines: string }>(
    "SELECT first, count, lines FROM batches WHERE space = $1 AND first <= $2 ORDER BY first DESC LIMIT 1 FOR UPDATE",
    [space, position],
  );
  const [row] = rows;
  if (row === undefined || position >= Number(row.first) + row.count) throw noEntry(position, Number(row?.first ?? 0));
  const stored = { first: Number(row.first), lines: row.lines };
  const next = eraseFromBatch(stored, position, by);
  if (next === stored) return false;
  await client.query("UPDATE batches SET lines = $3 WHERE space = $1 AND first = $2", [space, next.first, next.lines]);
  return true;
}

/** Deletes the checkpoints that may hold the erased data. The newest one stays if its state is newer than the erasure. */
async function purgeCheckpoints(client: Client, space: string, by: number): Promise<void> {
  const [newest] = await storedCheckpoints(client, space);
  if (newest !== undefined && newest.head.position >= by) {
    await client.query("DELETE FROM checkpoints WHERE space = $1 AND generation < $2", [space, newest.generation]);
    await dropSuperseded(client, space, newest.generation);
    return;
  }
  await client.query("DELETE FROM checkpoints WHERE space = $1", [space]);
  await client.query("DELETE FROM checkpoint_rows WHERE space = $1", [space]);
}

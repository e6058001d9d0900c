/**
 * Removes a payload from the table, and from the checkpoints that may still hold it, in one transaction. What Postgres
 * itself keeps of an old row, until a vacuum and in its log, is for whoever looks after the server: see the documents.
 */
import type { Client } from "pg";
import { eraseFromBatch } from "../erase-from-batch.ts";
import { noEntry } from "../entry-page.ts";
import { checkpointLock, dropSuperseded, storedCheckpoints } from "./checkpoints.ts";

export async function erasePayload(
  client: Client,
  space: string,
  place: { position: number; by: number },
): Promise<void> {
  await client.query("BEGIN");
  try {
    // Waits for a draft that is under way: it may hold what is to be erased.
    await client.query(`SELECT pg_advisory_xact_lock(${checkpointLock})`, [space]);
    // Both or neither: where the payload is gone, so are the checkpoints that held it.
    if (await eraseLines(client, space, place)) await purgeCheckpoints(client, space, place.by);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** False if the payload was gone before. */
async function eraseLines(
  client: Client,
  space: string,
  { position, by }: { position: number; by: number },
): Promise<boolean> {
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

/** The newest checkpoint stays if it already holds the state without what was erased. */
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

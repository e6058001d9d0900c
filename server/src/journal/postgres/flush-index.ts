/**
 * Writes the tails of the index to its tables, in one transaction. One node at a time flushes. The other nodes detect it
 * when their own flush is due, and drop the tails that the tables cover.
 */
import type { Client } from "pg";
import type { IndexTail } from "../index-tail.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { insertTail } from "./index-store.ts";

export interface IndexPart {
  readonly tail: IndexTail;
  /** The end of the batch before its first batch, and the end of its last batch. */
  readonly from: BatchEnd;
  readonly to: BatchEnd;
}

/**
 * Returns the position that the tables cover after the flush. Returns undefined if another node is flushing or the history
 * has diverged.
 */
export async function flushIndex(
  client: Client,
  space: string,
  parts: readonly IndexPart[],
): Promise<number | undefined> {
  await client.query("BEGIN");
  try {
    const covered = await write(client, space, parts);
    await client.query(covered === undefined ? "ROLLBACK" : "COMMIT");
    return covered;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function write(client: Client, space: string, parts: readonly IndexPart[]): Promise<number | undefined> {
  const lock = await client.query<{ free: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended('holdfast index ' || $1, 0)) AS free",
    [space],
  );
  if (lock.rows[0]?.free !== true) return undefined;
  const { rows } = await client.query<{ position: string }>("SELECT position FROM index_cover WHERE space = $1", [
    space,
  ]);
  const covered = Number(rows[0]?.position ?? 0);
  const open = parts.filter(({ to }) => to.position > covered);
  const [first] = open;
  const last = open.at(-1);
  if (first === undefined || last === undefined) return covered;
  // A gap in the index would report used keys as unused.
  if (first.from.position > covered || !(await isInHistory(client, space, last.to))) return undefined;
  for (const { tail } of open) await insertTail(client, space, tail);
  await client.query(
    `INSERT INTO index_cover (space, position, hash) VALUES ($1, $2, $3)
     ON CONFLICT (space) DO UPDATE SET position = excluded.position, hash = excluded.hash`,
    [space, last.to.position, last.to.hash],
  );
  return last.to.position;
}

async function isInHistory(client: Client, space: string, end: BatchEnd): Promise<boolean> {
  const { rows } = await client.query<{ hash: string }>(
    "SELECT hash FROM batches WHERE space = $1 AND first <= $2 ORDER BY first DESC LIMIT 1",
    [space, end.position],
  );
  return rows[0]?.hash === end.hash;
}

/**
 * Writes what the index has in memory to its tables, in one transaction. One node at a time: the others find out when
 * they need the space, and drop what is covered.
 */
import type { Client } from "pg";
import type { IndexTail } from "../index-tail.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { insertTail } from "./index-store.ts";

export interface IndexPart {
  readonly tail: IndexTail;
  /** The end of the batch before its first entry, and of its last batch. */
  readonly from: BatchEnd;
  readonly to: BatchEnd;
}

/** The position that the tables cover afterwards; undefined if somebody else is at it, or the history is another one. */
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
  // A gap would be taken for "never used".
  if (first.from.position > covered || !(await isInHistory(client, space, last.to))) return undefined;
  for (const { tail } of open) await insertTail(client, space, tail);
  await client.query(
    `INSERT INTO index_cover (space, position, hash) VALUES ($1, $2, $3)
     ON CONFLICT (space) DO UPDATE SET position = excluded.position, hash = excluded.hash`,
    [space, last.to.position, last.to.hash],
  );
  return last.to.position;
}

async function isInHistory(client: Client, space: string, joint: BatchEnd): Promise<boolean> {
  const { rows } = await client.query<{ hash: string }>(
    "SELECT hash FROM batches WHERE space = $1 AND first <= $2 ORDER BY first DESC LIMIT 1",
    [space, joint.position],
  );
  return rows[0]?.hash === joint.hash;
}

/**
 * Checkpoints in tables. The tables may be emptied at any time. The next start then folds the whole journal.
 *
 * - A draft is one transaction on its own connection, so nothing of it is visible before its commit.
 * - A lock allows one node to save at a time.
 * - A draft writes only the rows that changed.
 * - The table keeps the versions of each row that the newest two checkpoints reference.
 */
import type { Client } from "pg";
import type {
  CheckpointDraft,
  CheckpointHeader,
  CheckpointRow,
  CheckpointStore,
  StoredCheckpoint,
} from "../checkpoint.ts";
import type { Head } from "../journal.ts";
import { readJson } from "@holdfast/sdk/json/read-json";
import { mapError } from "./map-error.ts";
import { type PostgresRow, send, type PostgresSession, type Statement } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";

interface PostgresCheckpointOptions {
  readonly space: string;
  readonly reader: PostgresSession;
  /** Provides a connection for each draft or read. */
  readonly sessions: SessionPool;
}

/** The checkpoints whose head is in the journal, newest first. */
const list: Statement = {
  name: "checkpoints",
  text: `SELECT c.generation, c.position, c.hash, c.time, c.rules, c.state_hash FROM checkpoints c
    WHERE c.space = $1 AND c.hash = (SELECT b.hash FROM batches b WHERE b.space = $1 AND b.first <= c.position
      ORDER BY b.first DESC LIMIT 1) ORDER BY c.generation DESC`,
};

const rowsPerFetch = 5_000;
/** The lock of the node that changes the checkpoints of a space. */
export const checkpointLock = "hashtextextended('holdfast checkpoint ' || $1, 0)";

export function createPostgresCheckpoints({ space, reader, sessions }: PostgresCheckpointOptions): CheckpointStore {
  async function* rows(header: CheckpointHeader): AsyncGenerator<readonly CheckpointRow[]> {
    const session = sessions.checkOut();
    try {
      const client = await session.ready();
      // All slices are read from one snapshot. Another node may commit a checkpoint and delete rows of this one.
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const found = (await storedCheckpoints(client, space)).find(({ head }) => head.hash === header.head.hash);
      if (found === undefined) return;
      await client.query({ text: declareRows, values: [space, found.generation] });
      for (;;) {
        const fetched = await send(client, { name: "fetch", text: `FETCH ${String(rowsPerFetch)} FROM saved` }, []);
        if (fetched.length > 0) yield fetched.map(toRow);
        if (fetched.length < rowsPerFetch) return;
      }
    } catch (error) {
      throw mapError(error, { sent: false });
    } finally {
      await sessions.release(session);
    }
  }

  return {
    list: async () => (await reader.run(list, [space])).map(toHeader),
    rows,
    async begin(base) {
      const session = sessions.checkOut();
      try {
        const generation = await beginDraft(await session.ready(), space, base);
        if (generation !== undefined) return draftOn(sessions, session, { space, generation });
      } catch (error) {
        await sessions.release(session);
        throw mapError(error, { sent: false });
      }
      await sessions.release(session);
      return undefined;
    },
    clear: () => sessions.withClient((client) => clearCheckpoints(client, space)),
  };
}

/** The newest version of each row up to a generation. The order is that of the primary key, so Postgres does not sort. */
const declareRows = `DECLARE saved NO SCROLL CURSOR FOR SELECT table_name, key, line FROM (
    SELECT DISTINCT ON (table_name, key) table_name, key, line FROM checkpoint_rows
    WHERE space = $1 AND generation <= $2 ORDER BY table_name, key, generation DESC
  ) AS newest WHERE line IS NOT NULL`;

async function clearCheckpoints(client: Client, space: string): Promise<void> {
  await client.query("BEGIN");
  await client.query(`SELECT pg_advisory_xact_lock(${checkpointLock})`, [space]);
  await client.query("DELETE FROM checkpoints WHERE space = $1", [space]);
  await client.query("DELETE FROM checkpoint_rows WHERE space = $1", [space]);
  await client.query("COMMIT");
}

/** Starts the transaction of a draft. Returns undefined if another node is saving, or has saved on top of the base. */
async function beginDraft(client: Client, space: string, base: Head | undefined): Promise<number | undefined> {
  await client.query("BEGIN");
  const lock = await client.query<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock(${checkpointLock}) AS free`, [
    space,
  ]);
  if (lock.rows[0]?.free !== true) return undefined;
  const saved = await storedCheckpoints(client, space);
  if (saved[0]?.head.hash !== base?.hash) return undefined;
  // Rows of a lost history must not be part of the new checkpoint.
  if (base === undefined) {
    await client.query("DELETE FROM checkpoints WHERE space = $1", [space]);
    await client.query("DELETE FROM checkpoint_rows WHERE space = $1", [space]);
  }
  return (saved[0]?.generation ?? 0) + 1;
}

function draftOn(
  sessions: SessionPool,
  session: PostgresSession,
  { space, generation }: { readonly space: string; readonly generation: number },
): CheckpointDraft {
  async function use(work: (client: Client) => Promise<void>): Promise<void> {
    // The transaction ended with its connection. A new connection would start an empty one.
    if (!session.isConnected) throw mapError(new Error("the connection of the draft was lost"), { sent: false });
    try {
      await work(await session.ready());
    } catch (error) {
      throw mapError(error, { sent: true });
    }
  }

  return {
    write: (rows) => use((client) => writeRows(client, space, generation, rows)),
    commit: (header) =>
      use(async (client) => {
        await commitDraft(client, space, { ...header, generation });
        await sessions.release(session);
      }),
    abandon: () => sessions.release(session),
  };
}

async function writeRows(
  client: Client,
  space: string,
  generation: number,
  rows: readonly CheckpointRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: "write_rows",
    text: `INSERT INTO checkpoint_rows (space, generation, table_name, key, line)
      SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[])
      ON CONFLICT (space, table_name, key, generation) DO UPDATE SET line = excluded.line`,
    values: [
      space,
      generation,
      rows.map(({ table }) => table),
      rows.map(({ key }) => JSON.stringify(key)),
      rows.map(({ line }) => line ?? null),
    ],
  });
}

async function commitDraft(
  client: Client,
  space: string,
  { generation, head, rules, stateHash }: StoredCheckpoint,
): Promise<void> {
  const previous = generation - 1;
  await client.query("DELETE FROM checkpoints WHERE space = $1 AND generation < $2", [space, previous]);
  await client.query(
    `INSERT INTO checkpoints (space, generation, position, hash, time, rules, state_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [space, generation, head.position, head.hash, head.time, rules, stateHash],
  );
  await dropSuperseded(client, space, previous);
  await client.query("COMMIT");
}

/** Deletes the versions that no checkpoint references once the oldest checkpoint is the one of this generation. */
export async function dropSuperseded(client: Client, space: string, oldest: number): Promise<void> {
  await client.query(
    `DELETE FROM checkpoint_rows AS old USING checkpoint_rows AS newer
     WHERE newer.space = $1 AND newer.generation = $2 AND old.space = $1 AND old.table_name = newer.table_name
       AND old.key = newer.key AND old.generation < $2`,
    [space, oldest],
  );
  await client.query("DELETE FROM checkpoint_rows WHERE space = $1 AND generation <= $2 AND line IS NULL", [
    space,
    oldest,
  ]);
}

export async function storedCheckpoints(client: Client, space: string): Promise<readonly StoredCheckpoint[]> {
  const rows = await send(client, list, [space]);
  return rows.map((row) => ({ ...toHeader(row), generation: Number(row[0]) }));
}

function toHeader([, position, hash, time, rules, stateHash]: PostgresRow): CheckpointHeader {
  const head = { position: Number(position), hash: String(hash), time: Number(time) };
  return { head, rules: Number(rules), stateHash: String(stateHash) };
}

function toRow([table, key, line]: PostgresRow): CheckpointRow {
  return { table: String(table), key: readJson(String(key)) as string, line: String(line) };
}

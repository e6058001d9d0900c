/** Named values about a space, stored together with its batches. */
import type { Client } from "pg";
import type { PostgresSession } from "./session.ts";

type PostgresMetaName =
  /** The server that last wrote this space. See fork.ts. */
  | "identity"
  /** The watermark of completed erasures. See erasure-mark.ts. */
  | "erasures";

async function readMeta(client: Client, space: string, name: PostgresMetaName): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>(meta.text, [space, name]);
  return rows[0]?.value;
}

const meta = { name: "meta", text: "SELECT value FROM meta WHERE space = $1 AND name = $2" };

/** Reads a value on an existing session. */
export async function readMetaOnSession(
  session: PostgresSession,
  space: string,
  name: PostgresMetaName,
): Promise<string | undefined> {
  const [row] = await session.run(meta, [space, name]);
  return row === undefined ? undefined : String(row[0]);
}

/** Sets the value if it is not set. Returns the stored value. */
export async function adoptMeta(client: Client, space: string, name: PostgresMetaName, value: string): Promise<string> {
  const text = "INSERT INTO meta (space, name, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
  await client.query(text, [space, name, value]);
  return (await readMeta(client, space, name)) ?? value;
}

export async function writeMeta(client: Client, space: string, name: PostgresMetaName, value: string): Promise<void> {
  const text = `INSERT INTO meta (space, name, value) VALUES ($1, $2, $3)
    ON CONFLICT (space, name) DO UPDATE SET value = excluded.value`;
  await client.query(text, [space, name, value]);
}

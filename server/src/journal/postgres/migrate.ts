/**
 * Migrates the schema to the newest format, one numbered .sql file at a time. If several nodes start at once, one migrates
 * and the others wait. A node that finds the newest format changes nothing, so it needs no permission to do so.
 */
import { join } from "node:path";
import type { Client } from "pg";
import { JournalError } from "../journal.ts";
import { readMigrations } from "../read-migrations.ts";
import { sqlState } from "./map-error.ts";

const migrations = readMigrations(join(import.meta.dirname, "migrations"));

export async function migrate(client: Client, schema: string): Promise<void> {
  const applied = await formatOf(client);
  rejectNewer(applied, migrations.length);
  if (applied === migrations.length) return;
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('holdfast migrate', 0))");
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema.replaceAll('"', '""')}"`);
    await client.query("CREATE TABLE IF NOT EXISTS format (number integer PRIMARY KEY)");
    // Another node may have migrated while this one waited.
    const current = await formatOf(client);
    rejectNewer(current, migrations.length);
    for (const [index, sql] of migrations.entries()) {
      if (index + 1 <= current) continue;
      await client.query(sql);
      await client.query("INSERT INTO format (number) VALUES ($1)", [index + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** The number of the last applied file. */
async function formatOf(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ number: number | null }>("SELECT max(number) AS number FROM format");
    return rows[0]?.number ?? 0;
  } catch (error) {
    // The table or the schema does not exist yet.
    if (["42P01", "3F000"].includes(sqlState(error) ?? "")) return 0;
    throw error;
  }
}

function rejectNewer(applied: number, known: number): void {
  if (applied <= known) return;
  const message = `The database has format ${String(applied)}. This version supports formats up to ${String(known)}. Use a newer version.`;
  throw new JournalError("unsupported", message, { certain: true });
}

/**
 * Brings the schema to the newest format, one numbered .sql file at a time. Several nodes may start at once: one does it,
 * the others wait. Who finds everything done changes nothing, and so needs no right to.
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
    // Another node may have done it while this one waited.
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

/** The number of the last file that was applied. */
async function formatOf(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ number: number | null }>("SELECT max(number) AS number FROM format");
    return rows[0]?.number ?? 0;
  } catch (error) {
    // No table yet, or no schema yet.
    if (["42P01", "3F000"].includes(sqlState(error) ?? "")) return 0;
    throw error;
  }
}

function rejectNewer(applied: number, known: number): void {
  if (applied <= known) return;
  const message = `The database has format ${String(applied)}; this version knows formats up to ${String(known)}. Use a newer one.`;
  throw new JournalError("unsupported", message, { certain: true });
}

/**
 * Checks a server at every new connection before it is used. A failover or a restore changes the server behind the same
 * address.
 */
import type { Client } from "pg";
import { JournalError } from "../journal.ts";
import type { PostgresSettings } from "./options.ts";

/** Identifies a server and the end of its WAL. */
export interface ServerIdentity {
  /** The system identifier. A copy of the files has the same one. */
  readonly system: string;
  /** The timeline. It changes in a failover or a restore to a point in time. */
  readonly timeline: string;
  /** The end of the WAL. It only grows, unless an older copy of the files replaced the server. */
  readonly walEnd: bigint;
}

const probe = `SELECT pg_is_in_recovery() AS recovering, current_setting('fsync') AS fsync,
  current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version,
  pg_backend_pid() AS pid, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline,
  CASE WHEN pg_is_in_recovery() THEN 0 ELSE pg_current_wal_insert_lsn() - '0/0' END::text AS log`;

interface ServerProbe {
  readonly recovering: boolean;
  readonly fsync: string;
  readonly encoding: string;
  readonly version: number;
  readonly pid: number;
  readonly system: string;
  readonly timeline: string;
  readonly log: string;
}

export async function checkServer(client: Client, settings: PostgresSettings): Promise<ServerIdentity> {
  const { rows } = await client.query<ServerProbe>(probe);
  const [found] = rows;
  if (found === undefined) throw unusableServer("it returned no row to the query for its identity");
  const reason = rejectionReason(found, client, settings);
  if (reason !== undefined) throw unusableServer(reason);
  return { system: found.system, timeline: found.timeline, walEnd: BigInt(found.log) };
}

function rejectionReason(found: ServerProbe, client: Client, settings: PostgresSettings): string | undefined {
  if (found.recovering) return "it is a replica, or is recovering. Connect to the primary";
  if (found.version < 140_000)
    return `its version number is ${String(found.version)}. The oldest supported version is 14`;
  if (found.encoding !== "UTF8") return `its encoding is ${found.encoding}. Create the database with UTF8`;
  // A pooler invents the process id that it sends to its clients. Turns, LISTEN and settings need a dedicated session.
  if (found.pid !== processOf(client)) return "the connection goes through a pooler. Connect to the server directly";
  if (found.fsync !== "on" && !settings.allowsFsyncOff) {
    return "fsync is off, so a crash would lose acknowledged batches. Set fsync = on";
  }
  return undefined;
}

/** The process id of the backend, as the protocol reported it at connect. */
function processOf(client: Client): number | undefined {
  return (client as unknown as { readonly processID?: number }).processID;
}

function unusableServer(reason: string): JournalError {
  return new JournalError("unsupported", `This Postgres server cannot be used: ${reason}.`, { certain: true });
}

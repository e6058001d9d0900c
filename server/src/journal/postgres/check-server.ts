/**
 * Looks at a server before it is trusted, at every connection anew: a failover or a restore changes the server behind
 * the same address.
 */
import type { Client } from "pg";
import { JournalError } from "../journal.ts";
import type { PostgresSettings } from "./options.ts";

/** Which server this is, and how far it has come. */
export interface ServerIdentity {
  /** A copy of the files has the same. */
  readonly system: string;
  /** Another one after a failover or a restore to a point in time. */
  readonly timeline: string;
  /** The end of its log, which only grows, unless an older copy was put in its place. */
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
  if (found === undefined) throw unusableServer("it does not say what it is");
  const reason = rejectionReason(found, client, settings);
  if (reason !== undefined) throw unusableServer(reason);
  return { system: found.system, timeline: found.timeline, walEnd: BigInt(found.log) };
}

function rejectionReason(found: ServerProbe, client: Client, settings: PostgresSettings): string | undefined {
  if (found.recovering) return "it is a replica, or still recovering; truth is read from the primary only";
  if (found.version < 140_000) return `it has version ${String(found.version)}; 14 is the oldest that is known to work`;
  if (found.encoding !== "UTF8") return `its encoding is ${found.encoding}; create the database with UTF8`;
  // A pooler makes up the number that it gives to its clients. Turns, listening and settings need a session of one's own.
  if (found.pid !== processOf(client)) return "a pooler stands in front of it; connect to the server itself";
  if (found.fsync !== "on" && !settings.allowsFsyncOff) {
    return "fsync is off: it would forget what it acknowledged; switch it on";
  }
  return undefined;
}

/** The backend that the protocol named when the connection was made. */
function processOf(client: Client): number | undefined {
  return (client as unknown as { readonly processID?: number }).processID;
}

function unusableServer(reason: string): JournalError {
  return new JournalError("unsupported", `This Postgres can not be used: ${reason}.`, { certain: true });
}

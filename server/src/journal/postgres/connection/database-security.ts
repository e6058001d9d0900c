/** The protection of the connection to a database, as the driver reads its address and the variables PG…. */
import { Client } from "pg";

export interface DatabaseSecurity {
  /** A host name or an address; a path for a Unix socket. */
  readonly host: string;
  /** With `optional` the mode does not require TLS. With `unverified` any certificate is accepted. */
  readonly tls: "none" | "optional" | "unverified" | "verified";
}

/** Undefined for an address that the driver refuses. Opening the journal then reports the reason. */
export function databaseSecurity(url: string): DatabaseSecurity | undefined {
  try {
    const { host, ssl } = new Client({ connectionString: url }) as { host: string; ssl: unknown };
    return { host, tls: tlsOf(ssl, new URL(url).searchParams.get("sslmode")) };
  } catch {
    return undefined;
  }
}

function tlsOf(ssl: unknown, mode: string | null): DatabaseSecurity["tls"] {
  if (ssl === false) return "none";
  if (typeof ssl === "object" && (ssl as { rejectUnauthorized?: boolean }).rejectUnauthorized === false)
    return "unverified";
  return mode === "allow" || mode === "prefer" ? "optional" : "verified";
}

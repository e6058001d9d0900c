import { isLoopback } from "../access/is-loopback.ts";
import { redactAddress } from "../base/redact-address.ts";
import { databaseSecurity } from "../journal/postgres/connection/database-security.ts";
import type { DatabaseSecurity } from "../journal/postgres/connection/database-security.ts";

const faults: Readonly<Record<Exclude<DatabaseSecurity["tls"], "verified">, string>> = {
  none: "without TLS",
  optional: "with an sslmode that does not require TLS",
  unverified: "without a check of its certificate",
};

/** A warning for the operator about a database on another host whose connection other hosts can read. */
export function databaseWarning(url: string): string | undefined {
  const security = databaseSecurity(url);
  if (security === undefined || security.tls === "verified") return undefined;
  const { host, tls } = security;
  if (isLoopback(host) || host.startsWith("/")) return undefined;
  return (
    `connecting to ${redactAddress(url)} ${faults[tls]}: hosts on the network path can read and change the journal; ` +
    "add sslmode=verify-full to the address"
  );
}

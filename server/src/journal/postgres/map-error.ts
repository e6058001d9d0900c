/**
 * Maps Postgres errors to journal errors. An ERROR means that the whole statement was rolled back, so nothing was
 * written. After a lost connection or a FATAL error, the outcome of the statement in flight is unknown.
 */
import { JournalError, type JournalErrorCode } from "../journal.ts";

/** By SQLSTATE, or by its first two characters, which name its class. */
const meanings: Readonly<Record<string, readonly [JournalErrorCode, string]>> = {
  "22": ["invalid", "the database cannot store a value"],
  "23": ["invalid", "a constraint was violated"],
  "25006": ["read_only", "the database is read-only"],
  "28": ["unsupported", "the database rejected the user or the password"],
  "3D": ["unsupported", "the database does not exist"],
  "3F": ["unsupported", "the schema does not exist"],
  "40": ["busy", "the transaction conflicted with another one"],
  "42501": ["read_only", "the user has no permission"],
  "42": ["unsupported", "the schema does not match this version"],
  "53100": ["full", "the disk of the database is full"],
  "53300": ["busy", "the database has too many connections"],
  "53": ["io", "the database has insufficient resources"],
  "54": ["invalid", "a limit of the database was exceeded"],
  "55P03": ["busy", "another node holds the turn"],
  "57014": ["busy", "the statement timed out"],
  "57P03": ["io", "the database is starting or stopping"],
  XX001: ["damaged", "the database is damaged"],
  XX002: ["damaged", "an index of the database is damaged"],
};

/** Maps an error of the client to a JournalError. Returns a JournalError unchanged. */
export function mapError(error: unknown, { sent }: { readonly sent: boolean }): JournalError {
  if (error instanceof JournalError) return error;
  const state = sqlState(error);
  const detail = detailOf(error);
  const certain = !sent || isRolledBack(error);
  if (state === undefined) {
    return new JournalError("io", `Postgres: the connection failed (${detail}).`, { certain, cause: error });
  }
  const [code, meaning] = meanings[state] ?? meanings[state.slice(0, 2)] ?? (["io", "the statement failed"] as const);
  return new JournalError(code, `Postgres: ${meaning} (${state}: ${detail}).`, { certain, cause: error });
}

/** True for a deadlock or a serialization failure. A retry succeeds. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** True if another node has already appended at this position, without waiting for a turn. */
export function isDuplicatePosition(error: unknown): boolean {
  return sqlState(error) === "23505";
}

export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function isRolledBack(error: unknown): boolean {
  return sqlState(error) !== undefined && error instanceof Error && "severity" in error && error.severity === "ERROR";
}

function detailOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((cause: unknown) => detailOf(cause)).join("; ");
  return error instanceof Error ? error.message : String(error);
}

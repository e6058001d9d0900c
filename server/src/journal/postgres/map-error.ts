/**
 * Postgres' errors in the journal's words. An ERROR says that the statement was taken back as a whole, so nothing was
 * written. A connection that ends, or a FATAL error, says nothing about what it was just doing.
 */
import { JournalError, type JournalErrorCode } from "../journal.ts";

/** By SQLSTATE, or by its first two characters, which are its class. */
const meanings: Readonly<Record<string, readonly [JournalErrorCode, string]>> = {
  "22": ["invalid", "the database can not store this"],
  "23": ["invalid", "the database refuses this"],
  "25006": ["read_only", "the database can only be read"],
  "28": ["unsupported", "the database does not let this user in"],
  "3D": ["unsupported", "there is no such database"],
  "3F": ["unsupported", "there is no such schema"],
  "40": ["busy", "the transaction met another one"],
  "42501": ["read_only", "no permission"],
  "42": ["unsupported", "the database is not as this version knows it"],
  "53100": ["full", "the disk of the database is full"],
  "53300": ["busy", "the database has no connection left"],
  "53": ["io", "the database is short of something"],
  "54": ["invalid", "this is beyond a limit of the database"],
  "55P03": ["busy", "another node keeps its turn"],
  "57014": ["busy", "the database took too long"],
  "57P03": ["io", "the database is starting or stopping"],
  XX001: ["damaged", "the database is damaged"],
  XX002: ["damaged", "an index of the database is damaged"],
};

/** Turns whatever the client threw into a JournalError; a JournalError stays what it is. */
export function mapError(error: unknown, { sent }: { readonly sent: boolean }): JournalError {
  if (error instanceof JournalError) return error;
  const state = sqlState(error);
  const detail = detailOf(error);
  const certain = !sent || isRolledBack(error);
  if (state === undefined) {
    return new JournalError("io", `Postgres: the connection failed (${detail}).`, { certain, cause: error });
  }
  const [code, meaning] = meanings[state] ?? meanings[state.slice(0, 2)] ?? (["io", "it failed"] as const);
  return new JournalError(code, `Postgres: ${meaning} (${state}: ${detail}).`, { certain, cause: error });
}

/** A deadlock, or two transactions that could not be put in an order: trying again is the cure. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** Somebody else has this position: who does not take turns was faster. */
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
  if (error instanceof AggregateError) return error.errors.map((each: unknown) => detailOf(each)).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Maps SQLite errors to journal errors. SQLite does not report whether something was written, so the caller passes it. */
import { JournalError, type JournalErrorCode } from "../journal.ts";

const corrupt = 11;
const unreadableValue: ReadonlySet<string> = new Set(["ERR_OUT_OF_RANGE", "ERR_STRING_TOO_LONG"]);

/** By primary result code. The cause of the error holds the extended code. */
const meanings: ReadonlyMap<number, readonly [JournalErrorCode, string]> = new Map([
  [3, ["read_only", "no permission to write"]],
  [5, ["busy", "another process holds a lock on it"]],
  [6, ["busy", "it is locked"]],
  [8, ["read_only", "it is read-only"]],
  [10, ["io", "the disk reported an error"]],
  [11, ["damaged", "the database file is damaged"]],
  [13, ["full", "the disk is full, or the file reached its size limit"]],
  [18, ["damaged", "it holds a value that is larger than any that Holdfast writes"]],
  [14, ["io", "the file cannot be opened"]],
  [26, ["damaged", "the file is not an SQLite database"]],
]);

/** Maps an error of SQLite to a JournalError. Returns a JournalError unchanged. */
export function mapError(error: unknown, file: string, certain: boolean): JournalError {
  if (error instanceof JournalError) return error;
  const [code, meaning] = meanings.get(resultCode(error) & 0xff) ?? (["io", "SQLite failed"] as const);
  const detail = error instanceof Error ? error.message : String(error);
  return new JournalError(code, `${file}: ${meaning} (${detail}).`, { certain, cause: error });
}

/** The extended result code of SQLite, or 0 for any other error. */
export function resultCode(error: unknown): number {
  // The file holds an integer or a text that JavaScript cannot represent. Holdfast never writes one.
  if (error instanceof Error && "code" in error && unreadableValue.has(String(error.code))) return corrupt;
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}

const fileMeanings: ReadonlyMap<string, readonly [JournalErrorCode, string]> = new Map([
  ["ENOSPC", ["full", "the disk is full"]],
  ["EDQUOT", ["full", "the disk quota is exceeded"]],
  ["EFBIG", ["full", "the file would exceed its size limit"]],
  ["EROFS", ["read_only", "the file system is read-only"]],
  ["EACCES", ["read_only", "no permission"]],
  ["EPERM", ["read_only", "no permission"]],
]);

/** Maps errors of the file system and of SQLite to a JournalError. Any other error is a bug and is returned unchanged. */
export function mapFileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof JournalError) return error;
  if (resultCode(error) !== 0) return mapError(error, path, true);
  if (!("code" in error) || !("syscall" in error)) return error;
  const [code, meaning] = fileMeanings.get(String(error.code)) ?? (["io", "the disk reported an error"] as const);
  return new JournalError(code, `${path}: ${meaning} (${error.message}).`, { certain: true, cause: error });
}

/** SQLite's errors in the journal's words. Whether something was written is not SQLite's to say: the caller knows. */
import { JournalError, type JournalErrorCode } from "../journal.ts";

/** By primary result code; the extended code is in the message's cause. */
const meanings: ReadonlyMap<number, readonly [JournalErrorCode, string]> = new Map([
  [3, ["read_only", "no permission to write"]],
  [5, ["busy", "another program keeps it locked"]],
  [6, ["busy", "it is locked"]],
  [8, ["read_only", "it can not be written"]],
  [10, ["io", "the disk reported an error"]],
  [11, ["damaged", "the database file is damaged"]],
  [13, ["full", "the disk, or the space allowed to it, is full"]],
  [14, ["io", "the file can not be opened"]],
  [26, ["damaged", "the file is no SQLite database"]],
]);

/** Turns whatever SQLite threw into a JournalError; a JournalError stays what it is. */
export function mapError(error: unknown, file: string, certain: boolean): JournalError {
  if (error instanceof JournalError) return error;
  const [code, meaning] = meanings.get(resultCode(error) & 0xff) ?? (["io", "SQLite refused"] as const);
  const detail = error instanceof Error ? error.message : String(error);
  return new JournalError(code, `${file}: ${meaning} (${detail}).`, { certain, cause: error });
}

/** SQLite's extended result code, or 0 for an error that is not SQLite's. */
export function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}

const fileMeanings: ReadonlyMap<string, readonly [JournalErrorCode, string]> = new Map([
  ["ENOSPC", ["full", "the disk is full"]],
  ["EDQUOT", ["full", "the space allowed is used up"]],
  ["EFBIG", ["full", "the file would be larger than allowed"]],
  ["EROFS", ["read_only", "it can not be written"]],
  ["EACCES", ["read_only", "no permission"]],
  ["EPERM", ["read_only", "no permission"]],
]);

/** The same for errors of the file system. What is neither a file's error nor SQLite's is a bug and stays what it is. */
export function mapFileError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof JournalError) return error;
  if (resultCode(error) !== 0) return mapError(error, place, true);
  if (!("code" in error) || !("syscall" in error)) return error;
  const [code, meaning] = fileMeanings.get(String(error.code)) ?? (["io", "the disk reported an error"] as const);
  return new JournalError(code, `${place}: ${meaning} (${error.message}).`, { certain: true, cause: error });
}

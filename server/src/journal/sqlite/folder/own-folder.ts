/**
 * One owner per data folder, by a lock that the operating system drops when the process ends, however it ends. The
 * lock is a transaction held open on a database of its own. Not a file with a process number: those name the wrong
 * process after a reboot and in containers, and then either nobody can start or two do.
 *
 * owner.json only tells people who it is. Nothing is decided by it, so a folder in which it can't be written or removed is
 * taken and given back all the same.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";
import { mapError, resultCode } from "../map-error.ts";

/** Takes the folder, or throws "owned". Returns the way to give it back. */
export function ownFolder(folder: string, startedAt: string): () => void {
  const note = join(folder, "owner.json");
  const file = join(folder, "owner.db");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if ((resultCode(error) & 0xff) !== 5) throw mapError(error, file, true);
    const message = `${folder} is in use${describeOwner(note)}. Only one process may have it open: stop that one, or connect to it.`;
    throw new JournalError("owned", message, { certain: true, cause: error });
  }
  writeOwnerFile(note, startedAt);
  return () => {
    removeOwnerFile(note);
    database.close();
  };
}

function writeOwnerFile(note: string, startedAt: string): void {
  try {
    writeFileSync(note, JSON.stringify({ pid, host: hostname(), since: startedAt }));
  } catch {
    // One that is still there would name somebody else.
    removeOwnerFile(note);
  }
}

function removeOwnerFile(note: string): void {
  try {
    rmSync(note, { force: true });
  } catch {
    // Whoever takes the folder next writes over it, or can't either.
  }
}

function describeOwner(note: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(note, "utf8")) as Record<string, unknown>;
    return ` by process ${String(pid)} on ${String(host)} since ${String(since)}`;
  } catch {
    // It may not be written yet, or already be gone; the lock is what counts.
    return " by another process";
  }
}

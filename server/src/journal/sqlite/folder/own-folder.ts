/**
 * Ensures one owner per data folder. The operating system drops the lock when the process ends, however it ends. The lock
 * is an open transaction on its own database. A pid file would name the wrong process after a reboot or in a container,
 * and then either no process could start or two could.
 *
 * owner.json only describes the owner to people. Nothing depends on it, so an error that prevents writing or removing it
 * is ignored.
 */
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { readSmallFile } from "../../../base/regular-file.ts";
import { JournalError } from "../../journal.ts";
import { mapError, resultCode } from "../map-error.ts";
import { openDatabase } from "./open-database.ts";

/** Maximum size of owner.json. */
const ownerBytesMax = 4_096;

/** Locks the folder, or throws "owned". Returns a function that releases it. */
export function ownFolder(folder: string, startedAt: string): () => void {
  const ownerFile = join(folder, "owner.json");
  const file = join(folder, "owner.db");
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if ((resultCode(error) & 0xff) !== 5) throw mapError(error, file, true);
    const message = `${folder} is in use${describeOwner(ownerFile)}. Only one process may own it: stop that process, or connect to it.`;
    throw new JournalError("owned", message, { certain: true, cause: error });
  }
  writeOwnerFile(ownerFile, startedAt);
  return () => {
    removeOwnerFile(ownerFile);
    database.close();
  };
}

function writeOwnerFile(path: string, startedAt: string): void {
  try {
    writeFileSync(path, JSON.stringify({ pid, host: hostname(), since: startedAt }), { mode: 0o600 });
  } catch {
    // An old file would name another process.
    removeOwnerFile(path);
  }
}

function removeOwnerFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next owner overwrites the file, or cannot write it either.
  }
}

function describeOwner(path: string): string {
  try {
    const { pid, host, since } = JSON.parse(readSmallFile(path, ownerBytesMax)) as Record<string, unknown>;
    return ` by process ${String(pid)} on ${String(host)} since ${String(since)}`;
  } catch {
    // The file may not be written yet, or may be removed already. Only the lock counts.
    return " by another process";
  }
}

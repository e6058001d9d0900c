/**
 * Backup and restore of a data folder. Both write to a temporary folder next to the target and rename it at the end, so a
 * folder with the target's name is complete. A restored folder is marked before the rename, so it is never treated as the
 * original: its first start raises the epoch.
 */
import { lstatSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { JournalError } from "../../journal.ts";
import { type CopyResult, type CopyOptions, copyJournal } from "./copy-journal.ts";
import type { RestoredMark } from "../fork.ts";
import { makeFolder, syncPath } from "./make-folder.ts";
import { mapFileError, resultCode, mapError } from "../map-error.ts";
import { createMetaTable } from "../meta.ts";
import { openDatabase } from "./open-database.ts";
import { type StepHook, transact } from "./transact.ts";

interface FolderCopyOptions extends CopyOptions {
  /** Called between the steps. Tests kill the process there. */
  readonly onStep?: StepHook;
  /**
   * Adds the files that the copied journal names. Its folder gets the target's name at the end. After "again" the journal
   * is copied again, because files that it names were removed meanwhile.
   */
  readonly addParts?: ((folder: string) => Promise<"whole" | "again">) | undefined;
}

/** Copies all committed entries, from any process, also while another process owns the folder. */
export function backupFolder(options: FolderCopyOptions): Promise<CopyResult> {
  return copyTo(options, () => undefined);
}

/** Makes a data folder from a backup. */
export function restoreFolder(options: FolderCopyOptions): Promise<CopyResult> {
  return copyTo(options, (folder, { head }) => {
    markRestored(folder, { position: head.position, from: resolve(options.from) });
  });
}

async function copyTo(
  { from, to, onProgress, yieldToLoop, addParts, onStep: step = () => undefined }: FolderCopyOptions,
  finish: (folder: string, copied: CopyResult) => void,
): Promise<CopyResult> {
  const target = resolve(to);
  const temporary = `${target}.unfinished`;
  try {
    await rejectExisting(target);
    // A kill during an earlier copy may have left this folder.
    await rm(temporary, { recursive: true, force: true });
    makeFolder(dirname(target));
    await mkdir(temporary, { mode: 0o700 });
    step("copy: begun");
    let copied = await copyJournal({ from, to: temporary, onProgress, yieldToLoop });
    step("copy: copied");
    while ((await addParts?.(temporary)) === "again")
      copied = await copyJournal({ from, to: temporary, onProgress, yieldToLoop });
    step("copy: parts added");
    finish(temporary, copied);
    step("copy: marked");
    await removeLogs(temporary);
    syncPath(temporary);
    await rename(temporary, target);
    step("copy: renamed");
    syncPath(dirname(target));
    return copied;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw resultCode(error) === 0 ? mapFileError(error, target) : mapError(error, from, true);
  }
}

async function rejectExisting(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) {
    const message = `${folder} is a file or a symbolic link. Choose a folder that does not exist.`;
    throw new JournalError("invalid", message, { certain: true });
  }
  if ((await readdir(folder)).length === 0) return;
  const message = `${folder} exists and is not empty. Existing files are never overwritten. Choose another folder, or move this one.`;
  throw new JournalError("invalid", message, { certain: true });
}

export function markRestored(folder: string, mark: RestoredMark): void {
  const database = openDatabase(join(folder, "journal.db"), { timeout: 1_000 });
  try {
    const meta = createMetaTable(database);
    transact(database, () => {
      meta.set("restored", JSON.stringify(mark));
      meta.delete("identity");
    });
  } finally {
    database.close();
  }
}

/** The ends of the names of the files that SQLite adds to a database. */
const [logSuffix, sharedMemorySuffix] = ["-wal", "-shm"];

/** Removes empty WAL files and shared-memory files, which readers of the copy leave behind. */
async function removeLogs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const isEmptyLog = name.endsWith(logSuffix) && lstatSync(join(folder, name)).size === 0;
    if (isEmptyLog || name.endsWith(sharedMemorySuffix)) await rm(join(folder, name), { force: true });
  }
}

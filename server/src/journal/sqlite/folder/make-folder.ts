/** Creates the data folder, or makes an existing one private, and syncs its parents, so that it survives a power failure. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createFolder } from "../../../base/create-folder.ts";
import { keepPrivate, repairWarning } from "../../../base/keep-private.ts";
import { JournalError } from "../../journal.ts";

export function makeFolder(folder: string): void {
  try {
    const made = createFolder(folder);
    if (made !== undefined) syncParents(resolve(folder), dirname(resolve(made)));
  } catch (cause) {
    throw new JournalError("io", (cause as Error).message, { certain: true, cause });
  }
}

/** Creates the folder, or removes the rights that other users have on an existing one. */
export function makePrivateFolder(folder: string, onRepair: (warning: string) => void): void {
  makeFolder(folder);
  const privacy = keepPrivate(folder);
  if (privacy.repaired.length > 0) onRepair(repairWarning(folder, privacy));
  if (privacy.refusal !== undefined) throw new JournalError("invalid", `${privacy.refusal}.`, { certain: true });
}

/**
 * Syncs the parent folders. SQLite syncs its files and their entries in this folder, but not the entry of this folder in
 * its parent. Without this sync, a power failure soon after the first start could lose all acknowledged batches.
 */
function syncParents(folder: string, top: string): void {
  for (let at = dirname(folder); at.length >= top.length; at = dirname(at)) {
    syncPath(at);
    if (at === dirname(at)) return;
  }
}

/** Syncs a file, or the entries of a folder, to the disk. */
export function syncPath(path: string): void {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    fsyncSync(file);
  } catch {
    // Some systems cannot sync a folder. They persist its entries in another way.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Makes the data folder, readable by its owner only, so that it is still there when the power goes. */
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { JournalError } from "../../journal.ts";

export function makeFolder(folder: string): void {
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) syncParents(resolve(folder), dirname(resolve(made)));
  } catch (cause) {
    throw new JournalError("io", `The folder ${folder} can not be made.`, { certain: true, cause });
  }
}

/**
 * SQLite syncs its files and their entries in this folder, but nobody syncs this folder's own entry in the one above:
 * without it a power cut soon after the first start could take everything that was acknowledged.
 */
function syncParents(folder: string, top: string): void {
  for (let at = dirname(folder); at.length >= top.length; at = dirname(at)) {
    syncPath(at);
    if (at === dirname(at)) return;
  }
}

/** Puts a file, or the entries of a folder, on the disk. */
export function syncPath(folder: string): void {
  let file: number | undefined;
  try {
    file = openSync(folder, "r");
    fsyncSync(file);
  } catch {
    // Some systems can not sync a folder; they keep its entries in another way.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

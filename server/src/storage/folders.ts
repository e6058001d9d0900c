/** Folders of a root: made durable up to the root, and removed with everything in them. */
import { errorCode } from "./disk.ts";
import type { Disk } from "./disk.ts";

/** Makes the missing folders of a path, and keeps the name of each in its parent. */
export async function makeFolders(disk: Disk, path: string): Promise<void> {
  let parent = "";
  for (const name of path.split("/")) {
    const folder = parent === "" ? name : `${parent}/${name}`;
    try {
      await disk.makeFolder(folder);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    // Also for a folder that existed: the process that made it may have ended before its sync.
    await disk.syncFolder(parent);
    parent = folder;
  }
}

/** Removes a file or a folder with everything in it. A missing one is removed already. */
export async function removeAll(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind !== "folder") {
    await disk.removeFile(path);
    return;
  }
  for (const name of await disk.list(path)) await removeAll(disk, `${path}/${name}`);
  await disk.removeFolder(path);
}

import { constants } from "node:fs";
import { mkdir, open, readdir, readFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import type { FolderFile } from "./folder-file.ts";

/** The regular files of a folder, sorted by path. A link may lead anywhere, so it is refused. */
export async function folderFiles(folder: string): Promise<readonly FolderFile[]> {
  const root = resolve(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const other = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (other !== undefined)
    throw new Error(`${join(other.parentPath, other.name)} is not a regular file, and only those are published`);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((file) => ({ path: file.slice(root.length + 1).replaceAll(sep, "/"), read: () => chunksOf(file) }));
}

/** The file may have become a link after the folder was listed. */
async function* chunksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}

/** The id of the storage root in a folder. */
export async function rootIdOf(rootFolder: string): Promise<string> {
  return (await readFile(join(rootFolder, ".root", "id"), "utf8")).trim();
}

/** Makes the folder of a publish. It must be new. */
export async function makePublishFolder(rootFolder: string, target: string, id: string): Promise<string> {
  const parent = join(rootFolder, target, "tmp");
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = join(parent, id);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

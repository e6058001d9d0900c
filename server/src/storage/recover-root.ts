/**
 * Makes the disk of a root agree with the journal, at the start of a node. A folder that the journal does not know is
 * moved to `.orphans`, never deleted. After a restore from an older backup it may be the only copy.
 */
import type { Disk } from "./disk.ts";
import { errorCode } from "./disk.ts";
import { stagingName, versionPrefix } from "./file-path-fault.ts";
import { makeFolders, removeAll } from "./folders.ts";
import { versionFolder } from "./staged-publish.ts";
import type { PublishPlace } from "./staged-publish.ts";
import { trashName } from "./storage-root.ts";

const orphansName = ".orphans";

/** The knowledge of the journal about a root. It is asked in pages, so a large root does not stop other work. */
export interface KnownPlaces {
  /** The ids of those that a row of the journal names, as a version, a running publish or garbage. */
  readonly knownOf: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The versions in pages. */
  readonly versions: () => AsyncIterable<readonly PublishPlace[]>;
}

/** Maximum folders of one question. */
const pageMax = 200;

export interface RecoveredRoot {
  /** Number of folders that the journal does not know. */
  readonly orphans: number;
  /** Versions of the journal whose folder is missing. */
  readonly missing: readonly PublishPlace[];
}

export async function recoverRoot(disk: Disk, known: KnownPlaces): Promise<RecoveredRoot> {
  await emptyTrash(disk);
  let orphans = 0;
  for await (const { path } of unknownPlaces(disk, known.knownOf)) {
    await makeFolders(disk, orphansName);
    await disk.rename(path, await freeName(disk, `${orphansName}/${path.replaceAll("/", "+")}`));
    orphans += 1;
  }
  if (orphans > 0) await disk.syncFolder(orphansName);
  await pruneFolders(disk, "");
  const missing: PublishPlace[] = [];
  for await (const page of known.versions())
    for (const place of page) if (!(await isFolder(disk, versionFolder(place)))) missing.push(place);
  return { orphans, missing };
}

/** The folders on the disk that no row of the journal names. */
export async function* unknownPlaces(
  disk: Disk,
  knownOf: KnownPlaces["knownOf"],
): AsyncGenerator<FoundPlace, void, undefined> {
  let page: FoundPlace[] = [];
  const unknownOf = async (places: readonly FoundPlace[]): Promise<readonly FoundPlace[]> => {
    const known = await knownOf(places.map(({ id }) => id));
    return places.filter(({ id }) => !known.has(id));
  };
  for await (const place of placesOnDisk(disk, "")) {
    page.push(place);
    if (page.length < pageMax) continue;
    yield* await unknownOf(page);
    page = [];
  }
  yield* await unknownOf(page);
}

/**
 * Removes the folders of targets that have no version, such as those of old exports. At a start no publish runs, so none of them
 * is about to be used. True if the folder is gone.
 */
async function pruneFolders(disk: Disk, folder: string): Promise<boolean> {
  let isUsed = folder === "";
  let staging: string | undefined;
  for (const name of await disk.list(folder)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (folder === "" && name.startsWith(".")) continue;
    if (name.startsWith(versionPrefix) || !(await isFolder(disk, path))) isUsed = true;
    else if (name === stagingName && (await disk.list(path)).length === 0) staging = path;
    else if (!(await pruneFolders(disk, path))) isUsed = true;
  }
  if (isUsed || (staging !== undefined && !(await isRemoved(disk, staging)))) return false;
  return isRemoved(disk, folder);
}

/** Another program may have made a file there at this moment. */
async function isRemoved(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.removeFolder(path);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes(errorCode(error))) return false;
    throw error;
  }
}

/** The same folder may have been an orphan before: after two restores from one backup. */
async function freeName(disk: Disk, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}.${String(number)}`;
    if ((await disk.stat(name)) === undefined) return name;
  }
}

/** Everything in the trash was renamed there before a crash. */
async function emptyTrash(disk: Disk): Promise<void> {
  if ((await disk.stat(trashName)) === undefined) return;
  for (const name of await disk.list(trashName)) await removeAll(disk, `${trashName}/${name}`);
}

interface FoundPlace {
  readonly target: string;
  readonly id: string;
  readonly path: string;
}

/** The folders of publishes and versions, in every target. Links and files are left alone. */
async function* placesOnDisk(disk: Disk, folder: string): AsyncGenerator<FoundPlace, void, undefined> {
  for (const name of await disk.list(folder)) {
    if (folder === "" && name.startsWith(".")) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    if (!(await isFolder(disk, path))) continue;
    if (name.startsWith(versionPrefix)) yield { target: folder, id: name.slice(versionPrefix.length), path };
    else if (name === stagingName)
      for (const id of await disk.list(path)) yield { target: folder, id, path: `${path}/${id}` };
    else yield* placesOnDisk(disk, path);
  }
}

async function isFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path))?.kind === "folder";
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error))) return false;
    throw error;
  }
}

/** Opens the folder of a storage root: private, on a file system that distinguishes cases, with an id of its own. */
import { chmod, lstat, mkdir, open, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getuid } from "node:process";
import { createFolder } from "../base/create-folder.ts";
import { StartError } from "../base/start-error.ts";
import { networkFileSystem } from "./network-file-system.ts";

/** The folder of the root's own files. No target begins with a dot. */
export const ownName = ".root";

interface OpenedRoot {
  /** Identifies the folder, wherever it is mounted. */
  readonly rootId: string;
  readonly release: () => void;
}

interface OpenRootOptions {
  readonly folder: string;
  /** The id of a new root. */
  readonly newId: string;
  /** Locks a folder for this process, or throws. */
  readonly own: (folder: string) => () => void;
  /** Accepts a file system of the network or of a user's program. */
  readonly allowsNetwork: boolean;
  /** The type of the file system of a folder; that of statfs by default. */
  readonly typeOf?: (folder: string) => Promise<number>;
}

export async function openRoot(options: OpenRootOptions): Promise<OpenedRoot> {
  const { folder, newId, own } = options;
  createFolder(folder);
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new StartError(`${folder} is a link or a file: a storage root must be a folder`);
  if (getuid !== undefined && found.uid !== getuid())
    throw new StartError(`${folder} belongs to another user: a storage root must belong to the user of the server`);
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  await refuseNetwork(options);
  const ownFolder = join(folder, ownName);
  await mkdir(ownFolder, { recursive: true, mode: 0o700 });
  const release = own(ownFolder);
  try {
    await refuseTwins(ownFolder, folder);
    return { rootId: await rootIdOf(folder, newId), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** There, a sync may be acknowledged before the bytes are durable, and two hosts may have the same lock. */
async function refuseNetwork({ folder, allowsNetwork, typeOf = typeOfFolder }: OpenRootOptions): Promise<void> {
  const name = allowsNetwork ? undefined : networkFileSystem(await typeOf(folder));
  if (name === undefined) return;
  throw new StartError(
    `${folder} is on ${name}, where syncs and locks depend on another host or program: choose a local disk, or set allow_network_root`,
  );
}

const typeOfFolder = async (folder: string): Promise<number> => (await statfs(folder)).type;

/** On a file system that ignores case, two targets could share a folder. */
async function refuseTwins(ownFolder: string, folder: string): Promise<void> {
  const probe = join(ownFolder, "case");
  await writeFile(probe, "");
  try {
    await lstat(join(ownFolder, "CASE"));
  } catch {
    return;
  } finally {
    await rm(probe, { force: true });
  }
  throw new StartError(`${folder} is on a file system that ignores upper and lower case: choose another for the root`);
}

/** The id in the folder of a root. */
export async function readRootId(folder: string): Promise<string> {
  return (await readFile(join(folder, ownName, "id"), "utf8")).trim();
}

/** The id is durable before any publish, since the journal remembers it. */
async function rootIdOf(folder: string, newId: string): Promise<string> {
  const ownFolder = join(folder, ownName);
  const file = join(ownFolder, "id");
  try {
    const known = await readRootId(folder);
    if (known !== "") return known;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  await syncedFile(file, `${newId}\n`);
  await syncedFolder(ownFolder);
  return newId;
}

async function syncedFile(path: string, text: string): Promise<void> {
  await using file = await open(path, "w", 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncedFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

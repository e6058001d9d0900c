/**
 * Steps 3 and 4 for a folder that a process with the root has written itself. Nothing about it is trusted. Only regular
 * files with one name are accepted, and every byte is hashed and synced. A file that changes meanwhile is refused.
 */
import { createHash } from "node:crypto";
import type { Disk, DiskEntry } from "./disk.ts";
import { heldFolder } from "./held-folder.ts";
import { filePathFault } from "./file-path-fault.ts";
import type { ManifestFile } from "./manifest.ts";
import { hashedFile } from "./read-version.ts";
import type { PublishLimits } from "./publish-limits.ts";
import { StorageFault } from "./storage-fault.ts";
import { VersionNames } from "./version-names.ts";

interface AdoptedFolder {
  readonly files: readonly ManifestFile[];
  /** Every folder below it. */
  readonly folders: readonly string[];
}

/** Maximum files that are hashed and synced at once. More would starve the other calls of the system. */
const filesAtOnce = 16;

interface FoundFile {
  readonly path: string;
  readonly entry: DiskEntry;
}

export async function adoptFolder(disk: Disk, staged: string, limits: PublishLimits): Promise<AdoptedFolder> {
  await using folder = await heldFolder(disk, staged);
  return await adoptAll(folder.disk, folder.prefix, limits);
}

/** `place` is what precedes the paths of the files. */
async function adoptAll(disk: Disk, place: string, limits: PublishLimits): Promise<AdoptedFolder> {
  const { found, folders } = await walk(disk, place, limits);
  const files: ManifestFile[] = [];
  for (let first = 0; first < found.length; first += filesAtOnce) {
    const page = found.slice(first, first + filesAtOnce);
    files.push(...(await Promise.all(page.map((file) => adoptFile(disk, place, file)))));
  }
  return { files, folders };
}

function refused(name: string, reason: string): StorageFault {
  return new StorageFault("files.folder_invalid", { name, reason });
}

async function walk(
  disk: Disk,
  place: string,
  limits: PublishLimits,
): Promise<{ readonly found: readonly FoundFile[]; readonly folders: readonly string[] }> {
  const names = new VersionNames();
  const found: FoundFile[] = [];
  const folders: string[] = [];
  let total = 0;
  for (const left = [""]; left.length > 0;) {
    const folder = left.pop() ?? "";
    for (const name of await disk.list(folder === "" ? place.slice(0, -1) : `${place}${folder}`)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const fault = filePathFault(path);
      if (fault !== undefined) throw refused(path, fault);
      const entry = await disk.stat(`${place}${path}`);
      if (entry?.kind === "folder") {
        folders.push(path);
        left.push(path);
        continue;
      }
      if (entry?.kind !== "file") throw refused(path, "it is a link or a special file");
      if (entry.names !== 1) throw refused(path, "it has another name elsewhere");
      if (names.take(path) !== undefined) throw refused(path, "another name differs in upper and lower case only");
      found.push({ path, entry });
      total += entry.bytes;
      requireRoom({ path, bytes: entry.bytes, count: found.length, total }, limits);
    }
  }
  return { found, folders };
}

interface CountedFile {
  readonly path: string;
  readonly bytes: number;
  /** Number of files so far, and their bytes. */
  readonly count: number;
  readonly total: number;
}

function requireRoom({ path, bytes, count, total }: CountedFile, limits: PublishLimits): void {
  const { filesMax, fileBytesMax, bytesMax } = limits;
  if (count > filesMax) throw new StorageFault("files.too_many", { limit: filesMax });
  if (bytes > fileBytesMax) throw new StorageFault("files.too_large", { path, limit: fileBytesMax });
  if (total > bytesMax) throw new StorageFault("files.too_large", { path, limit: bytesMax });
}

async function adoptFile(disk: Disk, place: string, { path, entry }: FoundFile): Promise<ManifestFile> {
  const name = `${place}${path}`;
  const hash = createHash("sha256");
  const file = await disk.openFile(name);
  let bytes: number;
  try {
    bytes = await hashedFile(file, hash, entry.bytes + 1);
    await file.sync();
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
  const after = await disk.stat(name);
  const isUnchanged = bytes === entry.bytes && after?.bytes === bytes && after.changedMs === entry.changedMs;
  if (!isUnchanged) throw refused(path, "it changed while it was published");
  return { path, bytes, sha256: hash.digest("hex") };
}

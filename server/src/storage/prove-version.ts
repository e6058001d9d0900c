/**
 * Reads a version whole, compares it with its row, and copies it if there is a disk for the copy. The disk and the row
 * may come from elsewhere: only files that MANIFEST names are read, no link is followed, and no name leads outside.
 */
import { createHash } from "node:crypto";
import { errorCode } from "./disk.ts";
import type { Disk, WritableFile } from "./disk.ts";
import { filePathFault, manifestName } from "./file-path-fault.ts";
import { makeFolders } from "./folders.ts";
import { readManifest } from "./manifest.ts";
import type { ManifestFile } from "./manifest.ts";
import { readVersionFile, versionFileChunks } from "./read-version.ts";
import { versionFolder } from "./staged-publish.ts";
import type { PublishPlace } from "./staged-publish.ts";
import { StorageFault } from "./storage-fault.ts";
import { foldersOf, VersionNames } from "./version-names.ts";
import { writeAll, writeFile } from "./write-file.ts";

/** A version as its row describes it. */
export interface RecordedVersion extends PublishPlace {
  readonly files: number;
  readonly bytes: number;
  readonly digest: string;
}

/** Maximum bytes of a MANIFEST: 200,000 files with the longest paths. */
const manifestBytesMax = 512 * 1024 * 1024;
/** Maximum files that are read at once. Each one may wait for a sync. */
const filesAtOnce = 16;

/** The codes of a name that is not a regular file, or not a folder. */
const notPlainCodes = ["ENOTDIR", "ELOOP", "EINVAL", "EISDIR"];

/** "missing" if a file is not there, for example because the version was removed meanwhile. Throws if it is damaged. */
export async function proveVersion(disk: Disk, version: RecordedVersion, copy?: Disk): Promise<"whole" | "missing"> {
  try {
    const { bytes, files } = await manifestOf(disk, version);
    await copyFolders(copy, version, files);
    for (let first = 0; first < files.length; first += filesAtOnce)
      await Promise.all(files.slice(first, first + filesAtOnce).map((file) => proveFile(disk, version, file, copy)));
    if (copy !== undefined) await finishCopy(copy, version, files, bytes);
    return "whole";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return "missing";
    if (code === "EEXIST") throw damaged(version, "", "two versions have this folder");
    if (notPlainCodes.includes(code)) throw damaged(version, "", "it has a link or a special file");
    throw error;
  }
}

function damaged({ target, root, id }: PublishPlace, path: string, reason: string): StorageFault {
  return new StorageFault("files.damaged", { target, path, root, publish: id, reason });
}

async function manifestOf(
  disk: Disk,
  version: RecordedVersion,
): Promise<{ readonly bytes: Uint8Array; readonly files: readonly ManifestFile[] }> {
  const path = `${versionFolder(version)}/${manifestName}`;
  const entry = await disk.stat(path);
  if ((entry?.bytes ?? 0) > manifestBytesMax) throw damaged(version, manifestName, "it is too large");
  const bytes = await readVersionFile(disk, path);
  const manifest = readManifest(bytes, version.digest);
  if (manifest === undefined) throw damaged(version, manifestName, "its digest is not that of the journal");
  const { files } = manifest;
  requireNames(version, files);
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length !== version.files || total !== version.bytes)
    throw damaged(version, manifestName, "it has other files than the journal says");
  return { bytes, files };
}

/** Every name is one that a publish could have, and no two names are twins. */
function requireNames(version: RecordedVersion, files: readonly ManifestFile[]): void {
  const names = new VersionNames();
  for (const { path, bytes, sha256 } of files) {
    const fault = typeof path === "string" ? filePathFault(path) : "it is not text";
    if (fault !== undefined) throw damaged(version, manifestName, `it has a wrong path: ${fault}`);
    if (!Number.isSafeInteger(bytes) || bytes < 0 || typeof sha256 !== "string")
      throw damaged(version, manifestName, `the size or the digest of ${path} is wrong`);
    if (names.take(path) !== undefined) throw damaged(version, path, "two names differ in upper and lower case only");
  }
}

async function proveFile(
  disk: Disk,
  version: RecordedVersion,
  { path, bytes, sha256 }: ManifestFile,
  copy: Disk | undefined,
): Promise<void> {
  const source = `${versionFolder(version)}/${path}`;
  const hash = createHash("sha256");
  const target = await copy?.createFile(source);
  let size = 0;
  try {
    // One byte more than the size, so that a longer file is noticed and a huge one is not read.
    for await (const chunk of versionFileChunks(disk, source, { start: 0, end: bytes + 1 })) {
      hash.update(chunk);
      if (target !== undefined) await writeAll(target, chunk, size);
      size += chunk.byteLength;
    }
    await target?.sync();
  } catch (error) {
    await closeQuietly(target);
    throw error;
  }
  await target?.close();
  if (size !== bytes || hash.digest("hex") !== sha256)
    throw damaged(version, path, "its bytes are not those of MANIFEST");
}

async function closeQuietly(file: WritableFile | undefined): Promise<void> {
  await file?.close().catch(() => undefined);
}

async function copyFolders(copy: Disk | undefined, version: RecordedVersion, files: readonly ManifestFile[]) {
  if (copy === undefined) return;
  await makeFolders(copy, version.target);
  // Not makeFolders: a version whose folder exists is a twin of another version.
  await copy.makeFolder(versionFolder(version));
  for (const folder of foldersIn(files)) await copy.makeFolder(`${versionFolder(version)}/${folder}`);
}

/** MANIFEST is the last file, as in a publish. */
async function finishCopy(copy: Disk, version: RecordedVersion, files: readonly ManifestFile[], manifest: Uint8Array) {
  const folder = versionFolder(version);
  await writeFile(copy, `${folder}/${manifestName}`, manifest);
  for (const inner of foldersIn(files).toReversed()) await copy.syncFolder(`${folder}/${inner}`);
  await copy.syncFolder(folder);
  await copy.syncFolder(version.target);
}

/** Every folder of the files, each after its parent. */
function foldersIn(files: readonly ManifestFile[]): readonly string[] {
  return [...new Set(files.flatMap(({ path }) => foldersOf(path)))].toSorted(
    (a, b) => a.split("/").length - b.split("/").length,
  );
}

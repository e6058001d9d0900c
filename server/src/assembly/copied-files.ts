/**
 * The files in a backup: each root is a folder of `roots`, with the versions that the copied journal names. The journal is
 * copied first. A version that the server removes meanwhile makes the copy too old, and the journal is copied again.
 */
import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { JournalError } from "../journal/journal.ts";
import { syncPath } from "../journal/sqlite/folder/make-folder.ts";
import { removeAll } from "../storage/folders.ts";
import { ownName } from "../storage/open-root.ts";
import { proveVersion } from "../storage/prove-version.ts";
import type { RecordedVersion } from "../storage/prove-version.ts";
import { RealDisk } from "../storage/real-disk.ts";
import { versionFolder } from "../storage/staged-publish.ts";
import { StorageFault } from "../storage/storage-fault.ts";
import { recordedFiles } from "./recorded-files.ts";

/** The folder of the roots in a backup. */
const backupRoots = "roots";

/** The folder of each root by its name; undefined for a root that is not configured. */
type RootFolders = (root: string) => string | undefined;

export interface CopiedFiles {
  versions: number;
  bytes: number;
}

/** Adds the files of the copied journal to a backup. */
export function filesOfBackup(
  folderOf: RootFolders,
  copied: CopiedFiles,
): (backup: string) => Promise<"whole" | "again"> {
  const missing = new Set<string>();
  const done = new Map<string, RecordedVersion>();
  return async (backup) => {
    const { versions } = recordedFiles(backup);
    const named = new Set(versions.map(({ id }) => id));
    for (const [id, version] of done) {
      if (named.has(id)) continue;
      await removeAll(new RealDisk(join(backup, backupRoots, version.root)), versionFolder(version));
      done.delete(id);
    }
    for (const version of versions) {
      const { id, root } = version;
      if (done.has(id)) continue;
      const source = folderOf(root);
      if (source === undefined) throw unknownRoot(version);
      const target = join(backup, backupRoots, root);
      await mkdir(target, { recursive: true, mode: 0o700 });
      const disk = new RealDisk(target);
      if ((await proven(version, new RealDisk(source), disk)) === "whole") {
        done.set(id, version);
        continue;
      }
      await removeAll(disk, versionFolder(version));
      if (missing.has(id)) throw missingVersion(version, source);
      missing.add(id);
      return "again";
    }
    note(copied, versions);
    if (versions.length > 0) for (const path of [join(backup, backupRoots), backup]) syncPath(path);
    return "whole";
  };
}

interface RestoreOptions {
  readonly backup: string;
  /** The folder of a root in the data folder, if it is not elsewhere. */
  readonly folderOf: RootFolders;
  /** The data folder that is being restored, as its users will see it. */
  readonly data: string;
}

/** Restores the roots. A root in the data folder appears with it. One elsewhere appears before it, whole. */
export function filesOfRestore(
  { backup, folderOf, data }: RestoreOptions,
  copied: CopiedFiles,
): (unfinished: string) => Promise<"whole"> {
  return async (unfinished) => {
    const { versions, rootIds } = recordedFiles(unfinished);
    for (const [root, own] of Map.groupBy(versions, ({ root: name }) => name)) {
      const target = folderOf(root);
      if (target === undefined) throw unknownRoot(own[0] as RecordedVersion);
      const isInside = dirname(target) === data;
      const place = isInside ? join(unfinished, target.slice(data.length + 1)) : target;
      await restoreRoot({ from: join(backup, backupRoots, root), place, versions: own, rootId: rootIds.get(root) });
    }
    note(copied, versions);
    return "whole";
  };
}

interface RestoredRoot {
  readonly from: string;
  readonly place: string;
  readonly versions: readonly RecordedVersion[];
  readonly rootId: string | undefined;
}

async function restoreRoot({ from, place, versions, rootId }: RestoredRoot): Promise<void> {
  if (await isInUse(place)) {
    // A restore that was killed after this root, or a root that survived the loss of the journal. It must be whole.
    for (const version of versions)
      if ((await proven(version, new RealDisk(place))) === "missing") throw missingVersion(version, place);
    return;
  }
  if (!existsSync(from)) throw withoutFiles(from, versions.length);
  const draft = `${place}.unfinished`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const [source, target] = [new RealDisk(from), new RealDisk(draft)];
  for (const version of versions)
    if ((await proven(version, source, target)) === "missing") throw missingVersion(version, from);
  if (rootId !== undefined) {
    await target.makeFolder(ownName);
    await writeFile(join(draft, ownName, "id"), `${rootId}\n`, { flag: "wx", mode: 0o600, flush: true });
    await target.syncFolder(ownName);
  }
  await target.syncFolder("");
  await rename(draft, place);
  syncPath(dirname(place));
}

async function isInUse(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found !== undefined && (!found.isDirectory() || (await readdir(folder)).length > 0);
}

async function proven(version: RecordedVersion, from: RealDisk, copy?: RealDisk): Promise<"whole" | "missing"> {
  try {
    return await proveVersion(from, version, copy);
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    const { path = "", reason = "" } = error.data;
    const place = path === "" ? versionFolder(version) : `${versionFolder(version)}/${String(path)}`;
    const message = `${JSON.stringify(place)} in the storage root ${version.root} is damaged: ${String(reason)}. Publish the target again, or use --without-files.`;
    throw new JournalError("damaged", message, { certain: true, cause: error });
  }
}

function note(copied: CopiedFiles, versions: readonly RecordedVersion[]): void {
  copied.versions = versions.length;
  copied.bytes = versions.reduce((sum, { bytes }) => sum + bytes, 0);
}

function invalid(message: string): JournalError {
  return new JournalError("invalid", message, { certain: true });
}

function unknownRoot({ root, target }: RecordedVersion): JournalError {
  return invalid(
    `The journal names files of ${target} in the storage root ${root}, which storage_roots does not have. Add it with --storage-roots ${root}=FOLDER, or use --without-files.`,
  );
}

function missingVersion({ target, id, root }: RecordedVersion, folder: string): JournalError {
  return new JournalError(
    "damaged",
    `The version ${versionFolder({ target, id, root })} is missing in ${folder}. Restore it there or delete its target, or use --without-files.`,
    { certain: true },
  );
}

function withoutFiles(from: string, count: number): JournalError {
  return invalid(
    `The backup has no files (${from}), and its journal names ${String(count)} versions. Restore the journal alone with --without-files, and put the storage roots in place before the start.`,
  );
}

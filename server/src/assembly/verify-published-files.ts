/** Compares the storage roots of a data folder with its journal: every version, every file, and every other folder. */
import { errorCode } from "../storage/disk.ts";
import { proveVersion } from "../storage/prove-version.ts";
import type { RecordedVersion } from "../storage/prove-version.ts";
import { RealDisk } from "../storage/real-disk.ts";
import { unknownPlaces } from "../storage/recover-root.ts";
import { versionFolder } from "../storage/staged-publish.ts";
import { StorageFault } from "../storage/storage-fault.ts";
import { recordedFiles } from "./recorded-files.ts";
import { rootFolders } from "./upkeep.ts";

/** Something on a disk that is not as the journal says. */
interface FileFault {
  readonly root: string;
  /** The folder or the file, from the folder of the root. */
  readonly path: string;
  /** `unknown` is a folder that no row names: the next start moves it to `.orphans`. */
  readonly kind: "missing" | "damaged" | "unknown" | "unreadable";
  readonly reason?: string;
}

interface VerifiedFiles {
  readonly ok: boolean;
  readonly versions: number;
  readonly files: number;
  readonly bytes: number;
  readonly faults: readonly FileFault[];
}

interface VerifyOptions {
  readonly data: string;
  readonly storageRoots?: Readonly<Record<string, string>> | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/** A server may run on the folder. So a fault counts only if the journal still says the same afterwards. */
export async function verifyPublishedFiles(options: VerifyOptions): Promise<VerifiedFiles> {
  const folderOf = rootFolders(options.data, options);
  const { versions, rootIds } = recordedFiles(options.data);
  const suspects = new Map<string, FileFault>();
  let done = 0;
  for (const version of versions) {
    const fault = await faultOf(version, folderOf(version.root));
    if (fault !== undefined) suspects.set(version.id, fault);
    done += 1;
    options.onProgress(done, versions.length);
  }
  for (const root of rootIds.keys()) {
    const folder = folderOf(root);
    if (folder === undefined) continue;
    for (const { id, path } of await foldersIn(folder, options.data)) suspects.set(id, { root, path, kind: "unknown" });
  }
  const { versions: after, otherIds } = recordedFiles(options.data);
  const current = new Set(after.map(({ id }) => id));
  const isFault = (id: string, { kind }: FileFault): boolean =>
    kind === "unknown" ? !current.has(id) && !otherIds.has(id) : current.has(id);
  const faults = [...suspects].filter(([id, fault]) => isFault(id, fault)).map(([, fault]) => fault);
  const total = (member: "files" | "bytes"): number => versions.reduce((sum, version) => sum + version[member], 0);
  return { ok: faults.length === 0, versions: versions.length, files: total("files"), bytes: total("bytes"), faults };
}

async function foldersIn(
  folder: string,
  data: string,
): Promise<readonly { readonly id: string; readonly path: string }[]> {
  const { versions, otherIds } = recordedFiles(data);
  const known = new Set([...versions.map(({ id }) => id), ...otherIds]);
  try {
    const found: { readonly id: string; readonly path: string }[] = [];
    for await (const place of unknownPlaces(new RealDisk(folder), () => Promise.resolve(known))) found.push(place);
    return found;
  } catch (error) {
    // A root without a folder has no unknown folders. Its versions are missing.
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function faultOf(version: RecordedVersion, folder: string | undefined): Promise<FileFault | undefined> {
  const { root } = version;
  const path = versionFolder(version);
  if (folder === undefined)
    return { root, path, kind: "unreadable", reason: "storage_roots does not have this root: add it" };
  try {
    const found = await proveVersion(new RealDisk(folder), version);
    return found === "whole" ? undefined : { root, path, kind: "missing" };
  } catch (error) {
    if (!(error instanceof StorageFault))
      return { root, path, kind: "unreadable", reason: error instanceof Error ? error.message : "unknown" };
    const { path: file = "", reason = "" } = error.data;
    const place = file === "" ? path : `${path}/${String(file)}`;
    return { root, path: place, kind: "damaged", reason: String(reason) };
  }
}

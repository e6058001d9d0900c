/** The reads of files that need the disk. */
import { refusal, done } from "../../../machine/refusal.ts";
import type { Refusal } from "../../../machine/entry.ts";
import { findVersion, unknownVersion } from "../../../packs/files/find-version.ts";
import type { VersionRow } from "../../../packs/files/file-tables.ts";
import type { Manifest } from "../../../storage/manifest.ts";
import { StorageFault } from "../../../storage/storage-fault.ts";
import type { StorageRoot } from "../../../storage/storage-root.ts";
import type { AppRead, AppReadContext } from "../../reads/app-read.ts";
import { rootHere, storageRefusal } from "./commit-evidence.ts";

interface VersionInput {
  readonly target: string;
  readonly version?: number;
}

interface OpenedVersion {
  readonly row: VersionRow;
  readonly root: StorageRoot;
  readonly manifest: Manifest;
}

/** The row is read at once: the state is valid until the first wait. */
async function openVersion(
  { target, version }: VersionInput,
  { state, services }: AppReadContext,
): Promise<OpenedVersion | Refusal> {
  const row = findVersion(state, target, version);
  if (row === undefined) return unknownVersion(target, version).outcome as Refusal;
  const unavailable = await storageRefusal(services, row.root);
  if (unavailable !== undefined) return unavailable;
  const root = rootHere(services, { root: row.root });
  if ("kind" in root) return root;
  try {
    return { row, root, manifest: await root.manifest(row) };
  } catch (error) {
    if (error instanceof StorageFault) return refusal(error.code, { ...error.data });
    throw error;
  }
}

interface ListInput extends VersionInput {
  readonly after?: string;
  readonly limit?: number;
}

export const listFiles: AppRead = {
  view: "keys",
  async run({ after, limit = 100, ...input }: ListInput, context) {
    const opened = await openVersion(input, context);
    if ("kind" in opened) return opened;
    const { row, manifest } = opened;
    const { target, version } = row;
    const start = after === undefined ? 0 : firstAfter(manifest.files, after);
    const items = manifest.files.slice(start, start + limit);
    const next = start + limit < manifest.files.length ? (items.at(-1)?.path ?? null) : null;
    return done({ target, version, items: items.map((file) => ({ ...file })), next });
  },
};

/** The files are sorted by path. */
function firstAfter(files: Manifest["files"], after: string): number {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]?.path ?? "") <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const readContent: AppRead = {
  view: "keys",
  async run({ path, ...input }: VersionInput & { readonly path: string }, context) {
    const opened = await openVersion(input, context);
    if ("kind" in opened) return opened;
    const { row, root, manifest } = opened;
    const file = manifest.byPath.get(path);
    const { target, version } = row;
    if (file === undefined) return refusal("files.file_unknown", { target, version, path });
    const whole = { start: 0, end: file.bytes };
    return {
      ...done({}),
      stream: {
        contentType: "application/octet-stream",
        length: file.bytes,
        etag: file.sha256,
        open: (range = whole) => root.chunks(row, file, range),
      },
    };
  },
};

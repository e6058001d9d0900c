/** A root on a simulated disk together with the rows that the journal would have, and the rule that both must agree. */
import assert from "node:assert/strict";
import { sha256Of } from "../../server/src/storage/manifest.ts";
import { readVersionFile } from "../../server/src/storage/read-version.ts";
import { recoverRoot } from "../../server/src/storage/recover-root.ts";
import { versionFolder } from "../../server/src/storage/staged-publish.ts";
import type { SealedPublish } from "../../server/src/storage/staged-publish.ts";
import { StorageRoot } from "../../server/src/storage/storage-root.ts";
import { writeAll } from "../../server/src/storage/write-file.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const limits = { bytesMax: 1_000_000, fileBytesMax: 1_000_000, filesMax: 100 };

export type Content = Readonly<Record<string, string>>;

/** The rows of the journal. An entry is durable when it is here. */
export interface Rows {
  readonly running: Set<string>;
  readonly garbage: Set<string>;
  readonly versions: Map<string, { readonly content: Content; readonly digest: string }>;
}

export const newRows = (): Rows => ({ running: new Set(), garbage: new Set(), versions: new Map() });

const placeOf = (id: string) => ({ id, root: "main", target: "site/docs" });

export function rootOn(disk: SimulatedDisk): StorageRoot {
  return new StorageRoot({ name: "main", session: "s", disk });
}

export interface PublishMode {
  /** The mistake of a commit before the disk is ready. */
  readonly isEarly?: boolean;
  /** A tool writes the files into the folder, and syncs nothing. */
  readonly isInPlace?: boolean;
}

/** The ten steps: the row, the disk, the row. */
export async function publishAs(
  root: StorageRoot,
  rows: Rows,
  id: string,
  content: Content,
  { isEarly = false, isInPlace = false }: PublishMode = {},
) {
  rows.running.add(id);
  const publish = root.publish({ ...placeOf(id), isInPlace }, limits);
  if (isInPlace) await writeInPlace(root, id, content);
  for (const [path, text] of isInPlace ? [] : Object.entries(content)) {
    // In two parts, so that the end of a file is appended.
    const bytes = Buffer.from(text);
    const middle = bytes.length >> 1;
    await publish.write({ path, offset: 0, bytes: bytes.subarray(0, middle) });
    await publish.write({ path, offset: middle, bytes: bytes.subarray(middle) });
  }
  const commit = ({ digest }: Pick<SealedPublish, "digest">): void => {
    rows.running.delete(id);
    rows.versions.set(id, { content, digest });
  };
  if (isEarly) commit({ digest: "unknown" });
  commit(await publish.seal());
}

async function writeInPlace({ disk }: StorageRoot, id: string, content: Content): Promise<void> {
  const folder = `${placeOf(id).target}/tmp/${id}`;
  const files = Object.keys(content).map((path) => `${folder}/${path}`);
  const folders = new Set([folder, ...files.map((file) => file.slice(0, file.lastIndexOf("/")))]);
  for (const each of folders) await makeAll(disk, each);
  for (const [path, text] of Object.entries(content)) {
    const file = await disk.createFile(`${folder}/${path}`);
    await writeAll(file, Buffer.from(text), 0);
    await file.close();
  }
}

async function makeAll(disk: StorageRoot["disk"], path: string): Promise<void> {
  const names = path.split("/");
  for (let count = 1; count <= names.length; count += 1) {
    const folder = names.slice(0, count).join("/");
    if ((await disk.stat(folder)) === undefined) await disk.makeFolder(folder);
  }
}

/** The start of a node: running publishes end, then the disk follows the rows. */
export async function recover(root: StorageRoot, rows: Rows): Promise<void> {
  for (const id of rows.running) rows.garbage.add(id);
  rows.running.clear();
  const isKnown = (id: string): boolean => rows.garbage.has(id) || rows.versions.has(id);
  await recoverRoot(root.disk, {
    knownOf: (ids) => Promise.resolve(new Set(ids.filter(isKnown))),
    async *versions() {
      yield [...rows.versions.keys()].map(placeOf);
    },
  });
  for (const id of rows.garbage) {
    assert.ok(await root.remove(placeOf(id)));
    rows.garbage.delete(id);
  }
}

/** Every version is whole, and nothing else is left. */
export async function requireAgreement(root: StorageRoot, rows: Rows, what: string): Promise<void> {
  const { disk } = root;
  const target = await disk.stat("site/docs").catch(() => undefined);
  const names = target === undefined ? [] : await disk.list("site/docs");
  const staged = names.includes("tmp") ? await disk.list("site/docs/tmp") : [];
  assert.deepEqual(staged, [], `${what}: a publish is left`);
  const versions = names.filter((name) => name !== "tmp").toSorted();
  assert.deepEqual(versions, [...rows.versions.keys()].map((id) => `v.${id}`).toSorted(), what);
  for (const [id, { content, digest }] of rows.versions) {
    const place = placeOf(id);
    const manifest = await root.manifest({ ...place, digest });
    assert.deepEqual(manifest.files.map(({ path }) => path).toSorted(), Object.keys(content).toSorted(), what);
    for (const { path, sha256 } of manifest.files)
      assert.equal(sha256Of(await readVersionFile(disk, `${versionFolder(place)}/${path}`)), sha256, what);
  }
}

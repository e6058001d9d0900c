/** One storage root of this node: its publishes, its versions, and what recovery removes. */
import type { Disk } from "./disk.ts";
import { makeFolders, removeAll } from "./folders.ts";
import { heldFolder, walkedFolder } from "./held-folder.ts";
import type { HeldFolder } from "./held-folder.ts";
import { manifestName } from "./file-path-fault.ts";
import { readManifest } from "./manifest.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { readVersionFile, versionFileChunks } from "./read-version.ts";
import { StagedPublish, stagedFolder, versionFolder } from "./staged-publish.ts";
import type { PublishLimits } from "./publish-limits.ts";
import type { PublishPlace } from "./staged-publish.ts";
import { faultOf, StorageFault } from "./storage-fault.ts";

/** Folders of the root itself. No target has such a name. */
export const trashName = ".trash";

/** Maximum manifests in memory, and the maximum of their files together. */
const manifestsMax = 16;
const manifestFilesMax = 400_000;
/** Maximum folders of publishes that are held open. Each takes a handle of the process. Calls walk to the further ones. */
const heldFoldersMax = 200;
/** Maximum folders of targets that are known to be durable. */
const durableFoldersMax = 10_000;

interface StorageRootOptions {
  readonly name: string;
  readonly disk: Disk;
  /** New with each start of the node. The publishes of another session are over. */
  readonly session: string;
}

interface VersionPlace extends PublishPlace {
  readonly digest: string;
}

export class StorageRoot {
  readonly name: string;
  readonly session: string;
  readonly disk: Disk;
  readonly #staged = new Map<string, StagedPublish>();
  readonly #manifests = new Map<string, Manifest>();
  readonly #durable = new Set<string>();
  #heldCount = 0;
  /** Number of open streams of each version. */
  readonly #readers = new Map<string, number>();

  constructor({ name, disk, session }: StorageRootOptions) {
    this.name = name;
    this.disk = disk;
    this.session = session;
  }

  /** The publish of this id on the disk. It begins with the first use. */
  publish(place: PublishPlace & { readonly isInPlace?: boolean }, limits: PublishLimits): StagedPublish {
    const known = this.#staged.get(place.id);
    if (known !== undefined) return known;
    const staged = new StagedPublish({
      disk: this.disk,
      place,
      isInPlace: place.isInPlace === true,
      limits,
      makeTarget: (path) => this.#makeDurable(path),
      holdFolder: (path) => this.#holdFolder(path),
    });
    this.#staged.set(place.id, staged);
    return staged;
  }

  /** The publish has ended, by a commit or otherwise. */
  forget(id: string): void {
    const staged = this.#staged.get(id);
    this.#staged.delete(id);
    // The end of a publish does not wait for its handle, and a failed close harms nothing.
    staged?.close().catch(() => undefined);
  }

  /** Closes the folders of all publishes. */
  async close(): Promise<void> {
    const staged = [...this.#staged.values()];
    this.#staged.clear();
    await Promise.all(staged.map((publish) => publish.close()));
  }

  /** Forgets the publishes that have ended. */
  forgetEnded(isRunning: (id: string) => boolean): void {
    for (const id of this.#staged.keys()) if (!isRunning(id)) this.forget(id);
  }

  /** The list of files of a version. */
  async manifest(place: VersionPlace): Promise<Manifest> {
    const known = this.#manifests.get(place.id);
    if (known !== undefined) return known;
    const bytes = await this.#reading(place, manifestName, () =>
      readVersionFile(this.disk, `${versionFolder(place)}/${manifestName}`),
    );
    const manifest = readManifest(bytes, place.digest);
    if (manifest === undefined) throw this.#damaged(place, manifestName);
    this.#remember(place.id, manifest);
    return manifest;
  }

  /** The bytes of a file from `start` up to `end`. The version is kept until the stream ends. */
  async *chunks(
    place: PublishPlace,
    { path, bytes }: ManifestFile,
    range: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const release = this.#use(place.id);
    try {
      const file = `${versionFolder(place)}/${path}`;
      const entry = await this.#reading(place, path, () => this.disk.stat(file));
      if (entry?.bytes !== bytes) throw this.#damaged(place, path);
      yield* versionFileChunks(this.disk, file, range);
    } finally {
      release();
    }
  }

  /** Removes a publish or a version from the disk. False while a stream reads it. */
  async remove(place: PublishPlace): Promise<boolean> {
    if (this.#readers.has(place.id)) return false;
    this.#manifests.delete(place.id);
    const { disk } = this;
    await this.#makeDurable(trashName);
    // The staging folder first: a slow publisher that renames it meanwhile finds nothing.
    const moves = [
      [stagedFolder(place), `${trashName}/${place.id}.staged`],
      [versionFolder(place), `${trashName}/${place.id}.version`],
    ] as const;
    for (const [from, to] of moves) {
      if ((await disk.stat(from).catch(missing)) !== undefined) {
        await removeAll(disk, to);
        await disk.rename(from, to);
      }
    }
    // The names must be gone for certain before the journal forgets them.
    for (const folder of [`${place.target}/tmp`, place.target])
      if ((await disk.stat(folder).catch(missing)) !== undefined) await disk.syncFolder(folder);
    for (const [, to] of moves) await removeAll(disk, to);
    return true;
  }

  async #makeDurable(path: string): Promise<void> {
    if (this.#durable.has(path)) return;
    await makeFolders(this.disk, path);
    if (this.#durable.size >= durableFoldersMax) this.#durable.clear();
    this.#durable.add(path);
  }

  async #holdFolder(path: string): Promise<HeldFolder> {
    if (this.#heldCount >= heldFoldersMax) return walkedFolder(this.disk, path);
    this.#heldCount += 1;
    await using opened = new AsyncDisposableStack();
    opened.defer(() => void (this.#heldCount -= 1));
    const { disk, prefix } = opened.use(await heldFolder(this.disk, path));
    const held = opened.move();
    return { disk, prefix, [Symbol.asyncDispose]: () => held.disposeAsync() };
  }

  #use(id: string): () => void {
    this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#readers.get(id) ?? 1) - 1;
      if (left === 0) this.#readers.delete(id);
      else this.#readers.set(id, left);
    };
  }

  #remember(id: string, manifest: Manifest): void {
    this.#manifests.set(id, manifest);
    const count = (): number => [...this.#manifests.values()].reduce((sum, { files }) => sum + files.length, 0);
    for (const oldest of this.#manifests.keys()) {
      if (this.#manifests.size <= manifestsMax && count() <= manifestFilesMax) return;
      if (oldest !== id) this.#manifests.delete(oldest);
    }
  }

  async #reading<Result>(place: PublishPlace, path: string, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      const fault = faultOf(error, this.name);
      // Without free handles the file may well be there.
      throw fault.code === "files.storage_busy" ? fault : this.#damaged(place, path);
    }
  }

  #damaged({ target, id }: PublishPlace, path: string): StorageFault {
    return new StorageFault("files.damaged", { target, path, publish: id, root: this.name });
  }
}

function missing(error: unknown): undefined {
  // A folder above it is missing, so it is missing too.
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}

/**
 * One publish on the disk: steps 2 to 7 of the ten steps.
 *
 * - 1, the machine: `files.open` checks the write lock on the guard of the target.
 * - 2: every file is written into the new folder tmp/<id> of the target.
 * - 3: every file is synced.
 * - 4: MANIFEST is written as the last file, and every folder is synced, the deepest first.
 * - 5: the folder and its target are on the same device, or the publish is refused.
 * - 6: tmp/<id> is renamed to v.<id>, a name that nothing had before.
 * - 7: both folders of the rename are synced.
 * - 8, the machine: `files.commit` writes the row of the version, if the lock is held in that entry.
 * - 9, the journal: the entry is durable.
 * - 10, the machine: the lock is released, in the same entry or by its holder.
 */
import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { adoptFolder } from "./adopt-folder.ts";
import type { Disk } from "./disk.ts";
import { filePathFault, manifestName, stagingName, versionPrefix } from "./file-path-fault.ts";
import { heldFolder, pathOfHeld } from "./held-folder.ts";
import type { HeldFolder } from "./held-folder.ts";
import { sha256Of, writeManifest } from "./manifest.ts";
import type { ManifestFile } from "./manifest.ts";
import type { PublishLimits } from "./publish-limits.ts";
import { faultOf, StorageFault } from "./storage-fault.ts";
import { foldersOf, VersionNames } from "./version-names.ts";
import { writeFile } from "./write-file.ts";

export interface PublishPlace {
  readonly id: string;
  readonly root: string;
  readonly target: string;
}

interface FilePart {
  readonly path: string;
  /** Bytes of the file that were sent before this part. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The digest of the part that the sender computed. */
  readonly sha256?: string | undefined;
}

/** The result of steps 2 to 7: the evidence of `files.commit`. */
export interface SealedPublish {
  readonly files: number;
  readonly bytes: number;
  readonly digest: string;
}

interface StagedFile {
  readonly path: string;
  readonly hash: Hash;
  size: number;
  isMade: boolean;
  /** Of the last part, so that a repeated one is recognised. */
  lastPart?: { readonly offset: number; readonly digest: string };
  /** Ends when the parts before are written. */
  turn: Promise<unknown>;
}

export const stagedFolder = ({ target, id }: PublishPlace): string => `${target}/${stagingName}/${id}`;
export const versionFolder = ({ target, id }: PublishPlace): string => `${target}/${versionPrefix}${id}`;

interface StagedPublishOptions {
  readonly disk: Disk;
  readonly place: PublishPlace;
  /** The publisher has the root, and writes the files into the folder itself. */
  readonly isInPlace: boolean;
  readonly limits: PublishLimits;
  /** Makes the folder <target>/tmp durable. */
  readonly makeTarget: (path: string) => Promise<void>;
  /** The staging folder until the publish has ended. */
  readonly holdFolder: (path: string) => Promise<HeldFolder>;
}

export class StagedPublish {
  readonly #options: StagedPublishOptions;
  readonly #files = new Map<string, StagedFile>();
  readonly #names = new VersionNames();
  readonly #folders = new Map<string, Promise<void>>();
  #bytes = 0;
  #begun: Promise<HeldFolder> | undefined;
  #sealed: Promise<SealedPublish> | undefined;
  #fault: StorageFault | undefined;
  #isClosed = false;

  constructor(options: StagedPublishOptions) {
    this.#options = options;
  }

  /** The first fault of the disk. After it the publish can only be aborted. */
  get fault(): StorageFault | undefined {
    return this.#fault;
  }

  /** Steps 2 and 3 for one part. Parts of one file are written one after the other. Returns the size of the file. */
  async write(part: FilePart): Promise<number> {
    const { isInPlace, place } = this.#options;
    if (isInPlace) throw new StorageFault("files.written_in_place", { id: place.id });
    const file = this.#files.get(part.path) ?? this.#newFile(part);
    const written = file.turn.then(() => this.#guarded(() => this.#writePart(file, part)));
    file.turn = written.catch(() => undefined);
    return written;
  }

  /** Steps 4 to 7. Every call after the first returns the same. */
  seal(): Promise<SealedPublish> {
    this.#sealed ??= this.#guarded(() => this.#sealAll());
    return this.#sealed;
  }

  /** Closes the staging folder after the last call that uses it. The publish has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#files.values()].map(({ turn }) => turn));
    await this.#sealed?.catch(() => undefined);
    const staging = await this.#begun?.catch(() => undefined);
    await staging?.[Symbol.asyncDispose]();
  }

  async #guarded<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      if (this.#fault !== undefined) throw this.#fault;
      return await act();
    } catch (error) {
      const fault = faultOf(error, this.#options.place.root);
      // A refused part changes nothing. A failed call of the disk leaves an unknown state behind.
      if (error !== fault) this.#fault ??= fault;
      throw fault;
    }
  }

  /** Registers a file with its name and its folders. Nothing waits here, so two parts cannot take one name. */
  #newFile(part: FilePart): StagedFile {
    const { path, offset } = part;
    const reason = filePathFault(path);
    if (reason !== undefined) throw new StorageFault("files.name_invalid", { name: path, reason });
    if (offset !== 0) throw new StorageFault("files.upload_offset", { path, offset, expected: 0 });
    requireDigest(part);
    const { filesMax } = this.#options.limits;
    if (this.#files.size >= filesMax) throw new StorageFault("files.too_many", { limit: filesMax });
    this.#requireRoom(part, 0);
    const taken = this.#names.take(path);
    if (taken !== undefined) throw new StorageFault("files.name_taken", { name: taken });
    const file = { path, hash: createHash("sha256"), size: 0, isMade: false, turn: Promise.resolve() };
    this.#files.set(path, file);
    return file;
  }

  async #writePart(file: StagedFile, part: FilePart): Promise<number> {
    const { place } = this.#options;
    const { path, offset, bytes } = part;
    if (this.#isClosed || this.#sealed !== undefined) throw new StorageFault("files.publish_unknown", { id: place.id });
    const digest = requireDigest(part);
    const { size, lastPart: last } = file;
    // The reply to this part was lost.
    const isRepeated = last?.offset === offset && last.digest === digest && offset + bytes.byteLength === size;
    if (isRepeated) return size;
    if (offset !== size) throw new StorageFault("files.upload_offset", { path, offset, expected: size });
    this.#requireRoom(part, size);
    this.#bytes += bytes.byteLength;
    const { disk, prefix } = await this.#withFoldersOf(path);
    await writeFile(disk, prefix + path, bytes, file.isMade ? size : undefined);
    file.isMade = true;
    file.hash.update(bytes);
    file.size += bytes.byteLength;
    file.lastPart = { offset, digest };
    return file.size;
  }

  #requireRoom({ path, bytes }: FilePart, size: number): void {
    const { bytesMax, fileBytesMax } = this.#options.limits;
    const added = bytes.byteLength;
    if (size + added > fileBytesMax) throw new StorageFault("files.too_large", { path, limit: fileBytesMax });
    if (this.#bytes + added > bytesMax) throw new StorageFault("files.too_large", { path, limit: bytesMax });
  }

  #begin(): Promise<HeldFolder> {
    this.#begun ??= this.#makeStaging();
    return this.#begun;
  }

  /** The staging folder must be new, unless the publisher makes it. */
  async #makeStaging(): Promise<HeldFolder> {
    const { disk, place, makeTarget, holdFolder, isInPlace } = this.#options;
    const staged = stagedFolder(place);
    await makeTarget(`${place.target}/${stagingName}`);
    const isMade = isInPlace && (await disk.stat(staged)) !== undefined;
    if (!isMade) await disk.makeFolder(staged);
    return holdFolder(staged);
  }

  async #withFoldersOf(path: string): Promise<HeldFolder> {
    const staging = await this.#begin();
    const { disk, prefix } = staging;
    for (const folder of foldersOf(path)) {
      const made = this.#folders.get(folder) ?? disk.makeFolder(prefix + folder);
      this.#folders.set(folder, made);
      await made;
    }
    return staging;
  }

  async #sealAll(): Promise<SealedPublish> {
    const { disk, place } = this.#options;
    await Promise.all([...this.#files.values()].map(({ turn }) => turn));
    if (this.#fault !== undefined) throw this.#fault;
    const staging = await this.#begin();
    const { files, folders } = await this.#writtenFiles();
    const manifest = writeManifest(files);
    await writeFile(staging.disk, staging.prefix + manifestName, manifest.bytes);
    const deepestFirst = folders.toSorted((a, b) => b.split("/").length - a.split("/").length);
    for (const folder of deepestFirst) await staging.disk.syncFolder(staging.prefix + folder);
    await staging.disk.syncFolder(pathOfHeld(staging));
    await using target = await heldFolder(disk, place.target);
    await renameToVersion(place, { staging, target });
    return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), digest: manifest.digest };
  }

  /** The files and folders of the publish. Their bytes are synced. */
  async #writtenFiles(): Promise<{ readonly files: readonly ManifestFile[]; readonly folders: readonly string[] }> {
    const { disk, place, limits, isInPlace } = this.#options;
    if (isInPlace) return adoptFolder(disk, stagedFolder(place), limits);
    const made = [...this.#files.values()].filter(({ isMade }) => isMade);
    const files = made.map(({ path, hash, size }) => ({ path, bytes: size, sha256: hash.digest("hex") }));
    return { files, folders: [...this.#folders.keys()] };
  }
}

/** Steps 5 to 7. */
async function renameToVersion(
  { id }: PublishPlace,
  { staging, target }: { readonly staging: HeldFolder; readonly target: HeldFolder },
): Promise<void> {
  const { disk, prefix } = target;
  const [from, to] = [await staging.disk.stat(pathOfHeld(staging)), await disk.stat(pathOfHeld(target))];
  if (from?.device !== to?.device)
    throw Object.assign(new Error("the folder and its target are on two devices"), { code: "EXDEV" });
  await disk.rename(`${prefix}${stagingName}/${id}`, `${prefix}${versionPrefix}${id}`);
  await Promise.all([disk.syncFolder(pathOfHeld(target)), disk.syncFolder(prefix + stagingName)]);
}

function requireDigest({ path, bytes, sha256 }: FilePart): string {
  const digest = sha256Of(bytes);
  if (sha256 !== undefined && sha256 !== digest)
    throw new StorageFault("files.digest_mismatch", { path, expected: sha256, received: digest });
  return digest;
}

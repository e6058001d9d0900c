/**
 * The disk of a storage root. Paths are relative to the root, with `/` between names. No call follows a link. A failed
 * call rejects with the error of the system, whose `code` is such as `ENOSPC`.
 *
 * Bytes and names are durable only after a sync: that of a file keeps its bytes, that of a folder keeps its names. After a
 * crash everything else may be lost in any part.
 */
export interface Disk {
  /** Makes one folder. It must not exist. */
  makeFolder(path: string): Promise<void>;
  /** Makes a file to be written. It must not exist. */
  createFile(path: string): Promise<WritableFile>;
  /** Opens a regular file to be written further. */
  reopenFile(path: string): Promise<WritableFile>;
  openFile(path: string): Promise<ReadableFile>;
  syncFolder(path: string): Promise<void>;
  /**
   * A disk whose root is this folder, until it is disposed. Its calls walk only the names below the folder, which is faster
   * for many files deep in a root. A disk without this call walks from its own root.
   */
  inside?(path: string): Promise<Disk & AsyncDisposable>;
  rename(from: string, to: string): Promise<void>;
  /** Undefined if nothing has this name. */
  stat(path: string): Promise<DiskEntry | undefined>;
  /** The names in a folder. */
  list(path: string): Promise<readonly string[]>;
  removeFile(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Bytes that a writer can use, and the bytes of the whole file system. */
  space(): Promise<DiskSpace>;
}

export interface WritableFile {
  /** Number of bytes that were written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadableFile {
  /** Number of bytes that were read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Makes the bytes durable that another process wrote. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface DiskEntry {
  readonly kind: "file" | "folder" | "other";
  readonly bytes: number;
  /** The device of the file system. A rename works within one device only. */
  readonly device: number;
  /** Number of names of a file. One with several could be changed by another name. */
  readonly names: number;
  /** The time of the last change of the bytes. */
  readonly changedMs: number;
}

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The code of an error of the system. */
export function errorCode(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

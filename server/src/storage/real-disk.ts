/**
 * The disk of this host. A path is walked name by name: each folder is opened without following links, and the next name
 * is looked up in the opened folder. So a link that replaces a folder meanwhile leads nowhere.
 */
import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rmdir, statfs, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Disk, DiskEntry, ReadableFile, WritableFile } from "./disk.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** Opened folders have names here on Linux. Elsewhere the path is used, and each name of it was checked. */
const openedFolders = "/proc/self/fd";
const hasOpenedFolders = existsSync(openedFolders);

export class RealDisk implements Disk, AsyncDisposable {
  readonly #root: string;
  readonly #held: FileHandle | undefined;

  /** The root is a folder that exists. */
  constructor(root: string, held?: FileHandle) {
    this.#root = held === undefined ? root : realName(held, root);
    this.#held = held;
  }

  /** Holds the folder open until `close`, so that another folder that gets its name is not used. */
  static async hold(root: string): Promise<RealDisk> {
    return new RealDisk(root, await open(root, folderFlags));
  }

  async close(): Promise<void> {
    await this.#held?.close();
  }

  async inside(path: string): Promise<RealDisk> {
    const { handle } = await this.#openFolder(path);
    return new RealDisk(`${this.#root}/${path}`, handle);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  makeFolder(path: string): Promise<void> {
    return this.#inParent(path, (real) => mkdir(real, 0o700));
  }

  async createFile(path: string): Promise<WritableFile> {
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    return writable(await this.#inParent(path, (real) => open(real, flags, 0o600)));
  }

  async reopenFile(path: string): Promise<WritableFile> {
    return writable(await this.#regularFile(path, O_WRONLY));
  }

  async openFile(path: string): Promise<ReadableFile> {
    const file = await this.#regularFile(path, O_RDONLY);
    return {
      read: async (into, position) => (await file.read(into, 0, into.byteLength, position)).bytesRead,
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  async syncFolder(path: string): Promise<void> {
    if (path === "" && this.#held !== undefined) return this.#held.sync();
    const folder = await this.#openFolder(path);
    try {
      await folder.handle.sync();
    } finally {
      await folder.handle.close();
    }
  }

  rename(from: string, to: string): Promise<void> {
    return this.#inParent(from, (realFrom) => this.#inParent(to, (realTo) => rename(realFrom, realTo)));
  }

  async stat(path: string): Promise<DiskEntry | undefined> {
    try {
      const found = await (path === "" ? lstat(`${this.#root}/.`) : this.#inParent(path, (real) => lstat(real)));
      const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
      return { kind, bytes: found.size, device: found.dev, names: found.nlink, changedMs: found.mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async list(path: string): Promise<readonly string[]> {
    const folder = await this.#openFolder(path);
    try {
      return await readdir(folder.real);
    } finally {
      await folder.handle.close();
    }
  }

  removeFile(path: string): Promise<void> {
    return this.#inParent(path, (real) => unlink(real));
  }

  removeFolder(path: string): Promise<void> {
    return this.#inParent(path, (real) => rmdir(real));
  }

  async space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    const { bavail, blocks, bsize } = await statfs(this.#root);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  /** Opens a file that must be regular. A pipe or a device would block or act. */
  async #regularFile(path: string, flags: number): Promise<FileHandle> {
    const file = await this.#inParent(path, (real) => open(real, flags | O_NOFOLLOW | constants.O_NONBLOCK));
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
  }

  async #inParent<Result>(path: string, act: (real: string) => Promise<Result>): Promise<Result> {
    const names = path.split("/");
    const last = names.pop() ?? "";
    // The held folder is open already.
    if (names.length === 0 && this.#held !== undefined) return act(`${this.#root}/${last}`);
    const folder = await this.#openFolder(names.join("/"));
    try {
      return await act(`${folder.real}/${last}`);
    } finally {
      await folder.handle.close();
    }
  }

  async #openFolder(path: string): Promise<{ readonly handle: FileHandle; readonly real: string }> {
    let handle: FileHandle | undefined;
    let real = this.#root;
    let plain = this.#root;
    for (const name of path === "" ? ["."] : path.split("/")) {
      const parent = handle;
      try {
        handle = await open(`${real}/${name}`, folderFlags);
      } finally {
        await parent?.close();
      }
      plain = `${plain}/${name}`;
      real = realName(handle, plain);
    }
    if (handle === undefined) throw new Error("unreachable: a path has a name");
    return { handle, real };
  }
}

function realName({ fd }: FileHandle, plain: string): string {
  return hasOpenedFolders ? `${openedFolders}/${String(fd)}` : plain;
}

function writable(file: FileHandle): WritableFile {
  return {
    write: async (bytes, position) => (await file.write(bytes, 0, bytes.byteLength, position)).bytesWritten,
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

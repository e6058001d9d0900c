import type { Disk, DiskEntry, ReadableFile, WritableFile } from "../../server/src/storage/disk.ts";

interface FileNode {
  readonly kind: "file";
  bytes: Buffer;
  /** The bytes that a crash cannot take away. */
  synced: Buffer;
}

interface FolderNode {
  readonly kind: "folder";
  readonly names: Map<string, Node>;
  readonly synced: Map<string, Node>;
  /** Changes of names since the last sync, in order. A crash keeps any of them. */
  pending: { readonly name: string; readonly node: Node | undefined }[];
  readonly device: number;
}

type Node = FileNode | FolderNode;

/** The process is killed, or the power fails: the call and every later one never return. */
export class Crash extends Error {}

interface Faults {
  /** The call with this number, from 0, does not happen, and the process ends there. */
  readonly crashAt?: number;
  /** The call with this number fails with this code. */
  readonly failAt?: { readonly call: number; readonly code: string };
  /** A write takes only half of the bytes. */
  readonly areWritesShort?: boolean;
  /** Syncs that silently do nothing, as a program that forgot them. */
  readonly ignores?: (call: string) => boolean;
  /** Folders with these paths are mounted from other devices. */
  readonly mounts?: readonly string[];
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const newFolder = (device: number): FolderNode => ({
  ...{ kind: "folder", names: new Map(), synced: new Map(), pending: [], device },
});

/**
 * A disk in memory that forgets what was not synced. Each unsynced change of a name survives a crash or not, and the
 * unsynced bytes of a file survive whole, half or not at all. That includes every state that a real disk can have.
 */
export class SimulatedDisk implements Disk {
  readonly calls: string[] = [];
  readonly #root: FolderNode;
  readonly #faults: Faults;

  constructor(faults: Faults = {}, root: FolderNode = newFolder(1)) {
    this.#faults = faults;
    this.#root = root;
  }

  /** The same disk for the next process. */
  reopened(faults: Faults = {}): SimulatedDisk {
    return new SimulatedDisk(faults, this.#root);
  }

  /** The number of states that a crash at this moment can leave behind. */
  get crashStates(): number {
    const { changes, files } = this.#unsynced();
    return 2 ** changes * 3 ** files.length;
  }

  /** The disk after a crash, in one of its possible states. */
  afterCrash(state: number): SimulatedDisk {
    const { files } = this.#unsynced();
    let rest = state;
    const choose = (options: number): number => {
      const chosen = rest % options;
      rest = Math.floor(rest / options);
      return chosen;
    };
    const copies = new Map<Node, Node>();
    for (const file of files) {
      const kept = [file.synced, file.bytes.subarray(0, file.bytes.length >> 1), file.bytes][choose(3)] ?? file.synced;
      copies.set(file, { kind: "file", bytes: kept, synced: kept });
    }
    const copyOf = (node: Node): Node => {
      const known = copies.get(node);
      if (known !== undefined) return known;
      if (node.kind === "file") return { kind: "file", bytes: node.bytes, synced: node.bytes };
      const names = new Map(node.synced);
      for (const change of node.pending) {
        if (choose(2) === 0) continue;
        if (change.node === undefined) names.delete(change.name);
        else names.set(change.name, change.node);
      }
      const copy = newFolder(node.device);
      copies.set(node, copy);
      for (const [name, child] of names) copy.names.set(name, copyOf(child));
      for (const [name, child] of copy.names) copy.synced.set(name, child);
      return copy;
    };
    return new SimulatedDisk({}, copyOf(this.#root) as FolderNode);
  }

  async makeFolder(path: string): Promise<void> {
    this.#call(`mkdir ${path}`);
    const { folder, name } = this.#parentOf(path);
    if (folder.names.has(name)) throw failure("EEXIST");
    const device = this.#faults.mounts?.includes(path) === true ? folder.device + 1 : folder.device;
    this.#setName(folder, name, newFolder(device));
  }

  async createFile(path: string): Promise<WritableFile> {
    this.#call(`create ${path}`);
    const { folder, name } = this.#parentOf(path);
    if (folder.names.has(name)) throw failure("EEXIST");
    const node: FileNode = { kind: "file", bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#setName(folder, name, node);
    return this.#writable(path, node);
  }

  async reopenFile(path: string): Promise<WritableFile> {
    this.#call(`open ${path}`);
    return this.#writable(path, this.#file(path));
  }

  async openFile(path: string): Promise<ReadableFile> {
    const node = this.#file(path);
    return {
      read: (into, position) => Promise.resolve(node.bytes.copy(into, 0, position, position + into.byteLength)),
      sync: async () => {
        if (!this.#call(`fsync ${path}`)) node.synced = node.bytes;
      },
      close: () => Promise.resolve(),
    };
  }

  async syncFolder(path: string): Promise<void> {
    if (this.#call(`fsync ${path === "" ? "." : path}/`)) return;
    const folder = this.#folder(path);
    folder.synced.clear();
    for (const [name, node] of folder.names) folder.synced.set(name, node);
    folder.pending = [];
  }

  async rename(from: string, to: string): Promise<void> {
    this.#call(`rename ${from} ${to}`);
    const [source, target] = [this.#parentOf(from), this.#parentOf(to)];
    const node = source.folder.names.get(source.name);
    if (node === undefined) throw failure("ENOENT");
    const old = target.folder.names.get(target.name);
    if (old?.kind === "folder" && old.names.size > 0) throw failure("ENOTEMPTY");
    if (source.folder.device !== target.folder.device) throw failure("EXDEV");
    this.#setName(target.folder, target.name, node);
    this.#setName(source.folder, source.name, undefined);
  }

  async stat(path: string): Promise<DiskEntry | undefined> {
    const node = path === "" ? this.#root : this.#find(path);
    if (node === undefined) return undefined;
    if (node.kind === "folder") return { kind: "folder", bytes: 0, device: node.device, names: 1, changedMs: 0 };
    const { device } = this.#parentOf(path).folder;
    return { kind: "file", bytes: node.bytes.length, device, names: 1, changedMs: 0 };
  }

  async list(path: string): Promise<readonly string[]> {
    return [...this.#folder(path).names.keys()];
  }

  async removeFile(path: string): Promise<void> {
    this.#call(`unlink ${path}`);
    const { folder, name } = this.#parentOf(path);
    this.#setName(folder, name, undefined);
  }

  async removeFolder(path: string): Promise<void> {
    this.#call(`rmdir ${path}`);
    if (this.#folder(path).names.size > 0) throw failure("ENOTEMPTY");
    const { folder, name } = this.#parentOf(path);
    this.#setName(folder, name, undefined);
  }

  async space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    return { freeBytes: 1e9, totalBytes: 1e9 };
  }

  /** Records a call. True if it is to be ignored. */
  #call(text: string): boolean {
    const { crashAt, failAt, ignores } = this.#faults;
    const number = this.calls.length;
    if (crashAt !== undefined && number >= crashAt) throw new Crash();
    this.calls.push(text);
    if (failAt?.call === number) throw failure(failAt.code);
    return ignores?.(text) === true;
  }

  #writable(path: string, node: FileNode): WritableFile {
    return {
      write: async (bytes, position) => {
        this.#call(`write ${path}`);
        const taken = this.#faults.areWritesShort === true ? Math.ceil(bytes.byteLength / 2) : bytes.byteLength;
        const grown = Buffer.alloc(Math.max(node.bytes.length, position + taken));
        node.bytes.copy(grown);
        grown.set(bytes.subarray(0, taken), position);
        node.bytes = grown;
        return taken;
      },
      sync: async () => {
        if (!this.#call(`fsync ${path}`)) node.synced = node.bytes;
      },
      close: async () => {
        this.#call(`close ${path}`);
      },
    };
  }

  #unsynced(): { readonly changes: number; readonly files: readonly FileNode[] } {
    let changes = 0;
    const files = new Set<FileNode>();
    const seen = new Set<Node>();
    const visit = (node: Node): void => {
      if (seen.has(node)) return;
      seen.add(node);
      if (node.kind === "file") {
        if (node.bytes !== node.synced) files.add(node);
        return;
      }
      changes += node.pending.length;
      for (const child of [...node.names.values(), ...node.synced.values()]) visit(child);
    };
    visit(this.#root);
    return { changes, files: [...files] };
  }

  #setName(folder: FolderNode, name: string, node: Node | undefined): void {
    if (node === undefined && !folder.names.has(name)) throw failure("ENOENT");
    if (node === undefined) folder.names.delete(name);
    else folder.names.set(name, node);
    folder.pending.push({ name, node });
  }

  #find(path: string): Node | undefined {
    const { folder, name } = this.#parentOf(path);
    return folder.names.get(name);
  }

  #file(path: string): FileNode {
    const node = this.#find(path);
    if (node?.kind !== "file") throw failure(node === undefined ? "ENOENT" : "EISDIR");
    return node;
  }

  #folder(path: string): FolderNode {
    const node = path === "" ? this.#root : this.#find(path);
    if (node?.kind !== "folder") throw failure(node === undefined ? "ENOENT" : "ENOTDIR");
    return node;
  }

  #parentOf(path: string): { readonly folder: FolderNode; readonly name: string } {
    const at = path.lastIndexOf("/");
    return { folder: this.#folder(at < 0 ? "" : path.slice(0, at)), name: path.slice(at + 1) };
  }
}

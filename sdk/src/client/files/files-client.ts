import { defined } from "../../base/defined.ts";
import { guardOf } from "../../contract/packs/files/guard-of.ts";
import type { CoreClient } from "../core-client.ts";
import type { Run } from "../entities-client.ts";
import type { FileOperations, FileVersion } from "../packs/file-operations.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { ReplyStream } from "../transport/transport.ts";
import { Publish } from "./publish.ts";

type Of<Name extends keyof FileOperations> = FileOperations[Name];

export interface FileReadOptions {
  /** A version that is still kept; the current one by default. */
  readonly version?: number;
  /** The fence of a read lock, for a target in a project. The locks of this client's agent count without it. */
  readonly fence?: string;
  readonly signal?: AbortSignal;
}

export interface PublishOptions extends Omit<Of<"open">["input"], "target" | "fence" | "inPlace"> {
  /** The fence of a write lock. Without it, the publish waits for the lock, renews it and releases it at its end. */
  readonly fence?: string;
  /**
   * The folder of the storage root, for a program on the host of the root, in Node only. The files are then written into
   * `folder` of the publish, by any tool, and no byte is sent.
   */
  readonly rootFolder?: string;
}

export interface PublishFolderOptions extends PublishOptions {
  /** Data about the version. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Maximum files that are uploaded at the same time. */
const uploadsMax = 8;

/** The pack `files`: published versions of files. */
export interface FilesClient {
  /** Begins a publish. At the end of its scope it is aborted, unless it was committed. */
  publish(target: string, options?: PublishOptions): Promise<Publish>;
  /** Publishes every file of a folder as the next version, all at once. In Node only. Links are refused. */
  publishFolder(target: string, folder: string, options?: PublishFolderOptions): Promise<FileVersion>;
  /** The bytes of a small file. */
  read(target: string, path: string, options?: FileReadOptions): Promise<Uint8Array>;
  /** The stream of a file, with ranges. Its tag is the SHA-256 digest of the file. */
  open(target: string, path: string, options?: FileReadOptions): Promise<ReplyStream>;
  /** The current version, one that is still kept, or the one that was current at a position of the journal. */
  get(target: string, options?: Omit<Of<"get">["input"], "target">): Promise<FileVersion>;
  list(target: string, query?: Omit<Of<"list">["input"], "target">): Promise<Of<"list">["output"]>;
  listTargets(query?: Of<"list-targets">["input"]): Promise<Of<"list-targets">["output"]>;
  listVersions(
    target: string,
    query?: Omit<Of<"list-versions">["input"], "target">,
  ): Promise<Of<"list-versions">["output"]>;
  listPublishes(query?: Of<"list-publishes">["input"]): Promise<Of<"list-publishes">["output"]>;
  listRoots(): Promise<Of<"list-roots">["output"]>;
  /** Keeps a version while its files are read. */
  pin(pinned: Of<"pin">["input"]): Promise<FileVersion>;
  /** Ends the pin of this client. */
  unpin(pinned: Of<"unpin">["input"]): Promise<Of<"unpin">["output"]>;
  delete(target: string, fence: string): Promise<Of<"delete">["output"]>;
  /** For operators. */
  configure(settings: Of<"configure">["input"]): Promise<Of<"configure">["output"]>;
  /** For operators. */
  clearRoot(root: Of<"clear-root">["input"]): Promise<Of<"clear-root">["output"]>;
}

interface FilesHost {
  readonly run: Run;
  readonly client: CoreClient;
}

export function filesClient({ run, client }: FilesHost): FilesClient {
  const ask = <Output>(operation: string, input: object): Promise<Output> =>
    run(`files.${operation}`, input, {}) as Promise<Output>;
  const open: FilesClient["open"] = async (target, path, { version, fence, signal } = {}) => {
    const input = defined({ target, path, version, fence });
    const reply = await client.execute("files.content", input, defined({ acceptsStream: true as const, signal }));
    const { outcome, stream } = reply;
    if (outcome.kind === "refusal") throw new HoldfastError("files.content", outcome.code, { data: outcome.data });
    if (stream === undefined) throw new Error("the server answered without a stream");
    return stream;
  };
  return {
    publish: (target, options = {}) => beginPublish(client, target, options),
    async publishFolder(target, folder, { meta, ...options } = {}) {
      const { folderFiles } = await import("#folder-files");
      // The folder is read first: without it no lock is acquired.
      const found = await folderFiles(folder);
      await using publish = await beginPublish(client, target, options);
      const left = found.values();
      const upload = async (): Promise<void> => {
        for (const { path, read } of left) await publish.write(path, read());
      };
      await Promise.all(Array.from({ length: Math.min(uploadsMax, found.length) }, upload));
      return await publish.commit(defined({ meta }));
    },
    open,
    async read(target, path, options) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await open(target, path, options)).open()) chunks.push(chunk);
      return joined(chunks);
    },
    get: (target, options = {}) => ask("get", { target, ...options }),
    list: (target, query = {}) => ask("list", { target, ...query }),
    listTargets: (query = {}) => ask("list-targets", query),
    listVersions: (target, query = {}) => ask("list-versions", { target, ...query }),
    listPublishes: (query = {}) => ask("list-publishes", query),
    listRoots: () => ask("list-roots", {}),
    pin: (pinned) => ask("pin", pinned),
    unpin: (pinned) => ask("unpin", pinned),
    delete: (target, fence) => ask("delete", { target, fence }),
    configure: (settings) => ask("configure", settings),
    clearRoot: (root) => ask("clear-root", root),
  };
}

async function beginPublish(
  client: CoreClient,
  target: string,
  { fence, rootFolder, ...options }: PublishOptions,
): Promise<Publish> {
  const host = rootFolder === undefined ? undefined : await import("#folder-files");
  const inPlace = rootFolder === undefined ? undefined : await host?.rootIdOf(rootFolder);
  const lock = fence === undefined ? await client.acquire(guardOf(target)) : undefined;
  try {
    const place = defined({ target, fence: fence ?? lock?.fence ?? "", inPlace });
    const opened = await client.operations.files.open({ ...place, ...options });
    const folder = await folderOf(client, opened, host, rootFolder);
    return new Publish({ client, opened, lock, folder });
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    throw error;
  }
}

interface FolderHost {
  readonly makePublishFolder: (rootFolder: string, target: string, id: string) => Promise<string>;
}

/** The folder into which this program writes the files itself. A publish without it is useless, and ends. */
async function folderOf(
  client: CoreClient,
  { id, target }: Of<"open">["output"],
  host: FolderHost | undefined,
  rootFolder: string | undefined,
): Promise<string | undefined> {
  if (host === undefined || rootFolder === undefined) return undefined;
  try {
    return await host.makePublishFolder(rootFolder, target, id);
  } catch (error) {
    await client.operations.files.abort({ id });
    throw error;
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

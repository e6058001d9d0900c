/**
 * One storage root of a node: opens and announces it, makes its disk agree with the journal, and removes what the journal
 * has given up. If its folder is gone or is another one, the service fails and is started again after a delay.
 */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { rootTable } from "../../packs/files/file-tables.ts";
import type { DiskSpace } from "../../storage/disk.ts";
import { openRoot, readRootId } from "../../storage/open-root.ts";
import { RealDisk } from "../../storage/real-disk.ts";
import { recoverRoot } from "../../storage/recover-root.ts";
import type { RecoveredRoot } from "../../storage/recover-root.ts";
import { faultOf } from "../../storage/storage-fault.ts";
import { StorageRoot } from "../../storage/storage-root.ts";
import type { Service, ServiceFactory } from "../service.ts";
import { knownPlaces } from "./known-places.ts";
import { sweepRoot } from "./sweep-root.ts";

/** A root in `/health`. */
interface RootHealth extends JsonObject {
  readonly root: string;
  /** Why it takes no publishes. */
  readonly degraded?: string;
  readonly orphans: number;
  readonly missing_versions: number;
  /** Space of the disk at the last scan for folders to remove. */
  readonly free_bytes: number;
  readonly total_bytes: number;
}

type ServiceContext = Parameters<ServiceFactory>[0];

interface StorageRootOptions {
  readonly root: string;
  readonly folder: string;
  /** The name of the node in `files.list-roots`. */
  readonly node: string;
  /** The address of the node for clients; undefined if it is not known. */
  readonly url: string | undefined;
  /** The root is announced at the start, also if no publish used it yet. */
  readonly isEager: boolean;
  /** Accepts a file system of the network or of a user's program. */
  readonly allowsNetwork: boolean;
  /** Locks a folder for this process, or throws. */
  readonly own: (folder: string) => () => void;
}

/** The beginning of the names of these services. */
export const storageRootPrefix = "storage-root ";

/** Interval between two scans for folders to remove. */
const sweepIntervalMs = 5_000;
/** Time until the folders of an ended publish are removed. Those of other publishes share the entry. */
const sweepDelayMs = 1_000;

export function storageRootService(options: StorageRootOptions): ServiceFactory {
  return (context) => new StorageRootService(options, context);
}

class StorageRootService implements Service {
  readonly name: string;
  readonly #options: StorageRootOptions;
  readonly #context: ServiceContext;
  #release: () => Promise<void> = () => Promise.resolve();
  #rootId: string | undefined;
  /** The reason why the root could not be opened or cannot be used. */
  #fault: string | undefined;
  #recovered: RecoveredRoot | undefined;
  #space: DiskSpace | undefined;
  #isStopped = true;
  #cancelSweep: () => void = () => undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: StorageRootOptions, context: ServiceContext) {
    this.name = `${storageRootPrefix}${options.root}`;
    this.#options = options;
    this.#context = context;
  }

  async start(): Promise<void> {
    const { engine, storage } = this.#context.services;
    const { root, isEager } = this.#options;
    this.#isStopped = false;
    this.#fault = undefined;
    storage.attach(root, {
      open: () => this.#opened(),
      onGarbage: () => {
        this.#sweepSoon(sweepDelayMs);
      },
    });
    const isUsed = await engine.read((state) => state.rows(rootTable).get(root) !== undefined);
    if (isEager || isUsed) await storage.ready(root);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep();
    // The root is refused with the reason until the service is started again.
    const reason = new Error(this.#fault ?? `the storage root ${this.#options.root} is closed`);
    this.#context.services.storage.attach(this.#options.root, {
      open: () => Promise.reject(reason),
      onGarbage: () => undefined,
    });
    await this.#sweeping;
    await this.#release();
    this.#release = () => Promise.resolve();
    this.#rootId = undefined;
  }

  health(): { readonly roots: RootHealth[] } {
    const { engine, storage } = this.#context.services;
    const { root } = this.#options;
    if (storage.root(root) === undefined) return { roots: [] };
    const { orphans = 0, missing = [] } = this.#recovered ?? {};
    const degraded = engine.peek((state) => state.rows(rootTable).get(root)?.degraded);
    const { freeBytes = 0, totalBytes = 0 } = this.#space ?? {};
    const disk = { free_bytes: freeBytes, total_bytes: totalBytes };
    return { roots: [defined({ root, degraded, orphans, missing_versions: missing.length, ...disk })] };
  }

  async #opened(): Promise<StorageRoot> {
    try {
      return await this.#open();
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  /** Announces the root, which ends the publishes of the session before, and then recovers its disk. */
  async #open(): Promise<StorageRoot> {
    const { ids, send, report, services } = this.#context;
    const { root: name, folder, node, url, own, allowsNetwork } = this.#options;
    const session = ids.unique();
    const { rootId, release } = await openRoot({ folder, newId: ids.unique(), own, allowsNetwork });
    const disk = await RealDisk.hold(folder);
    try {
      const input = defined({ root: name, root_id: rootId, session, node, url });
      const { outcome } = await send("files.announce", input, `files.announce ${session}`);
      if (outcome.kind === "refusal")
        throw new Error(`the storage root ${name} in ${folder} is refused: ${outcome.code}`);
      const root = new StorageRoot({ name, session, disk });
      const found = await recoverRoot(disk, knownPlaces(services.engine, name));
      this.#recovered = found;
      reportRecovered(name, found, report);
      this.#release = async () => {
        release();
        await root.close();
        await disk.close();
      };
      this.#rootId = rootId;
      this.#sweeping = this.#sweeping.then(() => this.#sweep(root));
      await this.#sweeping;
      return root;
    } catch (error) {
      release();
      await disk.close();
      throw error;
    }
  }

  #sweepSoon(afterMs: number): void {
    this.#cancelSweep();
    if (this.#isStopped) return;
    const sweep = (): void => {
      const root = this.#context.services.storage.root(this.#options.root);
      if (root !== undefined) this.#sweeping = this.#sweeping.then(() => this.#sweep(root));
    };
    this.#cancelSweep = this.#context.clock.after(afterMs, sweep, { keepAlive: false });
  }

  async #sweep(root: StorageRoot): Promise<void> {
    const { services, send, report, fail } = this.#context;
    try {
      this.#space = await root.disk.space();
      await sweepRoot(root, services.engine, send);
    } catch (error) {
      report("folders of ended publishes and versions could not be removed; it is tried again", error);
    }
    if (this.#isStopped) return;
    this.#fault = await this.#folderFault();
    if (this.#fault === undefined) this.#sweepSoon(sweepIntervalMs);
    else fail(new Error(this.#fault));
  }

  /** Why the folder is not the one that was opened: it may have been unmounted or replaced. */
  async #folderFault(): Promise<string | undefined> {
    const { root, folder } = this.#options;
    try {
      if ((await readRootId(folder)) === this.#rootId) return undefined;
    } catch (error) {
      // Without free handles the folder may well be there.
      if (faultOf(error, root).code === "files.storage_busy") return undefined;
    }
    return `${folder} is not the folder that the storage root ${root} opened: mount the right folder`;
  }
}

function reportRecovered(name: string, { orphans, missing }: RecoveredRoot, report: ServiceContext["report"]): void {
  if (orphans > 0)
    report(
      `${String(orphans)} folders of the storage root ${name} are unknown to the journal: see .orphans`,
      undefined,
    );
  const [first] = missing;
  if (first === undefined) return;
  const text = `the storage root ${name} lacks ${String(missing.length)} published versions, such as one of ${first.target}`;
  report(`${text}: restore the root from a backup, or publish them again`, undefined);
}

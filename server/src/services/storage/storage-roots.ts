/**
 * The storage roots of a node: opens and announces them, makes their disks agree with the journal, and removes what the
 * journal has given up.
 */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { rootTable } from "../../packs/files/file-tables.ts";
import type { DiskSpace } from "../../storage/disk.ts";
import { openRoot } from "../../storage/open-root.ts";
import { RealDisk } from "../../storage/real-disk.ts";
import { recoverRoot } from "../../storage/recover-root.ts";
import type { RecoveredRoot } from "../../storage/recover-root.ts";
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
  /** Space of the disk at the last look for folders to remove. */
  readonly free_bytes: number;
  readonly total_bytes: number;
}

type ServiceContext = Parameters<ServiceFactory>[0];

interface StorageRootsOptions {
  /** The folders of the roots, by name. */
  readonly roots: Readonly<Record<string, string>>;
  /** The name of the node in `files.list-roots`. */
  readonly node: string;
  /** Roots are announced at the start, also those that no publish used yet. */
  readonly isEager: boolean;
  /** Locks a folder for this process, or throws. */
  readonly own: (folder: string) => () => void;
}

/** Interval between two looks for folders to remove. */
const sweepIntervalMs = 5_000;
/** Time until the folders of an ended publish are removed. Those of other publishes share the entry. */
const sweepDelayMs = 1_000;

export function storageRoots(options: StorageRootsOptions): ServiceFactory {
  return (context) => new StorageRootsService(options, context);
}

class StorageRootsService implements Service {
  readonly name = "storage-roots";
  readonly #options: StorageRootsOptions;
  readonly #context: ServiceContext;
  readonly #releases: (() => void)[] = [];
  readonly #recovered = new Map<string, RecoveredRoot>();
  readonly #space = new Map<string, DiskSpace>();
  #isStopped = true;
  #cancelSweep: () => void = () => undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: StorageRootsOptions, context: ServiceContext) {
    this.#options = options;
    this.#context = context;
  }

  async start(): Promise<void> {
    const { engine, storage } = this.#context.services;
    const { roots, isEager } = this.#options;
    this.#isStopped = false;
    storage.attach(
      () => this.#openAll(),
      () => {
        this.#sweepSoon(sweepDelayMs);
      },
    );
    const isUsed = await engine.read((state) =>
      Object.keys(roots).some((name) => state.rows(rootTable).get(name) !== undefined),
    );
    if (isEager || isUsed) await storage.ready();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep();
    this.#context.services.storage.detach();
    await this.#sweeping;
    for (const release of this.#releases.splice(0)) release();
  }

  health(): { readonly roots: RootHealth[] } {
    const { engine, storage } = this.#context.services;
    const roots = storage.roots.map(({ name }) => {
      const { orphans = 0, missing = [] } = this.#recovered.get(name) ?? {};
      const degraded = engine.peek((state) => state.rows(rootTable).get(name)?.degraded);
      const { freeBytes = 0, totalBytes = 0 } = this.#space.get(name) ?? {};
      const disk = { free_bytes: freeBytes, total_bytes: totalBytes };
      return defined({ root: name, degraded, orphans, missing_versions: missing.length, ...disk });
    });
    return { roots };
  }

  async #openAll(): Promise<void> {
    const { storage } = this.#context.services;
    for (const [name, folder] of Object.entries(this.#options.roots))
      if (storage.root(name) === undefined) await this.#openOne(name, folder);
    this.#sweeping = this.#sweeping.then(() => this.#sweep());
    await this.#sweeping;
  }

  /** Announces a root, which ends the publishes of the session before, and then recovers its disk. */
  async #openOne(name: string, folder: string): Promise<void> {
    const { ids, send, report, services } = this.#context;
    const { node, own } = this.#options;
    const session = ids.unique();
    const { rootId, release } = await openRoot({ folder, newId: ids.unique(), own });
    try {
      const input = { root: name, root_id: rootId, session, node };
      const { outcome } = await send("files.announce", input, `files.announce ${session}`);
      if (outcome.kind === "refusal")
        throw new Error(`the storage root ${name} in ${folder} is refused: ${outcome.code}`);
      const root = new StorageRoot({ name, session, disk: new RealDisk(folder) });
      const found = await recoverRoot(root.disk, knownPlaces(services.engine, name));
      this.#recovered.set(name, found);
      reportRecovered(name, found, report);
      services.storage.add(root);
      this.#releases.push(release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #sweepSoon(afterMs: number): void {
    this.#cancelSweep();
    if (this.#isStopped) return;
    const sweep = (): void => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    };
    this.#cancelSweep = this.#context.clock.after(afterMs, sweep, { keepAlive: false });
  }

  async #sweep(): Promise<void> {
    const { services, send, report } = this.#context;
    try {
      for (const root of services.storage.roots) {
        this.#space.set(root.name, await root.disk.space());
        await sweepRoot(root, services.engine, send);
      }
    } catch (error) {
      report("folders of ended publishes and versions could not be removed; it is tried again", error);
    }
    this.#sweepSoon(sweepIntervalMs);
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

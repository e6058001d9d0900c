import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";

/** The storage roots as the journal knows them, read when the metrics are scraped. */
interface FileSample {
  readonly versions: number;
  readonly targets: number;
  readonly publishes: number;
  readonly garbage: number;
  readonly roots: readonly SampledRoot[];
}

interface SampledRoot {
  readonly root: string;
  readonly bytes: number;
  readonly reserved: number;
  /** The quota; undefined without one. */
  readonly bytesMax: number | undefined;
  readonly isDegraded: boolean;
}

/** The details of the service of the roots in `/health`. */
interface RootDetails {
  readonly root: string;
  readonly orphans: number;
  readonly missing_versions: number;
  readonly free_bytes: number;
  readonly total_bytes: number;
}

/** The ends of publishes. A publish whose disk failed, or whose disk was full, is `failed`. */
const outcomes = ["committed", "aborted", "expired", "restarted", "failed"] as const;

interface CountedRecord {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Counts publishes and the bytes of storage roots. No label contains a target: users choose these names. */
export class FileMetrics {
  readonly #publishes: CounterFamily<"outcome">;
  readonly #publishedBytes: CounterFamily;
  readonly #collected: CounterFamily;
  readonly #state;
  readonly #roots;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name: `holdfast_file_${name}`, help, registers });
    const ofRoot = (name: string, help: string): Gauge<"root"> =>
      new Gauge({ name: `holdfast_file_root_${name}`, help, labelNames: ["root"], registers });
    this.#state = {
      publishes: gauge("open_publishes", "Publishes that have not ended."),
      targets: gauge("targets", "Published targets."),
      versions: gauge("versions", "Versions that are kept."),
      garbage: gauge("garbage_folders", "Folders that nodes have yet to remove from their disks."),
    };
    this.#roots = {
      bytes: ofRoot("bytes", "Bytes of versions, until they leave the disk."),
      reserved: ofRoot("reserved_bytes", "Bytes that open publishes may still write."),
      bytesMax: ofRoot("bytes_max", "The quota of a root; no series without one."),
      degraded: ofRoot("degraded", "1 while a root takes no publishes because its disk failed."),
      free: ofRoot("free_bytes", "Free bytes of the disk of a root of this node."),
      total: ofRoot("disk_bytes", "Size of the disk of a root of this node."),
      orphans: ofRoot("orphans", "Folders that were unknown to the journal at the last start of this node."),
      missing: ofRoot("missing_versions", "Published versions without a folder at the last start of this node."),
    };
    this.#publishes = new CounterFamily(registry, {
      name: "holdfast_file_publishes_total",
      help: "Publishes that ended, by outcome.",
      labels: ["outcome"],
    });
    const counter = (name: string, help: string): CounterFamily =>
      new CounterFamily(registry, { name, help, labels: [] });
    this.#publishedBytes = counter("holdfast_file_published_bytes_total", "Bytes of the versions that were published.");
    this.#collected = counter("holdfast_file_collected_versions_total", "Superseded versions that were removed.");
    // Each series exists at zero from the start: rate() cannot see a step from a missing series to one.
    for (const outcome of outcomes) this.#publishes.series({ outcome });
    for (const family of [this.#publishedBytes, this.#collected]) family.series({});
  }

  record({ type, data }: CountedRecord): void {
    if (type === "files.collected") this.#collected.series({}).count += 1;
    if (type === "files.aborted") this.#publishes.series({ outcome: outcomeOf(data["why"]) }).count += 1;
    if (type !== "files.committed") return;
    this.#publishes.series({ outcome: "committed" }).count += 1;
    const { bytes } = data;
    if (typeof bytes === "number") this.#publishedBytes.series({}).count += bytes;
  }

  set({ publishes, targets, versions, garbage, roots }: FileSample, details: unknown): void {
    this.#state.publishes.set(publishes);
    this.#state.targets.set(targets);
    this.#state.versions.set(versions);
    this.#state.garbage.set(garbage);
    // A root that was removed, or that another node has taken, leaves no series behind.
    for (const gauge of Object.values(this.#roots)) gauge.reset();
    for (const { root, bytes, reserved, bytesMax, isDegraded } of roots) {
      this.#roots.bytes.set({ root }, bytes);
      this.#roots.reserved.set({ root }, reserved);
      if (bytesMax !== undefined) this.#roots.bytesMax.set({ root }, bytesMax);
      this.#roots.degraded.set({ root }, Number(isDegraded));
    }
    for (const { root, free_bytes: free, total_bytes: total, ...found } of rootDetails(details)) {
      this.#roots.free.set({ root }, free);
      this.#roots.total.set({ root }, total);
      this.#roots.orphans.set({ root }, found.orphans);
      this.#roots.missing.set({ root }, found.missing_versions);
    }
  }
}

function outcomeOf(why: unknown): (typeof outcomes)[number] {
  return outcomes.find((outcome) => outcome === why) ?? "failed";
}

/** The roots that this node has opened. */
function rootDetails(details: unknown): readonly RootDetails[] {
  const { roots } = (details ?? {}) as { readonly roots?: readonly RootDetails[] };
  return roots ?? [];
}

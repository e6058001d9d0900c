import type { HistogramSeries } from "./histogram-family.ts";
import type { FileMetrics } from "./file-metrics.ts";
import type { IntentMetrics } from "./intent-metrics.ts";
import type { JobMetrics } from "./job-metrics.ts";
import type { ProgramMetrics } from "./program-metrics.ts";
import { releaseCauses } from "./metrics.ts";
import type { Metrics } from "./metrics.ts";
import { lockTypeOf } from "./lock-type.ts";

/** The parts of an entry that the metrics read. */
interface CountedEntry {
  readonly position: number;
  readonly time: number;
  readonly operation: string;
  readonly input: unknown;
  readonly events: readonly {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
}

/** The metrics of packs, which count their own events. */
interface PackMetrics {
  readonly intents: IntentMetrics;
  readonly jobs: JobMetrics;
  readonly files: FileMetrics;
  readonly programs: ProgramMetrics;
}

/** A batch that this node made durable. */
interface CountedBatch {
  readonly entries: readonly CountedEntry[];
  readonly appendMs: number;
}

/** The times at which entries were decided, by position. */
interface EntryTimes {
  /** The time of an entry that is in memory. Nearly all requested entries are. */
  recent(position: number): number | undefined;
  /** The time of each entry. Undefined for an entry that cannot be read. */
  at(positions: readonly number[]): Promise<readonly (number | undefined)[]>;
}

/** Maximum durations to look up per batch. An agent that ends may release thousands of locks at once. */
const lookupsMax = 256;

interface PendingDuration {
  /** The position of the entry at which the wait or the hold started. */
  readonly startPosition: number;
  readonly time: number;
  /** The series that count its length. */
  readonly series: readonly HistogramSeries[];
}

/**
 * Counts events in the journal. Each node counts only the entries that it appended itself, so the sum over all nodes is
 * correct. A fence and a ticket contain the position at which they started. Durations therefore need no memory here.
 */
export class EntryMetrics {
  readonly #metrics: Metrics;
  readonly #packs: PackMetrics;
  readonly #times: EntryTimes;
  readonly #granted;
  readonly #held: ReadonlyMap<string, readonly HistogramSeries[]>;
  readonly #append;
  readonly #batch;

  constructor(metrics: Metrics, packs: PackMetrics, times: EntryTimes) {
    this.#metrics = metrics;
    this.#packs = packs;
    this.#times = times;
    this.#granted = {
      read: metrics.acquisitions.series({ lock_type: "read", status: "granted" }),
      upgradeable: metrics.acquisitions.series({ lock_type: "upgradeable", status: "granted" }),
      write: metrics.acquisitions.series({ lock_type: "write", status: "granted" }),
    };
    this.#held = new Map(releaseCauses.map((how) => [how, [metrics.holdDuration.series({ how })]]));
    this.#append = metrics.appendDuration.series({});
    this.#batch = metrics.batchEntries.series({});
  }

  record({ entries, appendMs }: CountedBatch): void {
    this.#append.observe(appendMs / 1000);
    this.#batch.observe(entries.length);
    const pending: PendingDuration[] = [];
    for (const entry of entries) for (const event of entry.events) this.#recordEvent(entry, event, pending);
    if (pending.length > 0) void this.#lookUp(pending.slice(0, lookupsMax));
  }

  #recordEvent(entry: CountedEntry, { type, data }: CountedEntry["events"][number], pending: PendingDuration[]): void {
    if (type.startsWith("program.")) {
      this.#packs.programs.record({ type, data });
      return;
    }
    if (type.startsWith("jobs.")) {
      this.#packs.jobs.record({ type, data });
      return;
    }
    if (type.startsWith("files.")) {
      this.#packs.files.record({ type, data });
      return;
    }
    // The first event of a set of paths carries the data. The other events point at it.
    if (data["of"] !== undefined) return;
    if (type.startsWith("intent.")) this.#packs.intents.record({ type, data });
    switch (type) {
      case "lock.acquired":
        this.#recordGrant(entry, data, pending);
        break;
      case "lock.upgraded":
        this.#granted.write.count += 1;
        this.#recordWait(entry, data, "write", pending);
        break;
      case "lock.queued":
        this.#recordQueued(data);
        break;
      case "lock.released":
      case "lock.expired":
      case "lock.recovered":
      case "lock.forced":
        this.#recordFreed(entry, data, type.slice("lock.".length), pending);
        break;
      case "lock.deadlock":
        this.#recordDeadlock(entry);
        break;
      case "entity.conflict":
        this.#metrics.conflicts.series({}).count += 1;
        break;
    }
  }

  #recordGrant(entry: CountedEntry, data: CountedEntry["events"][number]["data"], pending: PendingDuration[]): void {
    const type = lockTypeOf(data);
    this.#granted[type].count += 1;
    this.#recordWait(entry, data, type, pending);
  }

  #recordWait(
    entry: CountedEntry,
    data: Readonly<Record<string, unknown>>,
    lock_type: string,
    pending: PendingDuration[],
  ): void {
    const startPosition = positionOfToken(data["ticket"]);
    if (startPosition === undefined) return;
    const { waitDuration, acquisitionDuration } = this.#metrics;
    const series = [waitDuration.series({ lock_type }), acquisitionDuration.series({ lock_type })];
    this.#recordDuration({ startPosition, time: entry.time, series }, pending);
  }

  /** Observes a duration, or adds it to the list of durations whose start must be looked up. */
  #recordDuration(duration: PendingDuration, pending: PendingDuration[]): void {
    const startMs = this.#times.recent(duration.startPosition);
    if (startMs === undefined) pending.push(duration);
    else observe(duration, startMs);
  }

  #recordQueued(data: Readonly<Record<string, unknown>>): void {
    const lock_type = data["upgrades"] === undefined ? lockTypeOf(data) : "write";
    this.#metrics.acquisitions.series({ lock_type, status: "queued" }).count += 1;
    this.#metrics.contentions.series({ lock_type }).count += 1;
  }

  #recordFreed(
    entry: CountedEntry,
    data: Readonly<Record<string, unknown>>,
    how: string,
    pending: PendingDuration[],
  ): void {
    const startPosition = positionOfToken(data["fence"]);
    if (startPosition === undefined) return;
    this.#recordDuration({ startPosition, time: entry.time, series: this.#held.get(how) ?? [] }, pending);
  }

  /** The input of an upgrade names no mode. It counts as the default, which is write. */
  #recordDeadlock({ input }: CountedEntry): void {
    const lock_type = lockTypeOf(input);
    this.#metrics.deadlocks.series({}).count += 1;
    this.#metrics.acquisitions.series({ lock_type, status: "deadlock" }).count += 1;
  }

  /** If the journal is unreadable, the observations are lost. That is not worth an error. */
  async #lookUp(pending: readonly PendingDuration[]): Promise<void> {
    const times = await this.#times.at(pending.map(({ startPosition }) => startPosition)).catch(() => []);
    for (const [index, duration] of pending.entries()) {
      const startMs = times[index];
      if (startMs !== undefined) observe(duration, startMs);
    }
  }
}

function observe({ time, series }: PendingDuration, startMs: number): void {
  for (const histogram of series) histogram.observe((time - startMs) / 1000);
}

/** A fence and a ticket consist of epoch, position and, in some cases, a number within the entry. */
function positionOfToken(token: unknown): number | undefined {
  if (typeof token !== "string") return undefined;
  const start = token.indexOf(".") + 1;
  const end = token.indexOf(".", start);
  const position = Number(end < 0 ? token.slice(start) : token.slice(start, end));
  return Number.isSafeInteger(position) && position > 0 ? position : undefined;
}

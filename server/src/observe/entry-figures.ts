import type { SpreadCell } from "./cells.ts";
import { waysToLeave } from "./metrics.ts";
import type { Metrics } from "./metrics.ts";
import { lockTypeOf } from "./lock-type.ts";

/** As much of an entry as figures look at. */
export interface SeenEntry {
  readonly position: number;
  readonly time: number;
  readonly operation: string;
  readonly input: unknown;
  readonly events: readonly {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
}

/** A batch that this node made durable. */
export interface SeenBatch {
  readonly entries: readonly SeenEntry[];
  readonly appendMs: number;
}

/** When entries were decided, by position. */
export interface Times {
  /** Of one that is in memory; nearly all that is asked for is. */
  recent(position: number): number | undefined;
  /** Undefined for one that can't be read any more. */
  at(positions: readonly number[]): Promise<readonly (number | undefined)[]>;
}

/** Of one batch at most so many durations are looked up: an agent that ends may free thousands of locks at once. */
const lookUpsMax = 256;

interface Since {
  /** The position at which it began. */
  readonly from: number;
  readonly time: number;
  /** Where its length is counted. */
  readonly cells: readonly SpreadCell[];
}

/**
 * Counts what is in the journal, and only what this node itself appended: so the sum over all nodes is right.
 * A fence and a ticket carry the position at which they began, so nothing has to be remembered for how long they last.
 */
export class EntryFigures {
  readonly #metrics: Metrics;
  readonly #times: Times;
  readonly #granted;
  readonly #held: ReadonlyMap<string, readonly SpreadCell[]>;
  readonly #append;
  readonly #batch;

  constructor(metrics: Metrics, times: Times) {
    this.#metrics = metrics;
    this.#times = times;
    this.#granted = {
      read: metrics.acquisitions.cell({ lock_type: "read", status: "granted" }),
      upgradeable: metrics.acquisitions.cell({ lock_type: "upgradeable", status: "granted" }),
      write: metrics.acquisitions.cell({ lock_type: "write", status: "granted" }),
    };
    this.#held = new Map(waysToLeave.map((how) => [how, [metrics.holdDuration.cell({ how })]]));
    this.#append = metrics.appendDuration.cell({});
    this.#batch = metrics.batchEntries.cell({});
  }

  note({ entries, appendMs }: SeenBatch): void {
    this.#append.observe(appendMs / 1000);
    this.#batch.observe(entries.length);
    const since: Since[] = [];
    for (const entry of entries) for (const event of entry.events) this.#noteEvent(entry, event, since);
    if (since.length > 0) void this.#lookUp(since.slice(0, lookUpsMax));
  }

  #noteEvent(entry: SeenEntry, { type, data }: SeenEntry["events"][number], since: Since[]): void {
    // Of a set of paths the first event tells all; the others point at it.
    if (data["of"] !== undefined) return;
    switch (type) {
      case "lock.acquired":
        this.#noteGrant(entry, data, since);
        break;
      case "lock.upgraded":
        this.#granted.write.count += 1;
        this.#noteWait(entry, data, "write", since);
        break;
      case "lock.queued":
        this.#noteQueued(data);
        break;
      case "lock.released":
      case "lock.expired":
      case "lock.recovered":
      case "lock.forced":
        this.#noteFreed(entry, data, type.slice("lock.".length), since);
        break;
      case "lock.deadlock":
        this.#noteDeadlock(entry);
        break;
      case "entity.conflict":
        this.#metrics.conflicts.cell({}).count += 1;
        break;
    }
  }

  #noteGrant(entry: SeenEntry, data: SeenEntry["events"][number]["data"], since: Since[]): void {
    const type = lockTypeOf(data);
    this.#granted[type].count += 1;
    this.#noteWait(entry, data, type, since);
  }

  #noteWait(entry: SeenEntry, data: Readonly<Record<string, unknown>>, lock_type: string, since: Since[]): void {
    const from = positionIn(data["ticket"]);
    if (from === undefined) return;
    const { waitDuration, acquisitionDuration } = this.#metrics;
    const cells = [waitDuration.cell({ lock_type }), acquisitionDuration.cell({ lock_type })];
    this.#noteSince({ from, time: entry.time, cells }, since);
  }

  /** Counts how long something lasted, or puts it on the list of what must be looked up for it. */
  #noteSince(one: Since, since: Since[]): void {
    const began = this.#times.recent(one.from);
    if (began === undefined) since.push(one);
    else for (const cell of one.cells) cell.observe((one.time - began) / 1000);
  }

  #noteQueued(data: Readonly<Record<string, unknown>>): void {
    const lock_type = data["upgrades"] === undefined ? lockTypeOf(data) : "write";
    this.#metrics.acquisitions.cell({ lock_type, status: "queued" }).count += 1;
    this.#metrics.contentions.cell({ lock_type }).count += 1;
  }

  #noteFreed(entry: SeenEntry, data: Readonly<Record<string, unknown>>, how: string, since: Since[]): void {
    const from = positionIn(data["fence"]);
    if (from === undefined) return;
    this.#noteSince({ from, time: entry.time, cells: this.#held.get(how) ?? [] }, since);
  }

  #noteDeadlock({ operation, input }: SeenEntry): void {
    const lock_type = operation === "upgrade-lock" ? "write" : lockTypeOf(input);
    this.#metrics.deadlocks.cell({}).count += 1;
    this.#metrics.acquisitions.cell({ lock_type, status: "deadlock" }).count += 1;
  }

  /** The journal may not be readable now. A figure that is lost is no reason to disturb anybody. */
  async #lookUp(since: readonly Since[]): Promise<void> {
    const times = await this.#times.at(since.map(({ from }) => from)).catch(() => []);
    for (let index = 0; index < since.length; index += 1) {
      const began = times[index];
      const { time, cells } = since[index] as Since;
      if (began !== undefined) for (const cell of cells) cell.observe((time - began) / 1000);
    }
  }
}

/** A fence or a ticket is epoch, position, and sometimes a number within the entry. */
function positionIn(token: unknown): number | undefined {
  if (typeof token !== "string") return undefined;
  const start = token.indexOf(".") + 1;
  const end = token.indexOf(".", start);
  const position = Number(end < 0 ? token.slice(start) : token.slice(start, end));
  return Number.isSafeInteger(position) && position > 0 ? position : undefined;
}

/**
 * Keeps the rows of loaded units in a thread up to date. It follows the journal. It notes the subjects of new entries,
 * and takes the newest rows of all noted subjects together with the position, at one moment. So the rows in the thread
 * are exactly the state at that position. A check that waited for a position reads everything up to it.
 */
import { currentVersion, entityTable, isLive, revisionOf } from "../features/entities/entity-table.ts";
import type { EntityRow } from "../features/entities/entity-table.ts";
import type { Entry } from "../machine/entry.ts";
import type { StateReader } from "../machine/state.ts";
import type { Check, CheckRow } from "./check.ts";
import { checkLimits } from "./check-limits.ts";
import type { CheckOrder } from "./check-port.ts";
import { LoadedUnits } from "./loaded-units.ts";

/** The durable state and its journal. The engine is one. */
export interface RowSource {
  readonly head: { readonly position: number };
  /** Reads durable rows by key, at once. Returns undefined during a reload of the state. */
  peek<Result>(query: (state: StateReader) => Result): Result | undefined;
  /** Reads durable rows in order. */
  scan<Result>(query: (state: StateReader) => Result): Promise<Result>;
  recentEntry(position: number): Entry | undefined;
  subscribe(after: number): AsyncIterableIterator<readonly Entry[]>;
}

interface RowFeedOptions {
  readonly source: RowSource;
  readonly post: (order: CheckOrder) => void;
  readonly loadedBytesMax?: number | undefined;
  /** The history that the rows came from is lost, or cannot be followed. The thread must start again. */
  readonly lost: (error: unknown) => void;
}

/** A caller that waits until the rows include a position. */
interface PositionWait {
  readonly position: number;
  readonly resolve: () => void;
}

export class RowFeed {
  readonly #options: RowFeedOptions;
  readonly #units: LoadedUnits;
  readonly #subscription: AsyncIterableIterator<readonly Entry[]>;
  /** Subjects that changed after `#position`, by check. */
  readonly #changed = new Map<string, Set<string>>();
  readonly #waits = new Set<PositionWait>();
  /** The rows in the thread are those of this position. */
  #position: number;
  /** The last entry whose subjects are noted. */
  #noted: number;
  #isOver = false;

  constructor(options: RowFeedOptions) {
    this.#options = options;
    this.#units = new LoadedUnits(options.loadedBytesMax);
    this.#position = options.source.head.position;
    this.#noted = this.#position;
    this.#subscription = options.source.subscribe(this.#position);
    this.#follow().catch((error: unknown) => {
      if (!this.#isOver) options.lost(error);
    });
  }

  /** Resolves when the rows include every entry up to the position. */
  reach(position: number): Promise<void> | undefined {
    this.#take();
    if (this.#position >= position) return undefined;
    return new Promise((resolve) => {
      this.#waits.add({ position, resolve });
    });
  }

  /** Loads a unit, unless it is loaded. The caller must `release` it. */
  use(check: Check, unit: string): Promise<void> | undefined {
    const known = this.#units.use(check, unit);
    if (known !== "new") return known;
    for (const old of this.#units.removeIdle()) this.#options.post({ kind: "unload", ...old });
    const loading = this.#load(check, unit);
    this.#units.setLoading(check, unit, loading);
    return loading;
  }

  release(check: Check, unit: string): void {
    this.#units.release(check, unit);
  }

  end(): void {
    this.#isOver = true;
    void this.#subscription.return?.();
  }

  async #follow(): Promise<void> {
    for await (const entries of this.#subscription) {
      for (const entry of entries) if (entry.position > this.#noted) this.#note(entry);
      this.#take();
    }
  }

  #note(entry: Entry): void {
    this.#noted = entry.position;
    for (const { subject } of entry.events) {
      for (const check of this.#units.checksWith(subject)) {
        const subjects = this.#changed.get(check) ?? new Set();
        this.#changed.set(check, subjects.add(subject));
      }
    }
  }

  /** Sends the changed rows and their position, if every entry up to the head is noted. */
  #take(): void {
    const { source, post } = this.#options;
    const { position } = source.head;
    while (this.#noted < position) {
      const next = source.recentEntry(this.#noted + 1);
      // The subscription reads it from the journal.
      if (next === undefined) return;
      this.#note(next);
    }
    const taken = source.peek((state) =>
      Array.from(this.#changed, ([check, subjects]) => ({ check, rows: rowsOf(state, subjects) })),
    );
    if (taken === undefined) return;
    for (const { check, rows } of taken) {
      this.#units.resize(check, rows);
      post({ kind: "apply", check, position, rows: rows.map(checkRow) });
    }
    this.#changed.clear();
    this.#position = position;
    for (const wait of this.#waits) {
      if (wait.position > position) continue;
      this.#waits.delete(wait);
      wait.resolve();
    }
  }

  /** Loads the rows of a unit. Whole subjects need one message, and no wait. */
  #load(check: Check, unit: string): Promise<void> | undefined {
    const subjects = check.within(unit);
    const { source, post } = this.#options;
    this.#units.add(check, unit);
    if (subjects.some((subject) => subject.endsWith("/"))) return this.#loadSlices(check, unit, subjects);
    const rows = source.peek((state) => rowsOf(state, subjects));
    if (rows === undefined) return this.#loadSlices(check, unit, subjects);
    post({ kind: "load", check: check.name, unit, rows: rows.map(checkRow), isLast: true });
    this.#units.resize(check.name, rows);
    return this.reach(source.head.position);
  }

  async #loadSlices(check: Check, unit: string, prefixes: readonly string[]): Promise<void> {
    const { source, post } = this.#options;
    let last = 0;
    for (const prefix of prefixes) {
      for (let after: string | undefined = prefix, isOpen = true; isOpen && !this.#isOver;) {
        const from: string = after;
        const rows = await source.scan((state) => {
          last = source.head.position;
          return prefix.endsWith("/") ? slice(state, prefix, from) : rowsOf(state, [prefix]);
        });
        const kept = rows.filter((row) => check.unit(row.subject) === unit);
        post({ kind: "load", check: check.name, unit, rows: kept.map(checkRow), isLast: false });
        this.#units.resize(check.name, kept);
        after = rows.at(-1)?.subject ?? from;
        isOpen = prefix.endsWith("/") && rows.length > 0;
      }
    }
    post({ kind: "load", check: check.name, unit, rows: [], isLast: true });
    await this.reach(last);
  }
}

type FoundRow = EntityRow | { readonly subject: string };

function rowsOf(state: StateReader, subjects: Iterable<string>): readonly FoundRow[] {
  const rows = state.rows(entityTable);
  return Array.from(subjects, (subject) => rows.get(subject) ?? { subject });
}

/** All rows of a unit at once. The state must be settled. */
export function unitRows(state: StateReader, check: Check, unit: string): readonly CheckRow[] {
  const found = check.within(unit).flatMap((subject): readonly FoundRow[] => {
    if (!subject.endsWith("/")) return rowsOf(state, [subject]);
    return state.rows(entityTable).scan("subject", { prefix: subject, limit: Infinity });
  });
  return found.filter((row) => check.unit(row.subject) === unit).map(checkRow);
}

/** Live entities after a subject, up to the limits of a slice, but at least one. */
function slice(state: StateReader, prefix: string, after: string): readonly EntityRow[] {
  const rows = state.rows(entityTable).scan("subject", { prefix, after, limit: checkLimits.sliceRows });
  let bytes = 0;
  const end = rows.findIndex((row, index) => (bytes += row.size.bytes) > checkLimits.sliceBytes && index > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

function checkRow(row: FoundRow): CheckRow {
  const { subject } = row;
  if (!("version" in row) || !isLive(row)) return { subject, version: 0 };
  const { position, value } = row;
  return { subject, version: currentVersion(row), revision: revisionOf(row), position, value };
}

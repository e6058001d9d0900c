import type { Check } from "./check.ts";
import { checkLimits } from "./check-limits.ts";

interface LoadedUnit {
  readonly check: string;
  readonly unit: string;
  /** Bytes of its rows, by subject. */
  readonly sizes: Map<string, number>;
  bytes: number;
  userCount: number;
  loading: Promise<void> | undefined;
}

interface SizedRow {
  readonly subject: string;
  readonly size?: { readonly bytes: number };
}

/** Bytes of a row in addition to its value. */
const rowOverhead = 300;

/** The units whose rows are in a thread, in the order of their last use. */
export class LoadedUnits {
  readonly #units = new Map<string, LoadedUnit>();
  readonly #checks = new Map<string, Check>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = checkLimits.loadedBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** The load of a unit, undefined if it is complete, or "new" if the unit is not loaded. Each use counts. */
  use(check: Check, unit: string): Promise<void> | undefined | "new" {
    const key = keyOf(check.name, unit);
    const known = this.#units.get(key);
    if (known === undefined) return "new";
    this.#units.delete(key);
    this.#units.set(key, known);
    known.userCount += 1;
    return known.loading;
  }

  /** Adds a unit with one user. */
  add(check: Check, unit: string): void {
    const { name } = check;
    this.#checks.set(name, check);
    const added = { check: name, unit, sizes: new Map<string, number>(), bytes: 0, userCount: 1, loading: undefined };
    this.#units.set(keyOf(name, unit), added);
  }

  setLoading(check: Check, unit: string, loading: Promise<void> | undefined): void {
    const known = this.#units.get(keyOf(check.name, unit));
    if (known === undefined || loading === undefined) return;
    known.loading = loading;
    const done = (): void => {
      known.loading = undefined;
    };
    loading.then(done, done);
  }

  release(check: Check, unit: string): void {
    const known = this.#units.get(keyOf(check.name, unit));
    if (known !== undefined) known.userCount -= 1;
  }

  /** The checks that have the unit of a subject. */
  checksWith(subject: string): readonly string[] {
    const names: string[] = [];
    for (const [name, { under, unit }] of this.#checks) {
      const isUnder = under.some((prefix) => subject.startsWith(prefix));
      if (isUnder && this.#units.has(keyOf(name, unit(subject)))) names.push(name);
    }
    return names;
  }

  resize(check: string, rows: readonly SizedRow[]): void {
    const unitOf = this.#checks.get(check)?.unit;
    for (const { subject, size } of rows) {
      const known = unitOf && this.#units.get(keyOf(check, unitOf(subject)));
      if (known === undefined) continue;
      const bytes = rowOverhead + (size?.bytes ?? 0);
      const more = bytes - (known.sizes.get(subject) ?? 0);
      known.sizes.set(subject, bytes);
      known.bytes += more;
      this.#bytes += more;
    }
  }

  /** Removes the units that were not used for the longest time, until the others are within the limit. */
  removeIdle(): readonly { readonly check: string; readonly unit: string }[] {
    const removed: { readonly check: string; readonly unit: string }[] = [];
    for (const [key, { check, unit, userCount, bytes }] of this.#units) {
      if (this.#bytes <= this.#bytesMax) break;
      if (userCount > 0) continue;
      this.#units.delete(key);
      this.#bytes -= bytes;
      removed.push({ check, unit });
    }
    return removed;
  }
}

/** A check's name has no line feed. */
function keyOf(check: string, unit: string): string {
  return `${check}\n${unit}`;
}

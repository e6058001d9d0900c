import { defined } from "@holdfast/sdk/base/defined";
import { measure } from "@holdfast/sdk/json/measure";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { escapeSegment } from "@holdfast/sdk/json/format-pointer";
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";

/** One changed pointer. Without `before` it is new, without `after` it is removed, unless `cut` is set. */
export interface PointerChange {
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
  /** The values did not fit into the limit. The pointer changed anyway. */
  readonly cut?: true;
  /**
   * The array around this pointer that changed its length. Its indices have shifted, so overlaps with other changes are
   * checked against this pointer.
   */
  readonly resized?: string;
}

interface Difference {
  /** In document order: indices ascending, names by UTF-16 units. */
  readonly changes: readonly PointerChange[];
  /** True when changes or values are missing. */
  readonly truncated: boolean;
}

interface DifferenceLimit {
  readonly changesMax: number;
  /** UTF-8 bytes of all pointers and values together, as JSON text. */
  readonly bytesMax: number;
}

const differenceLimit: DifferenceLimit = { changesMax: 50, bytesMax: 16_384 };

/**
 * The smallest pointers at which two canonical values differ. Undefined means no value at all.
 *
 * - Objects are compared member by member, and arrays of equal length element by element.
 * - In arrays of different lengths the equal elements at both ends are left out. The rest is compared pairwise from the
 *   front. Further elements of the longer array are reported as new, with their index after the change, or as removed,
 *   with their index before it.
 *
 * So an insertion or removal anywhere in a list is one change, and the changes always turn `before` into `after`.
 */
export function difference(
  before: Json | undefined,
  after: Json | undefined,
  limit: DifferenceLimit = differenceLimit,
): Difference {
  const search = new DifferenceSearch(limit);
  search.compare({ pointer: "" }, before, after);
  return { changes: search.changes, truncated: search.truncated };
}

type ComparedPointer = Pick<PointerChange, "pointer" | "resized">;

class DifferenceSearch {
  readonly changes: PointerChange[] = [];
  truncated = false;
  /** True after a change did not fit into the limit. */
  #full = false;
  #bytesLeft: number;
  readonly #changesMax: number;

  constructor(limit: DifferenceLimit) {
    this.#bytesLeft = limit.bytesMax;
    this.#changesMax = limit.changesMax;
  }

  compare(at: ComparedPointer, before: Json | undefined, after: Json | undefined): void {
    if (before === after || this.#full) return;
    if (isObject(before) && isObject(after)) this.#members(at, before, after);
    else if (Array.isArray(before) && Array.isArray(after)) this.#elements(at, before, after);
    else this.#report(at, before, after);
  }

  #members(at: ComparedPointer, before: JsonObject, after: JsonObject): void {
    // Sorts only names whose values may differ: most parts of a large object are shared.
    const names = Object.keys(before).filter((name) => before[name] !== member(after, name));
    for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) names.push(name);
    for (const name of names.sort()) this.compare(inside(at, name), member(before, name), member(after, name));
  }

  #elements(at: ComparedPointer, before: readonly Json[], after: readonly Json[]): void {
    const same = before.length === after.length;
    const { start, kept } = same ? { start: 0, kept: 0 } : equalEnds(before, after);
    const around = same ? at : { pointer: at.pointer, resized: at.resized ?? at.pointer };
    const oldElements = before.slice(start, before.length - kept);
    const newElements = after.slice(start, after.length - kept);
    for (let index = 0; index < Math.max(oldElements.length, newElements.length) && !this.#full; index++) {
      this.compare(inside(around, String(start + index)), oldElements[index], newElements[index]);
    }
  }

  #report(at: ComparedPointer, before: Json | undefined, after: Json | undefined): void {
    if (this.changes.length >= this.#changesMax || !this.#spend(at.pointer)) {
      this.#full = true;
      this.truncated = true;
      return;
    }
    const fits = this.#spend(before, after);
    if (!fits) this.truncated = true;
    this.changes.push(fits ? { ...at, ...defined({ before, after }) } : { ...at, cut: true });
  }

  /** Reserves space for some values, or nothing if they do not all fit. */
  #spend(...values: readonly (Json | undefined)[]): boolean {
    let left = this.#bytesLeft;
    for (const value of values) {
      if (value === undefined) continue;
      const measured = measure(value, { bytesMax: left, depthMax: Infinity, membersMax: Infinity });
      if (!measured.ok) return false;
      left -= measured.size.bytes;
    }
    this.#bytesLeft = left;
    return true;
  }
}

/** The number of equal elements at the start, and of the remaining ones at the end. */
function equalEnds(before: readonly Json[], after: readonly Json[]): { start: number; kept: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && sameJson(before[start] as Json, after[start] as Json)) start++;
  let kept = 0;
  while (kept < shorter - start && sameJson(before.at(-1 - kept) as Json, after.at(-1 - kept) as Json)) kept++;
  return { start, kept };
}

function inside(at: ComparedPointer, segment: string): ComparedPointer {
  return { ...at, pointer: `${at.pointer}/${escapeSegment(segment)}` };
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

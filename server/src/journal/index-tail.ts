/**
 * The newest part of the key and subject index, in memory. An index is a fold of the entries and can be rebuilt from the
 * journal. A failure of the index therefore never loses or refuses an entry.
 *
 * A journal may keep several layers: a stored layer below, tails above. They cover disjoint, ascending ranges of
 * positions. `findInLayers` relies on that.
 */
import { keyScope } from "../machine/entry.ts";
import type { SubjectQuery } from "./journal.ts";
import type { IndexedEntry } from "./unseal.ts";

/** A layer of the index that answers subject queries for its own range of positions. */
export interface SubjectLayer {
  findSubject(query: SubjectQuery): readonly number[];
}

export interface IndexTail extends SubjectLayer {
  /** The number of rows that this tail takes in a stored index. Its memory grows with it. */
  rows(): number;
  /** Adds entries. Their positions must be above all earlier ones. */
  add(entries: readonly IndexedEntry[]): void;
  findKey(scope: string): number | undefined;
  keys(): Iterable<readonly [scope: string, position: number]>;
  subjects(): Iterable<readonly [subject: string, positions: readonly number[]]>;
}

export function createIndexTail(): IndexTail {
  const keys = new Map<string, number>();
  const subjects = new Map<string, number[]>();
  let rows = 0;

  function addKey(entry: IndexedEntry): void {
    const scope = keyScope(entry);
    // The first use wins. A retry with the same key must get the outcome of the first use.
    if (scope === undefined || keys.has(scope)) return;
    keys.set(scope, entry.position);
    rows += 1;
  }

  function addSubject(subject: string, position: number): void {
    const positions = subjects.get(subject);
    if (positions === undefined) subjects.set(subject, [position]);
    else if (positions[positions.length - 1] === position) return;
    else positions.push(position);
    rows += 1;
  }

  return {
    rows: () => rows,
    add(entries) {
      for (const entry of entries) {
        addKey(entry);
        for (const event of entry.events) addSubject(event.subject, entry.position);
      }
    },
    findKey: (scope) => keys.get(scope),
    findSubject: (query) => selectPositions(subjects.get(query.subject) ?? [], query),
    keys: () => keys,
    subjects: () => subjects,
  };
}

/** Combines the answers of several layers. The layers must be in order, oldest first. */
export function findInLayers(query: SubjectQuery, layers: readonly SubjectLayer[]): readonly number[] {
  const [only] = layers;
  if (layers.length === 1 && only !== undefined) return only.findSubject(query);
  const ordered = query.order === "oldest-first" ? layers : layers.toReversed();
  const found: number[] = [];
  for (const layer of ordered) {
    const limit = query.limit - found.length;
    if (limit <= 0) break;
    found.push(...layer.findSubject({ ...query, limit }));
  }
  return found;
}

function selectPositions(ascending: readonly number[], query: SubjectQuery): readonly number[] {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, limit } = query;
  const from = countBelow(ascending, after + 1);
  const to = Math.max(from, countBelow(ascending, before));
  const take = Math.max(0, limit);
  if (query.order === "oldest-first") return ascending.slice(from, Math.min(to, from + take));
  return ascending.slice(Math.max(from, to - take), to).reverse();
}

/** Counts the numbers below a bound in an ascending list. */
function countBelow(ascending: readonly number[], bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = ascending[middle];
    if (value !== undefined && value < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

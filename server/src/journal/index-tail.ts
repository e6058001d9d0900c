/**
 * The newest part of the key and subject index, in memory. An index is a fold of the entries: it holds nothing that
 * can not be read from the journal again, so it is never a reason to lose or to refuse an entry.
 *
 * A journal may keep several layers (a stored one below, tails above). They cover disjoint, rising ranges of
 * positions; `findInLayers` relies on that.
 */
import { keyScope } from "../machine/entry.ts";
import type { SubjectQuery } from "./journal.ts";
import type { IndexedEntry } from "./unseal.ts";

/** Something that can answer a subject query for its own range of positions. */
export interface SubjectLayer {
  findSubject(query: SubjectQuery): readonly number[];
}

export interface IndexTail extends SubjectLayer {
  /** How many rows this would take in a stored index; memory grows with it. */
  rows(): number;
  /** Adds entries whose positions lie above all that were added before. */
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
    // The first use wins: it is the one whose outcome was promised to whoever asks again.
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

/** Asks layers, oldest first, for one answer. */
export function findInLayers(query: SubjectQuery, layers: readonly SubjectLayer[]): readonly number[] {
  const ordered = query.order === "oldest-first" ? layers : layers.toReversed();
  const found: number[] = [];
  for (const layer of ordered) {
    const limit = query.limit - found.length;
    if (limit <= 0) break;
    found.push(...layer.findSubject({ ...query, limit }));
  }
  return found;
}

function selectPositions(rising: readonly number[], query: SubjectQuery): readonly number[] {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, limit } = query;
  const from = countBelow(rising, after + 1);
  const to = Math.max(from, countBelow(rising, before));
  const take = Math.max(0, limit);
  if (query.order === "oldest-first") return rising.slice(from, Math.min(to, from + take));
  return rising.slice(Math.max(from, to - take), to).reverse();
}

/** How many of the rising numbers are below this one. */
function countBelow(rising: readonly number[], bound: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = rising[middle];
    if (value !== undefined && value < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

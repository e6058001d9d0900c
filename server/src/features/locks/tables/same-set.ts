import type { StateReader } from "../../../machine/state.ts";
import { grantTable, holdCounterTable } from "./lock-tables.ts";
import type { GrantRow } from "./lock-tables.ts";
import { covers } from "./modes.ts";
import type { PathLock } from "./modes.ts";
import { ownHolds } from "./own-holds.ts";
import { countAt } from "./path-counters.ts";

/** The owner's grants of exactly these paths, in any mode. */
export function* grantsOfSet(state: StateReader, owner: string, paths: readonly PathLock[]): Iterable<GrantRow> {
  if (!mayHoldSet(state, paths)) return;
  for (const { fence } of ownHolds(state, owner, leastHeldPath(state, paths))) {
    const row = state.rows(grantTable).get(fence);
    if (row !== undefined && isSameSet(row.paths, paths)) yield row;
  }
}

/** False if no owner holds these paths. Most requests end here, without a search. */
export function mayHoldSet(state: StateReader, paths: readonly PathLock[]): boolean {
  const [first] = paths;
  return first !== undefined && state.rows(holdCounterTable).get(first.path) !== undefined;
}

/** The path with the fewest holders: every holder of the whole set is among them. */
function leastHeldPath(state: StateReader, paths: readonly PathLock[]): string {
  const counted = paths.map(({ path }) => ({ path, count: countAt(state, holdCounterTable, path) }));
  return counted.reduce((least, next) => (next.count < least.count ? next : least)).path;
}

/** True if the held paths allow everything that the wanted paths allow. */
export function coversSet(held: readonly PathLock[], wanted: readonly PathLock[]): boolean {
  return held.every((lock, index) => covers(lock, wanted[index] ?? lock));
}

/** True if both have the same paths with the same scopes, in any mode. Both are sorted. */
export function isSameSet(held: readonly PathLock[], wanted: readonly PathLock[]): boolean {
  const isSame = (a: PathLock, b: PathLock | undefined) => a.path === b?.path && a.scope === b.scope;
  return held.length === wanted.length && held.every((lock, index) => isSame(lock, wanted[index]));
}

import type { StateReader } from "../../../machine/state.ts";
import { grantTable, holdCounterTable } from "./lock-tables.ts";
import type { GrantRow } from "./lock-tables.ts";
import { covers } from "./modes.ts";
import type { PathLock } from "./modes.ts";
import { ownHolds } from "./own-holds.ts";
import { countAt } from "./path-counters.ts";

/** The owner's grants of exactly these paths, in any mode. */
export function* grantsOfSet(state: StateReader, owner: string, paths: readonly PathLock[]): Iterable<GrantRow> {
  const [first] = paths;
  if (first === undefined || state.rows(holdCounterTable).get(first.path) === undefined) return;
  for (const { fence } of ownHolds(state, owner, rarest(state, paths))) {
    const row = state.rows(grantTable).get(fence);
    if (row !== undefined && isSameSet(row.paths, paths)) yield row;
  }
}

/** The path with the fewest holders: every holder of the whole set is among them. */
function rarest(state: StateReader, paths: readonly PathLock[]): string {
  const counted = paths.map(({ path }) => ({ path, count: countAt(state, holdCounterTable, path) }));
  return counted.reduce((least, one) => (one.count < least.count ? one : least)).path;
}

/** True if the held paths allow everything that the wanted paths allow. */
export function coversSet(held: readonly PathLock[], wanted: readonly PathLock[]): boolean {
  return held.every((one, index) => covers(one, wanted[index] ?? one));
}

/** True if both have the same paths with the same scopes, in any mode. Both are sorted. */
export function isSameSet(held: readonly PathLock[], wanted: readonly PathLock[]): boolean {
  const isSame = (one: PathLock, other: PathLock | undefined) => one.path === other?.path && one.scope === other.scope;
  return held.length === wanted.length && held.every((one, index) => isSame(one, wanted[index]));
}

import type { StateReader } from "../../../machine/state.ts";
import { grantTable, holdTallyTable } from "./lock-tables.ts";
import type { GrantRow } from "./lock-tables.ts";
import { covers } from "./modes.ts";
import type { LockedPath } from "./modes.ts";
import { ownHolds } from "./own-holds.ts";
import { countAt } from "./path-counters.ts";

/** The grants that an owner has of exactly these paths, whatever their modes. */
export function* grantsOfSet(state: StateReader, owner: string, paths: readonly LockedPath[]): Iterable<GrantRow> {
  const [first] = paths;
  if (first === undefined || state.rows(holdTallyTable).get(first.path) === undefined) return;
  for (const { fence } of ownHolds(state, owner, rarest(state, paths))) {
    const row = state.rows(grantTable).get(fence);
    if (row !== undefined && isSameSet(row.paths, paths)) yield row;
  }
}

/** The path at which the fewest hold something: who has the whole set is among these. */
function rarest(state: StateReader, paths: readonly LockedPath[]): string {
  const counted = paths.map(({ path }) => ({ path, count: countAt(state, holdTallyTable, path) }));
  return counted.reduce((least, one) => (one.count < least.count ? one : least)).path;
}

/** True if whoever holds these paths needs nothing more to do what the same paths, as they are wanted, allow. */
export function coversSet(held: readonly LockedPath[], wanted: readonly LockedPath[]): boolean {
  return held.every((one, index) => covers(one, wanted[index] ?? one));
}

/** True if these are the same paths with the same scopes, in whatever modes. Both are sorted. */
export function isSameSet(held: readonly LockedPath[], wanted: readonly LockedPath[]): boolean {
  const isSame = (one: LockedPath, other: LockedPath | undefined) =>
    one.path === other?.path && one.scope === other.scope;
  return held.length === wanted.length && held.every((one, index) => isSame(one, wanted[index]));
}

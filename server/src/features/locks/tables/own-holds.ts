/** What an owner has at a path, and what it need not wait for because of that. */
import type { StateReader } from "../../../machine/state.ts";
import { ancestorsOf } from "./lock-path.ts";
import { gap, holdTable, holdTallyTable } from "./lock-tables.ts";
import type { HoldRow } from "./lock-tables.ts";
import { strength } from "./modes.ts";
import type { LockedPath, Mode } from "./modes.ts";
import { lockLimits } from "./settings.ts";
import { anyAsStrong } from "./path-counters.ts";

/**
 * What an owner has at exactly this path, all of it: a grant that is overlooked is made a second time, and after the
 * newer fence its owner may come to hold the older one. There is never more of it than an owner may hold paths.
 */
export function ownHolds(state: StateReader, owner: string, path: string): readonly HoldRow[] {
  const prefix = `${owner}${gap}${path}${gap}`;
  return state.rows(holdTable).scan("owner", { prefix, limit: lockLimits.pathsPerOwnerMax });
}

/**
 * True if the owner has this already, by a lock on the path or on the tree above it. Who asks about many paths of the
 * same state keeps what was `found` at each place, so that what somebody holds there is gone through once.
 */
export function isCovered(
  state: StateReader,
  owner: string,
  wanted: LockedPath,
  found?: Map<string, boolean>,
): boolean {
  const { path, mode, scope } = wanted;
  const isHeldAt = (place: string, asTree: boolean): boolean => {
    const key = `${owner}${gap}${place}${gap}${mode}${asTree ? "t" : "s"}`;
    const known = found?.get(key) ?? hasAt(state, owner, { path: place, mode, asTree });
    found?.set(key, known);
    return known;
  };
  return isHeldAt(path, scope === "tree") || ancestorsOf(path).some((ancestor) => isHeldAt(ancestor, true));
}

function hasAt(
  state: StateReader,
  owner: string,
  { path, mode, asTree }: { readonly path: string; readonly mode: Mode; readonly asTree: boolean },
): boolean {
  // Most often nobody has it, and then nothing of what the owner has is looked at.
  if (!anyAsStrong(state, holdTallyTable, { path, mode, asTree })) return false;
  return ownHolds(state, owner, path).some(
    (row) => strength[row.mode] >= strength[mode] && (!asTree || row.scope === "tree"),
  );
}

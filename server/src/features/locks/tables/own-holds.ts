/** The holds of an owner at a path, and the requests that they cover. */
import type { StateReader } from "../../../machine/state.ts";
import { ancestorsOf } from "./path-fault.ts";
import { gap, holdTable, holdCounterTable } from "./lock-tables.ts";
import type { HoldRow } from "./lock-tables.ts";
import { strength } from "./modes.ts";
import type { PathLock, Mode } from "./modes.ts";
import { lockLimits } from "./settings.ts";
import { anyAsStrong } from "./path-counters.ts";

/**
 * All holds of an owner at exactly this path. If one were missed, the lock would be granted a second time, and after
 * the newer fence ended the owner would hold the older one. Their number is bounded by the owner's limit of paths.
 */
export function ownHolds(state: StateReader, owner: string, path: string): readonly HoldRow[] {
  const prefix = `${owner}${gap}${path}${gap}`;
  return state.rows(holdTable).scan("owner", { prefix, limit: lockLimits.pathsPerOwnerMax });
}

/**
 * True if the owner already holds this, by a lock on the path or on a tree above it. A caller with many paths
 * passes `found`, so that the holds at each path are read once.
 */
export function isCovered(state: StateReader, owner: string, wanted: PathLock, found?: Map<string, boolean>): boolean {
  const { path, mode, scope } = wanted;
  const isHeldAt = (heldPath: string, asTree: boolean): boolean => {
    const key = `${owner}${gap}${heldPath}${gap}${mode}${asTree ? "t" : "s"}`;
    const known = found?.get(key) ?? hasAt(state, owner, { path: heldPath, mode, asTree });
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
  // Usually no owner holds it. Then the owner's holds are not read.
  if (!anyAsStrong(state, holdCounterTable, { path, mode, asTree })) return false;
  return ownHolds(state, owner, path).some(
    (row) => strength[row.mode] >= strength[mode] && (!asTree || row.scope === "tree"),
  );
}

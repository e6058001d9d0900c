import type { lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { acceptOnUse } from "./accept-lock.ts";
import { freeGrant } from "../queue/free-grant.ts";
import { grantAt, notHeld, ownGrant } from "../tables/find-held.ts";
import { pathFault } from "../tables/path-fault.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import type { PathLock } from "../tables/modes.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";

/** A released grant, with all of its paths or some. */
interface Part {
  readonly row: GrantRow;
  readonly paths: readonly string[] | undefined;
}

/**
 * Frees only locks that the owner holds: all named ones, or none. A late release never frees the next holder's lock.
 */
export const releaseLock: Decide<(typeof lockOperations)["release-lock"]> = (input, context) => {
  const caller = ownerOf(input, context);
  if (isRefused(caller)) return caller;
  const parts = partsOf(input, caller.owner, context);
  if (isRefused(parts)) return parts;
  const released: string[] = [];
  const lost: PathLock[] = [];
  for (const { row, paths } of parts) {
    const freed = paths ?? row.paths.map(({ path }) => path);
    for (const path of freed) released.push(path);
    if (freed.length < row.paths.length) acceptOnUse(context, row);
    freeGrant(context, row, { type: "lock.released", paths: freed, note: input.note });
    for (const locked of row.paths) if (paths === undefined || freed.includes(locked.path)) lost.push(locked);
  }
  // Runs after all parts are released, because other owners may wait for a later part.
  breakReleaseDeadlocks(context, caller.owner, lost);
  return { outcome: done({ released }), events: [], attachment: {} };
};

function partsOf(
  input: { readonly fence?: string; readonly paths?: readonly string[] },
  owner: string,
  context: DecideContext,
): readonly Part[] | Decision {
  const { fence, paths } = input;
  const byFence = fence === undefined ? undefined : ownGrant(context, owner, fence);
  if (fence !== undefined && byFence === undefined) return notHeld(owner, { fence });
  if (paths === undefined) {
    if (byFence !== undefined) return [{ row: byFence, paths: undefined }];
    return refused("input_invalid", { issues: [{ pointer: "", message: "must have fence or paths" }] });
  }
  const found = new Map<string, { readonly row: GrantRow; readonly paths: string[] }>();
  for (const path of new Set(paths)) {
    const reason = pathFault(path);
    if (reason !== undefined) return refused("path_invalid", { path, reason });
    const row = byFence ?? grantAt(context, owner, path);
    if (row?.paths.some((locked) => locked.path === path) !== true) return notHeld(owner, { path });
    const known = found.get(row.fence);
    if (known === undefined) found.set(row.fence, { row, paths: [path] });
    else known.paths.push(path);
  }
  return [...found.values()];
}

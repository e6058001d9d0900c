/** Fence checks, in the entry of the write that the fence protects. */
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { blockersAt } from "./for-features/blockers-at.ts";
import { presentedFault } from "./for-features/holds-lock.ts";
import { pathFault } from "./tables/path-fault.ts";
import { grantTable } from "./tables/lock-tables.ts";
import type { GrantRow } from "./tables/lock-tables.ts";
import { refused } from "./rules/owner.ts";
import { isEnforced, lockSettings } from "./tables/settings.ts";

export function findGrant(state: StateReader, fence: string): GrantRow | undefined {
  return state.rows(grantTable).get(fence);
}

/**
 * Guards a write to the entity `type/id`, whose path is that name. A presented fence must belong to a live write lock
 * on the path. Without a fence the write is free, unless locks are enforced there: then it is refused while another
 * owner has the path locked. Overdue locks end first, in this entry.
 */
export function unguardedWrite(path: string, fence: string | undefined, context: DecideContext): Decision | undefined {
  if (fence !== undefined) {
    const reason = presentedFault(context, path, { mode: "write", scope: "self", fence });
    return reason === undefined ? undefined : refused("fence_stale", { path, fence, reason });
  }
  const { state } = context;
  if (!isEnforced(state, path) || !lockSettings(state).isOn || pathFault(path) !== undefined) return undefined;
  const denial = blockersAt(context, path, { count: "holders" });
  return denial === undefined ? undefined : refused("fence_required", { path, holders: denial.holders });
}

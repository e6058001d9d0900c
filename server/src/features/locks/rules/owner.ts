import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { refusal } from "../../../machine/refusal.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { spaceRow } from "../../space/space-table.ts";
import { ownerTable } from "../tables/lock-tables.ts";
import { countsOf, ownPrefix, pathsOfPrincipal, principalOf } from "../tables/count-owner.ts";
import { lockLimits, lockSettings } from "../tables/settings.ts";

/** The owner that a command concerns, or the refusal of the command. */
export function ownerOf(
  input: { readonly owner_id?: string },
  { state, command }: DecideContext,
): { readonly owner: string } | Decision {
  if (!lockSettings(state).isOn) return refused("locks_off", { toggle: "component_toggles.lock_manager" });
  const { agent } = command;
  if (agent !== undefined && findAgent(state, agent) === undefined)
    return refused("agent_unknown", { agent_id: agent });
  const owner = input.owner_id ?? agent;
  if (owner === undefined) return refused("owner_required", {});
  if (owner.startsWith(ownPrefix) || (owner !== agent && findAgent(state, owner) !== undefined))
    return refused("owner_taken", { owner_id: owner });
  // Any caller could send the name of an unregistered owner, so only its principal may use its locks.
  const known = owner === agent ? undefined : state.rows(ownerTable).get(owner);
  const isForeign = known !== undefined && known.principal !== command.principal;
  // An ended agent does not act. Its kept locks are recovered, and only operators free them earlier.
  if (isForeign || known?.hasEnded === true) return refused("owner_taken", { owner_id: owner });
  return { owner };
}

/**
 * Refuses more paths for an owner or a principal at its limit, or for an ended owner whose locks are still being freed.
 * Paths that stay with the principal, as in most transfers, are not counted again.
 */
export function ownerLimitRefusal(
  { state, command }: Pick<DecideContext, "state" | "command">,
  owner: string,
  pathCount: number,
  from?: string,
): Decision | undefined {
  const { pathCount: held, waitCount, leaving } = countsOf(state, owner);
  if (leaving !== undefined) return refused("owner_taken", { owner_id: owner });
  const paths = held + waitCount + pathCount;
  if (paths > lockLimits.pathsPerOwnerMax)
    return refused("lock_limit", { paths, limit: lockLimits.pathsPerOwnerMax, counted: "owner" });
  const principal = principalOf(state, owner, command);
  if (principal === from) return undefined;
  const { paths_per_principal_max: limit } = spaceRow(state).settings;
  const ofPrincipal = pathsOfPrincipal(state, principal) + pathCount;
  return ofPrincipal <= limit ? undefined : refused("lock_limit", { paths: ofPrincipal, limit, counted: "principal" });
}

export function isRefused<T extends object>(result: T | Decision): result is Decision {
  return "outcome" in result;
}

export function refused(code: string, data: Parameters<typeof refusal>[1]): Decision {
  return { outcome: refusal(code, data), events: [] };
}

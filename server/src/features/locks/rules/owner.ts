import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { refusal } from "../../../machine/refusal.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { ownerTable } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { lockLimits, lockSettings } from "../tables/settings.ts";

/** Owners that start like this are Holdfast's own. */
export const ownPrefix = "holdfast:";

/** Whose lock a command is about, or why it is refused before anything else is looked at. */
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
  // An owner that is not registered is a name that anybody could send: what it has is its principal's alone.
  const known = owner === agent ? undefined : state.rows(ownerTable).get(owner);
  if (known !== undefined && known.principal !== command.principal) return refused("owner_taken", { owner_id: owner });
  return { owner };
}

/** Why an owner can not have more paths: it has too many, or it has ended and what it had is still being freed. */
export function unfitOwner(
  { state }: Pick<DecideContext, "state">,
  owner: string,
  pathCount: number,
): Decision | undefined {
  const { pathCount: held, waitCount, leaving } = countsOf(state, owner);
  if (leaving !== undefined) return refused("owner_taken", { owner_id: owner });
  const paths = held + waitCount + pathCount;
  if (paths <= lockLimits.pathsPerOwnerMax) return undefined;
  return refused("lock_limit", { paths, limit: lockLimits.pathsPerOwnerMax });
}

export function isRefused<T extends object>(result: T | Decision): result is Decision {
  return "outcome" in result;
}

export function refused(code: string, data: Parameters<typeof refusal>[1]): Decision {
  return { outcome: refusal(code, data), events: [] };
}

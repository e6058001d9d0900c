/** Fence checks, in the entry of the write that the fence protects. */
import { unknownFence } from "@holdfast/sdk/contract";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { conflictingHolds } from "./queue/blockers.ts";
import { holderView } from "./queue/deny.ts";
import { expireIfDue, liveGrant } from "./queue/free-grant.ts";
import { pathFault } from "./tables/path-fault.ts";
import { grantTable, ownerTable } from "./tables/lock-tables.ts";
import type { GrantRow, HoldRow } from "./tables/lock-tables.ts";
import { strength } from "./tables/modes.ts";
import type { PathLock, Mode } from "./tables/modes.ts";
import { refused } from "./rules/owner.ts";
import { endedMax, isEnforced, isFull, lockSettings } from "./tables/settings.ts";

/** Describes why a fence does not cover a path; undefined if it does. */
export function fenceFault(row: GrantRow | undefined, path: string, mode: Mode): string | undefined {
  if (row === undefined) return unknownFence;
  const covering = row.paths.filter(
    (locked) => locked.path === path || (locked.scope === "tree" && isAtOrBelow(path, locked.path)),
  );
  if (covering.length === 0) return "the grant does not cover this path";
  return covering.some((locked) => strength[locked.mode] >= strength[mode])
    ? undefined
    : `the grant is not for ${mode}`;
}

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
    const reason = presentedFault(fence, path, context);
    return reason === undefined ? undefined : refused("fence_stale", { path, fence, reason });
  }
  const { state } = context;
  if (!isEnforced(state, path) || !lockSettings(state).isOn || pathFault(path) !== undefined) return undefined;
  const wanted = { path, mode: "write", scope: "self" } as const;
  const holders = holdersNow(context, wanted);
  if (holders.length === 0) return undefined;
  return refused("fence_required", { path, holders: holders.map((row) => holderView(state, row)) });
}

/**
 * The other holders of the path after every overdue lock there has ended. An expiry grants the next ticket in this
 * entry, so all holders are read again after each. If more locks are overdue than one command ends, the write is
 * refused although the path might be free. Letting a write pass a lock would be worse.
 */
function holdersNow(context: DecideContext, wanted: PathLock): readonly HoldRow[] {
  const { state, command } = context;
  for (let ended = 0; ; ended += 1) {
    const holders = conflictingHolds(state, wanted, command.agent ?? "", holdersMax);
    if (ended >= endedMax || isFull(context) || !holders.some(({ fence }) => endIfDue(context, fence))) return holders;
  }
}

function endIfDue(context: DecideContext, fence: string): boolean {
  const grant = context.state.rows(grantTable).get(fence);
  return grant !== undefined && expireIfDue(context, grant);
}

/**
 * Fences are visible to every reader. A fence is proof only if it is presented by the principal that holds the lock.
 */
function presentedFault(fence: string, path: string, context: DecideContext): string | undefined {
  const grant = liveGrant(context, fence);
  const holder = grant === undefined ? undefined : context.state.rows(ownerTable).get(grant.owner)?.principal;
  if (holder !== undefined && holder !== context.command.principal) return "the grant belongs to another principal";
  return fenceFault(grant, path, "write");
}

const holdersMax = 10;

/** True if the caller's agent holds a write lock that covers the path, or presents the fence of one. */
export function holdsWrite(path: string, fence: string | undefined, context: DecideContext): boolean {
  if (fence !== undefined) return presentedFault(fence, path, context) === undefined;
  const { agent } = context.command;
  if (agent === undefined) return false;
  return ownFences(context, agent, path).some(
    (own) => fenceFault(liveGrant(context, own), path, "write") === undefined,
  );
}

function ownFences({ state }: DecideContext, owner: string, path: string): readonly string[] {
  const wanted = { path, mode: "write", scope: "self" } as const;
  return conflictingHolds(state, wanted, "", 100)
    .filter((row) => row.owner === owner)
    .map(({ fence }) => fence);
}

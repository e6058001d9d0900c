/** Whether a caller holds the lock that a rule of a feature or a pack demands. */
import { unknownFence } from "@holdfast/sdk/contract";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import type { DecideContext } from "../../../machine/feature.ts";
import type { ReadContext } from "../../../machine/read-context.ts";
import { liveGrant } from "../queue/free-grant.ts";
import { dueTime, grantTable, ownerTable } from "../tables/lock-tables.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import { covers } from "../tables/modes.ts";
import type { PathLock, Mode, Scope } from "../tables/modes.ts";
import { isCovered, ownHolds } from "../tables/own-holds.ts";
import { ancestorsOf } from "../tables/path-fault.ts";

/** A decision or a read. A decision ends overdue grants first. A read treats them as ended, except in the grace. */
export type LockContext = DecideContext | ReadContext;

export interface LockNeed {
  readonly mode: Mode;
  /** `self` is met by a grant at the path or a tree above it, `tree` only by a tree at the path or above it. */
  readonly scope: Scope;
  /** The fence that the caller presents. Without it the grants of the caller's agent count. */
  readonly fence?: string | undefined;
}

/** True if the caller holds a lock that covers the need. A stronger mode covers a weaker one. */
export function holdsLock(context: LockContext, path: string, need: LockNeed): boolean {
  if (need.fence !== undefined) return presentedFault(context, path, { ...need, fence: need.fence }) === undefined;
  const { agent } = callerOf(context);
  const { state } = context;
  if (agent === undefined || !isCovered(state, agent, { path, mode: need.mode, scope: need.scope })) return false;
  return [...ancestorsOf(path), path]
    .flatMap((at) => ownHolds(state, agent, at))
    .filter((held) => coversAt(held, path, need))
    .some(({ fence }) => grantNow(context, fence) !== undefined);
}

export function callerOf(context: LockContext): { readonly principal: string; readonly agent?: string | undefined } {
  return isDecision(context) ? context.command : context;
}

export function isDecision(context: LockContext): context is DecideContext {
  return "command" in context;
}

/** The grant with this fence if it is held at this time. */
export function grantNow(context: LockContext, fence: string): GrantRow | undefined {
  if (isDecision(context)) return liveGrant(context, fence);
  const row = context.state.rows(grantTable).get(fence);
  const isHeld = row !== undefined && (context.grace || (dueTime(row) ?? Infinity) > context.time);
  return isHeld ? row : undefined;
}

/**
 * Describes why a presented fence does not prove a need; undefined if it does. Fences are visible to every reader, so a
 * fence is proof only if the principal that holds the lock presents it.
 */
export function presentedFault(
  context: LockContext,
  path: string,
  need: LockNeed & { readonly fence: string },
): string | undefined {
  const grant = grantNow(context, need.fence);
  return (grant === undefined ? undefined : foreignFault(context, grant)) ?? fenceFault(grant, path, need);
}

/**
 * Describes why a grant is not the caller's; undefined if it is. A grant with a keeper is proven by its keeper alone.
 * One worker keeps the locks of several jobs, and its principal may have several workers.
 */
export function foreignFault(context: LockContext, { owner, keeper }: GrantRow): string | undefined {
  if (keeper !== undefined)
    return keeper === callerOf(context).agent ? undefined : "the grant is kept by another agent";
  const holder = context.state.rows(ownerTable).get(owner)?.principal;
  return holder === callerOf(context).principal ? undefined : "the grant belongs to another principal";
}

/** Describes why the grant of a fence does not cover a path; undefined if it does. */
export function fenceFault(
  row: GrantRow | undefined,
  path: string,
  { mode, scope }: Pick<LockNeed, "mode" | "scope">,
): string | undefined {
  if (row === undefined) return unknownFence;
  const covering = row.paths.filter((held) => coversAt(held, path, { mode: "read", scope }));
  if (covering.length === 0) return `the grant does not cover this ${scope === "tree" ? "tree" : "path"}`;
  return covering.some((held) => coversAt(held, path, { mode, scope })) ? undefined : `the grant is not for ${mode}`;
}

/** True if a held path covers a need at a path. A tree above the path covers any scope. */
function coversAt(held: PathLock, path: string, need: Pick<LockNeed, "mode" | "scope">): boolean {
  if (held.path === path) return covers(held, need);
  return held.scope === "tree" && isAtOrBelow(path, held.path) && covers(held, need);
}

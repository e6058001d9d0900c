/** Grants of sets of paths in the entry of a feature's own command. */
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { spaceFull } from "../../space/space-full.ts";
import { blockerNow } from "../queue/enqueue.ts";
import { denialOf, requestDenial } from "../queue/deny.ts";
import type { Denial } from "../queue/deny.ts";
import { liveGrant } from "../queue/free-grant.ts";
import { cancelQueuedTicket, graceOf, shownEnd, withOrder } from "../queue/grant-next.ts";
import { heldAlready } from "../rules/acquire-lock.ts";
import { isRefused, ownerLimitRefusal } from "../rules/owner.ts";
import { wantedPaths } from "../rules/wanted-paths.ts";
import type { WantedPath } from "../rules/wanted-paths.ts";
import { ownPrefix } from "../tables/count-owner.ts";
import { nextFence, rankOf } from "../tables/fence.ts";
import { firstLeaseEnd } from "../tables/grant-folds.ts";
import { lockAcquiredEvents, lockChangedEvents } from "../tables/lock-events.ts";
import { grantTable } from "../tables/lock-tables.ts";
import type { GrantRow, RequestTerms } from "../tables/lock-tables.ts";
import { covers, strength } from "../tables/modes.ts";
import type { PathLock } from "../tables/modes.ts";
import { coversSet } from "../tables/same-set.ts";

interface SetGrant {
  /** The agent of the command, or a name with the prefix `holdfast:`, which no caller can use. */
  readonly owner: string;
  /** The agent whose heartbeats renew the grant. */
  readonly keeper?: string;
  readonly job?: string;
  readonly paths: readonly PathLock[];
  readonly terms: RequestTerms;
}

/**
 * Grants a set at once, all or nothing, or returns the denial. A limit of `acquire-lock` that does not allow it is the
 * reason of a denial without holders. A grant of the same set that the owner holds is returned as it is.
 */
export function grantSet(context: DecideContext, request: SetGrant): GrantRow | Denial {
  const { owner, keeper, job, terms } = request;
  assertOwner(context, owner);
  const wanted = wantedPaths({ paths: [...request.paths] }, context);
  if (isRefused(wanted)) return refusalDenial(context, request, wanted);
  const held = heldAlready(context, owner, wanted);
  if (held !== undefined && coversSet(held.paths, wanted)) return held;
  const limited = ownerLimitRefusal(context, owner, wanted.length) ?? spaceFull(context);
  if (limited !== undefined) return refusalDenial(context, request, limited);
  const blocked = { owner, rank: freedRank(context, owner), paths: wanted };
  if (blockerNow(context, blocked) !== undefined) return requestDenial(context.state, blocked);
  const fence = nextFence(context);
  const { time, state } = context;
  const events = lockAcquiredEvents(state, {
    ...{ fence, owner, terms, keeper, job },
    paths: withOrder(context, wanted.map(plain)),
    expiresAt: shownEnd(context, owner, firstLeaseEnd(terms, time)),
    graceMs: graceOf(context, wanted),
  });
  for (const event of events) context.emit(event);
  return granted(context, fence);
}

/** The rank of the owner's notify-only ticket that became free in this entry: it goes ahead of the tickets behind it. */
function freedRank({ events }: DecideContext, owner: string): number {
  const freed = events.findLast(
    ({ type, data }) => type === "lock.cancelled" && data["why"] === "free" && data["owner_id"] === owner,
  );
  const ticket = freed?.data["ticket"] as string | undefined;
  return ticket === undefined ? Infinity : rankOf(ticket, Number(ticket.split(".")[1]));
}

/**
 * Replaces a grant by one of the same owner with a new fence, keeper and job, and a whole lease. It covers the old paths
 * and `paths`. Paths that the old grant lacks must be free, otherwise nothing changes.
 */
export function adoptSet(
  context: DecideContext,
  fence: string,
  to: { readonly keeper: string; readonly job: string; readonly paths: readonly PathLock[] },
): GrantRow | Denial {
  const row = liveGrant(context, fence);
  const wanted = wantedPaths({ paths: [...(row?.paths ?? []), ...to.paths] }, context);
  const request = { owner: row?.owner ?? "", paths: to.paths };
  if (isRefused(wanted)) return refusalDenial(context, request, wanted);
  if (row === undefined) return bareDenial(context, request, "the grant has ended");
  const lacking = wanted.filter((each) => !row.paths.some((held) => held.path === each.path && covers(held, each)));
  const limited = ownerLimitRefusal(context, row.owner, wanted.length - row.paths.length) ?? spaceFull(context);
  if (limited !== undefined && lacking.length > 0) return refusalDenial(context, request, limited);
  const blocked = { owner: row.owner, rank: Infinity, paths: lacking };
  if (blockerNow(context, blocked) !== undefined) return requestDenial(context.state, blocked);
  if (row.upgrading !== undefined) cancelQueuedTicket(context, row.upgrading, "transferred");
  const next = nextFence(context);
  const paths = withOrder(context, wanted.map(plain));
  const changed = { fence: next, owner: row.owner, paths, keeper: to.keeper, job: to.job };
  for (const event of lockChangedEvents(context.state, "lock.adopted", row, changed)) context.emit(event);
  return granted(context, next);
}

function assertOwner({ command }: DecideContext, owner: string): void {
  if (owner !== command.agent && !owner.startsWith(ownPrefix))
    throw new Error(`${owner} is neither the agent of the command nor an owner of Holdfast`);
}

function plain({ path, mode, scope }: WantedPath): PathLock {
  return { path, mode, scope };
}

function granted({ state }: DecideContext, fence: string): GrantRow {
  const row = state.rows(grantTable).get(fence);
  if (row === undefined) throw new Error(`the grant ${fence} ended in the reaction to it`);
  return row;
}

/** The code of a refusal as the reason of a denial. */
function refusalDenial(
  context: DecideContext,
  request: Pick<SetGrant, "owner" | "paths">,
  { outcome }: Decision,
): Denial {
  return bareDenial(context, request, outcome.kind === "refusal" ? outcome.code : "");
}

function bareDenial(
  { state }: DecideContext,
  { owner, paths }: Pick<SetGrant, "owner" | "paths">,
  reason: string,
): Denial {
  const path = paths.toSorted((a, b) => strength[b.mode] - strength[a.mode])[0]?.path ?? "";
  return denialOf(state, { path, requestedBy: owner, holders: [], holdersTotal: 0, ahead: 0, reason });
}

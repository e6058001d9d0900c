/** The locks and tickets of others at a path, for features and packs that must respect them. */
import type { DecideContext } from "../../../machine/feature.ts";
import { eachConflictingHold, waitsAhead } from "../queue/blockers.ts";
import { denialOf } from "../queue/deny.ts";
import type { Denial } from "../queue/deny.ts";
import { expireIfDue } from "../queue/free-grant.ts";
import { cancelQueuedTicket } from "../queue/grant-next.ts";
import { grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { HoldRow, WaitRow } from "../tables/lock-tables.ts";
import type { PathLock, Mode, Scope } from "../tables/modes.ts";
import { isCovered } from "../tables/own-holds.ts";
import { endedMax, isFull, lockLimits } from "../tables/settings.ts";
import { callerOf, foreignFault, grantNow, isDecision } from "./holds-lock.ts";
import type { LockContext } from "./holds-lock.ts";

interface BlockerOptions {
  readonly mode?: Mode;
  readonly scope?: Scope;
  /** `queue` also counts the tickets that would be ahead of a request. */
  readonly count: "holders" | "queue";
  /** The fence that the caller presents. A read has it in its context. */
  readonly fence?: string | undefined;
}

/**
 * The data of a denial if another owner blocks a lock on the path. The grants of the caller's agent and the grant whose
 * fence it presents never block. A decision ends overdue grants and tickets first. If more are overdue than one command
 * ends, the rest blocks: to let a write pass a lock would be worse.
 */
export function blockersAt(context: LockContext, path: string, options: BlockerOptions): Denial | undefined {
  const { mode = "write", scope = "self", count } = options;
  const search = { wanted: { path, mode, scope }, own: ownersOf(context, options.fence), count };
  let found = findBlockers(context, search);
  if (isDecision(context)) {
    for (let left = endedMax; ;) {
      const ended = endOverdue(context, found, left);
      if (ended === 0) break;
      left -= ended;
      found = findBlockers(context, search);
    }
  }
  const { holders, waits } = found;
  if (holders.length + waits.length === 0) return undefined;
  const { agent, principal } = callerOf(context);
  return denialOf(context.state, {
    path,
    requestedBy: agent ?? principal,
    holders: holders.toSorted((a, b) => (a.seq < b.seq ? -1 : 1)).slice(0, lockLimits.namedMax),
    holdersTotal: holders.length,
    ahead: new Set(waits.map(({ ticket }) => ticket)).size,
  });
}

interface BlockerSearch {
  readonly wanted: PathLock;
  readonly own: readonly string[];
  readonly count: BlockerOptions["count"];
}

interface FoundBlockers {
  readonly holders: readonly HoldRow[];
  readonly waits: readonly WaitRow[];
}

/** The caller's agent, and the owner of the grant whose fence the caller presents. */
function ownersOf(context: LockContext, given: string | undefined): readonly string[] {
  const { agent } = callerOf(context);
  const fence = given ?? (isDecision(context) ? undefined : context.fence);
  const grant = fence === undefined ? undefined : grantNow(context, fence);
  const owners = grant === undefined || foreignFault(context, grant) !== undefined ? [] : [grant.owner];
  return agent === undefined ? owners : [agent, ...owners];
}

function findBlockers(context: LockContext, { wanted, own, count }: BlockerSearch): FoundBlockers {
  const { state } = context;
  const isForeign = ({ owner }: { readonly owner: string }): boolean => !own.includes(owner);
  const isStillHeld = ({ fence }: HoldRow): boolean => isDecision(context) || grantNow(context, fence) !== undefined;
  const [owner = ""] = own;
  const holders: HoldRow[] = [];
  // Only foreign and live holds count against the limit. Others must not take the place of a live foreign one.
  for (const row of eachConflictingHold(state, wanted, owner)) {
    if (holders.length >= lockLimits.countedMax) break;
    if (isForeign(row) && isStillHeld(row)) holders.push(row);
  }
  const isBehind = count === "queue" && !own.some((each) => isCovered(state, each, wanted));
  const waits: WaitRow[] = [];
  for (const row of isBehind ? waitsAhead(state, { owner, rank: Infinity, paths: [wanted] }) : []) {
    if (waits.length >= lockLimits.countedMax) break;
    if (isForeign(row) && (isDecision(context) || !isOverdue(context, row))) waits.push(row);
  }
  return { holders, waits };
}

function isOverdue({ state, time, grace }: LockContext, { ticket }: WaitRow): boolean {
  return !grace && (state.rows(ticketTable).get(ticket)?.leaseUntil ?? 0) <= time;
}

/** Ends overdue blockers up to a limit. Returns their number. */
function endOverdue(context: DecideContext, { holders, waits }: FoundBlockers, limit: number): number {
  let ended = 0;
  for (const { fence } of holders) {
    if (ended >= limit || isFull(context)) return ended;
    const grant = context.state.rows(grantTable).get(fence);
    if (grant !== undefined && expireIfDue(context, grant)) ended += 1;
  }
  for (const row of waits) {
    if (ended >= limit || isFull(context)) return ended;
    if (context.state.rows(ticketTable).get(row.ticket) === undefined || !isOverdue(context, row)) continue;
    cancelQueuedTicket(context, row.ticket, "expired");
    ended += 1;
  }
  return ended;
}

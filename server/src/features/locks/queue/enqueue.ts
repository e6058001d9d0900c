import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import { besideOf } from "../tables/co-holders.ts";
import { blockerIdOf, firstBlocker } from "./blockers.ts";
import type { Blocker, Wish } from "./blockers.ts";
import { countAhead, estimateMs, holdersInTheWay, holderView } from "./deny.ts";
import { nextTicket } from "../tables/fence.ts";
import { deadlockData, deadlockEvent, findDeadlock } from "./find-deadlock.ts";
import type { Deadlock } from "./find-deadlock.ts";
import { expireIfDue } from "./free-grant.ts";
import { cancelTicket } from "./grant-next.ts";
import { iso, lockSubject } from "../tables/lock-events.ts";
import { grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { Terms } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { refused } from "../rules/owner.ts";
import { endedMax, isFull, lockLimits } from "../tables/settings.ts";
import { termsData } from "../tables/terms-data.ts";

/** What is in the way once everything that is overdue there has ended, in this entry. */
export function blockerNow(context: DecideContext, wish: Wish): Blocker | undefined {
  for (let ended = 0; ended < endedMax; ended += 1) {
    const blocker = firstBlocker(context.state, wish);
    if (blocker === undefined || context.grace || isFull(context)) return blocker;
    if (!endOverdue(context, wish, blocker)) return blocker;
  }
  return firstBlocker(context.state, wish);
}

function endOverdue(context: DecideContext, wish: Wish, blocker: Blocker): boolean {
  const { state, time } = context;
  const ticket = blocker.as === "waiter" ? state.rows(ticketTable).get(blocker.row.ticket) : undefined;
  if (ticket !== undefined && ticket.leaseUntil <= time) {
    cancelTicket(context, ticket.ticket, "expired");
    return true;
  }
  return holdersInTheWay(state, wish).some(({ fence }) => {
    const grant = state.rows(grantTable).get(fence);
    return grant !== undefined && expireIfDue(context, grant);
  });
}

export interface Queueing {
  readonly wish: Wish;
  readonly blocker: Blocker;
  readonly terms: Terms;
  readonly ticketSeconds: number | undefined;
  readonly upgrades?: string;
}

/** Gives a ticket, unless waiting could never end. */
export function enqueue(context: DecideContext, queueing: Queueing): Decision {
  const { state, time } = context;
  const { wish, blocker, terms, upgrades } = queueing;
  const { ticketCount } = countsOf(state, wish.owner);
  if (ticketCount >= lockLimits.ticketsPerOwnerMax) return refused("lock_limit", { tickets: ticketCount });
  const deadlock = findDeadlock(state, wish);
  if (deadlock !== undefined) return refuseDeadlock(context, wish, deadlock);
  const ticket = nextTicket(context);
  const leaseMs = queueing.ticketSeconds === undefined ? lockLimits.ticketMs : queueing.ticketSeconds * 1000;
  const ahead = countAhead(state, wish);
  const [first] = wish.paths;
  const paths = wish.paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const data = {
    resource_id: first?.path ?? "",
    owner_id: wish.owner,
    ticket,
    paths,
    terms: termsData(terms),
    lease_ms: leaseMs,
    waits_for: blockerIdOf(state, blocker),
    ...(upgrades === undefined ? {} : { upgrades }),
    ...besideOf(state, first?.path ?? ""),
  };
  const outcome = done({ granted: false, ticket, place: ahead + 1, expires_at: iso(time + leaseMs) });
  const attachment = {
    waits_for: holdersInTheWay(state, wish).map((row) => holderView(state, row)),
    estimate_ms: estimateMs(state, ahead + 1),
  };
  return { outcome, events: [{ type: "lock.queued", subject: lockSubject(first?.path ?? ""), data }], attachment };
}

/** The request that would close the cycle is refused; nothing has to be rolled back. It is found in the audit trail. */
export function refuseDeadlock(
  { state }: DecideContext,
  wish: Pick<Wish, "owner" | "paths">,
  deadlock: Deadlock,
): Decision {
  const data = deadlockData(wish.owner, deadlock);
  const events = [deadlockEvent(state, wish.paths[0]?.path ?? "", data)];
  return { ...refused("deadlock", data), events, isAudited: true };
}

import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Event } from "../../../machine/entry.ts";
import type { StateReader } from "../../../machine/state.ts";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { blockerIdOf, firstBlocker } from "./blockers.ts";
import type { Blocker, LockRequest } from "./blockers.ts";
import { countAhead, estimateMs, blockingHolders, holderView } from "./deny.ts";
import { nextTicket } from "../tables/fence.ts";
import { deadlockData, deadlockEvent, findDeadlock } from "./find-deadlock.ts";
import type { Deadlock } from "./find-deadlock.ts";
import { expireIfDue } from "./free-grant.ts";
import { cancelQueuedTicket } from "./grant-next.ts";
import { iso, lockSubject } from "../tables/lock-events.ts";
import { grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { RequestTerms } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/count-owner.ts";
import { refused } from "../rules/owner.ts";
import { spaceFull } from "../../space/space-full.ts";
import { endedMax, isFull, lockLimits } from "../tables/settings.ts";
import { termsData } from "../tables/terms-data.ts";
import { timesView } from "../tables/ticket-times.ts";
import type { TicketTimes } from "../tables/ticket-times.ts";

/** The first blocker after every overdue lock has ended, in this entry. */
export function blockerNow(context: DecideContext, request: LockRequest): Blocker | undefined {
  for (let ended = 0; ended < endedMax; ended += 1) {
    const blocker = firstBlocker(context.state, request);
    if (blocker === undefined || context.grace || isFull(context)) return blocker;
    if (!endOverdue(context, request, blocker)) return blocker;
  }
  return firstBlocker(context.state, request);
}

function endOverdue(context: DecideContext, request: LockRequest, blocker: Blocker): boolean {
  const { state, time } = context;
  const ticket = blocker.as === "waiter" ? state.rows(ticketTable).get(blocker.row.ticket) : undefined;
  if (ticket !== undefined && ticket.leaseUntil <= time) {
    cancelQueuedTicket(context, ticket.ticket, "expired");
    return true;
  }
  return blockingHolders(state, request).some(({ fence }) => {
    const grant = state.rows(grantTable).get(fence);
    return grant !== undefined && expireIfDue(context, grant);
  });
}

interface QueuedRequest {
  readonly request: LockRequest;
  readonly blocker: Blocker;
  readonly terms: RequestTerms;
  readonly times: TicketTimes;
  readonly upgrades?: string;
}

/** Queues a request, unless it would close a cycle. */
export function enqueue(context: DecideContext, queued: QueuedRequest): Decision {
  const { state, time } = context;
  const { request, blocker, terms, upgrades } = queued;
  const { ticketCount } = countsOf(state, request.owner);
  if (ticketCount >= lockLimits.ticketsPerOwnerMax) return refused("lock_limit", { tickets: ticketCount });
  const full = spaceFull(context);
  if (full !== undefined) return full;
  const deadlock = findDeadlock(state, request);
  if (deadlock !== undefined) return refuseDeadlock(context, request, deadlock);
  const ticket = nextTicket(context);
  const { leaseMs, acceptMs } = queued.times;
  const ahead = countAhead(state, request);
  const event = queuedEvent(state, {
    request,
    blocker,
    terms,
    ticket,
    leaseMs,
    more: defined({ upgrades, accept_ms: acceptMs }),
  });
  const outcome = done({ granted: false, ticket, place: ahead + 1, expires_at: iso(time + leaseMs) });
  const attachment = {
    waits_for: blockingHolders(state, request).map((row) => holderView(state, row)),
    estimate_ms: estimateMs(state, ahead + 1),
    ...timesView(queued.times),
  };
  return { outcome, events: [event], attachment };
}

interface NewTicket extends Pick<QueuedRequest, "request" | "blocker" | "terms"> {
  readonly ticket: string;
  readonly leaseMs: number;
  readonly more: JsonObject;
}

export function queuedEvent(state: StateReader, queued: NewTicket): Event {
  const { request, blocker, terms, ticket, leaseMs, more } = queued;
  const path = request.paths[0]?.path ?? "";
  const data = {
    resource_id: path,
    owner_id: request.owner,
    ticket,
    paths: request.paths.map(({ path: each, mode, scope }) => ({ path: each, mode, scope })),
    terms: termsData(terms),
    lease_ms: leaseMs,
    waits_for: blockerIdOf(state, blocker),
    ...more,
    ...coHoldersOf(state, path),
  };
  return { type: "lock.queued", subject: lockSubject(path), data };
}

/** Refuses the request that would close the cycle. Nothing has to be rolled back. The audit trail records it. */
export function refuseDeadlock(
  { state }: DecideContext,
  request: Pick<LockRequest, "owner" | "paths">,
  deadlock: Deadlock,
): Decision {
  const data = deadlockData(request.owner, deadlock);
  const events = [deadlockEvent(state, request.paths[0]?.path ?? "", data)];
  return { ...refused("deadlock", data), events, isAudited: true };
}

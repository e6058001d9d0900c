import { defined } from "@holdfast/sdk/base/defined";
import type { InputOf, lockOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import type { Decide } from "../../rule-of.ts";
import { countAhead, estimateMs, blockingHolders, holderView } from "../queue/deny.ts";
import { grantView, liveGrant } from "../queue/free-grant.ts";
import { cancelQueuedTicket } from "../queue/grant-next.ts";
import { iso } from "../tables/lock-events.ts";
import { gap, grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, TicketRow } from "../tables/lock-tables.ts";
import { timesView } from "../tables/ticket-times.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";

/** Renews a ticket, or accepts its grant. */
export const acceptLock: Decide<(typeof lockOperations)["accept-lock"]> = (input, context) => {
  const row = ownTicket(input, context);
  return "outcome" in row ? row : renewTicket(context, row);
};

/**
 * The live ticket of the caller. If the ticket was granted, accepts the grant. Refuses a ticket of another owner or an
 * ended one.
 */
function ownTicket(
  input: InputOf<(typeof lockOperations)["accept-lock"]>,
  context: DecideContext,
): TicketRow | Decision {
  const caller = ownerOf(input, context);
  if (isRefused(caller)) return caller;
  const grant = grantOfTicket(context, input.ticket);
  if (grant?.owner === caller.owner) return acceptGrant(context, grant);
  const row = liveTicket(context, input.ticket);
  return row?.owner === caller.owner ? row : refused("ticket_unknown", { ticket: input.ticket });
}

/** The reply to a renewed ticket: its place, with a new lease. */
export function renewTicket(context: DecideContext, row: TicketRow): Decision {
  const { place, expires_at: _before, ...rest } = placeView(context.state, row);
  return {
    outcome: done({
      granted: false,
      ticket: row.ticket,
      place: place ?? 0,
      expires_at: iso(context.time + row.leaseMs),
    }),
    events: [{ type: "lock.ticket_renewed", subject: `ticket/${row.ticket}`, data: { ticket: row.ticket } }],
    attachment: rest,
  };
}

/**
 * Cancels a ticket. If it was granted in the meantime, the reply is the grant, and the caller decides to use or release
 * it.
 */
export const cancelTicket: Decide<(typeof lockOperations)["cancel-ticket"]> = (input, context) => {
  const row = ownTicket(input, context);
  if ("outcome" in row) return row;
  cancelQueuedTicket(context, row.ticket, "cancelled");
  return { outcome: done({ cancelled: row.ticket }), events: [], attachment: {} };
};

function acceptGrant(context: DecideContext, grant: GrantRow): Decision {
  const { fence, expires_at, ...view } = grantView(context, grant);
  return {
    outcome: done({ granted: true, fence: fence ?? "", expires_at: expires_at ?? "" }),
    events: acceptance(grant),
    attachment: { ...view, still_held: true, ...grantTimes(grant) },
  };
}

/** The event that accepts a granted ticket, unless it is already accepted. */
export function acceptance({ ticket = "", fence, owner, acceptBy }: GrantRow): readonly Event[] {
  if (acceptBy === undefined) return [];
  return [{ type: "lock.accepted", subject: `ticket/${ticket}`, data: { fence, owner_id: owner } }];
}

/** An owner that changes a granted lock has accepted it. The lock must not expire as an unaccepted one. */
export function acceptOnUse(context: DecideContext, grant: GrantRow): void {
  for (const event of acceptance(grant)) context.emit(event);
}

/** The times that the ticket of a grant had. */
export function grantTimes({ ticketMs: leaseMs, acceptMs }: GrantRow): JsonObject {
  return timesView(defined({ leaseMs, acceptMs }));
}

/** The live grant of a granted ticket. For an upgrade, it is the grant that was upgraded. */
function grantOfTicket(context: DecideContext, ticket: string): GrantRow | undefined {
  const row = findGrantOfTicket(context.state, ticket);
  return row === undefined ? undefined : liveGrant(context, row.fence);
}

export function findGrantOfTicket(state: StateReader, ticket: string): GrantRow | undefined {
  return state
    .rows(grantTable)
    .scan("ticket", { prefix: ticket, limit: 2 })
    .find((row) => row.ticket === ticket);
}

export function liveTicket(context: DecideContext, ticket: string): TicketRow | undefined {
  const row = context.state.rows(ticketTable).get(ticket);
  if (row === undefined || context.grace || row.leaseUntil > context.time) return row;
  cancelQueuedTicket(context, ticket, "expired");
  return undefined;
}

/** The place of a ticket as replies show it. */
export function placeView(state: StateReader, row: TicketRow): JsonObject {
  const ahead = countAhead(state, row);
  return {
    ticket: row.ticket,
    place: ahead + 1,
    expires_at: iso(row.leaseUntil),
    waits_for: blockingHolders(state, row).map((hold) => holderView(state, hold)),
    estimate_ms: estimateMs(state, ahead + 1),
    ...timesView(row),
  };
}

export const ticketsOf = (state: StateReader, owner: string, limit: number): readonly TicketRow[] =>
  state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit });

import type { Event } from "../../../machine/entry.ts";
import type { Reaction } from "../../../machine/feature.ts";
import type { StateReader } from "../../../machine/state.ts";
import { firstBlocker } from "./blockers.ts";
import { expireIfDue } from "./free-grant.ts";
import { cancelQueuedTicket, grantOrWatch } from "./grant-next.ts";
import { gap, grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/count-owner.ts";
import { isFull } from "../tables/settings.ts";

/**
 * An owner that is granted a lock may have another ticket for a part of it, behind a ticket that waits for this lock.
 * The grant covers that part, so the owner need not wait for it. Otherwise both would wait forever.
 */
export const grantCovered: Reaction = (event, context) => {
  const { state } = context;
  const owner = event.data["owner_id"] as string;
  if (event.data["of"] !== undefined || countsOf(state, owner).ticketCount === 0) return [];
  const tickets = state.rows(ticketTable);
  const covered: TicketRow[] = [];
  for (const { ticket } of tickets.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    const row = tickets.get(ticket);
    if (row === undefined || tickets.get(row.waitsFor) === undefined) continue;
    if (!isFull(context)) grantOrWatch(context, row);
    else if (firstBlocker(state, row) === undefined) covered.push(row);
  }
  return covered.length === 0 ? [] : deferTickets(state, event.data["fence"] as string, covered);
};

/** The entry is full. The next entry examines these tickets as if they had waited for the granted lock. */
function deferTickets(state: StateReader, fence: string, rows: readonly TicketRow[]): readonly Event[] {
  const blockerId = state.rows(grantTable).get(fence)?.blockerId ?? fence;
  return [
    ...rows.map(({ ticket }) => ({
      type: "lock.waiting",
      subject: `ticket/${ticket}`,
      data: { ticket, waits_for: blockerId },
    })),
    { type: "lock.handover_left", subject: "locks", data: { blocker_id: blockerId } },
  ];
}

/** The heartbeat arrived too late for these grants. They were not renewed and end in its entry. */
export const endOverdueOf: Reaction = (event, context) => {
  if (context.grace) return [];
  const owners = new Set(event.data["ids"] as readonly string[]);
  const { state, time } = context;
  const due = state
    .rows(grantTable)
    .scan("due", { limit: dueMax })
    .filter(({ owner, keeper }) => owners.has(owner) || owners.has(keeper ?? ""));
  for (const { fence } of due) {
    const row = isFull(context) ? undefined : state.rows(grantTable).get(fence);
    if (row !== undefined) expireIfDue(context, row);
  }
  const late = state.rows(ticketTable).scan("due", { limit: dueMax });
  for (const { ticket, owner, leaseUntil } of late) {
    if (isFull(context)) return [];
    if (leaseUntil <= time && owners.has(owner) && state.rows(ticketTable).get(ticket) !== undefined) {
      cancelQueuedTicket(context, ticket, "expired");
    }
  }
  return [];
};

/** Maximum grants that this reaction ends. The timer ends the rest, which was not renewed either. */
const dueMax = 1_000;

import type { Event } from "../../../machine/entry.ts";
import type { Reaction } from "../../../machine/feature.ts";
import type { StateReader } from "../../../machine/state.ts";
import { firstBlocker } from "./blockers.ts";
import { expireIfDue } from "./free-grant.ts";
import { cancelTicket, serve } from "./grant-next.ts";
import { gap, grantTable, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { isFull } from "../tables/settings.ts";

/**
 * Who gets a lock may have waited for a part of it with another ticket, behind somebody who now waits for this very
 * lock. It is covered from here on, so it need not wait: otherwise both would, for ever.
 */
export const serveCovered: Reaction = (event, context) => {
  const { state } = context;
  const owner = event.data["owner_id"] as string;
  if (event.data["of"] !== undefined || countsOf(state, owner).ticketCount === 0) return [];
  const tickets = state.rows(ticketTable);
  const covered: TicketRow[] = [];
  for (const { ticket } of tickets.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    const row = tickets.get(ticket);
    if (row === undefined || tickets.get(row.waitsFor) === undefined) continue;
    if (!isFull(context)) serve(context, row);
    else if (firstBlocker(state, row) === undefined) covered.push(row);
  }
  return covered.length === 0 ? [] : servedNext(state, event.data["fence"] as string, covered);
};

/** The entry is long enough: these are looked at in the next one, as if they had waited for what their owner got. */
function servedNext(state: StateReader, fence: string, rows: readonly TicketRow[]): readonly Event[] {
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

/** A beat came too late for these: they were not renewed, and end in its entry. */
export const endOverdueOf: Reaction = (event, context) => {
  if (context.grace) return [];
  const owners = new Set(event.data["ids"] as readonly string[]);
  const { state, time } = context;
  const due = state
    .rows(grantTable)
    .scan("due", { limit: dueMax })
    .filter(({ owner }) => owners.has(owner));
  for (const { fence } of due) {
    const row = isFull(context) ? undefined : state.rows(grantTable).get(fence);
    if (row !== undefined) expireIfDue(context, row);
  }
  const late = state.rows(ticketTable).scan("due", { limit: dueMax });
  for (const { ticket, owner, leaseUntil } of late) {
    if (isFull(context)) return [];
    if (leaseUntil <= time && owners.has(owner) && state.rows(ticketTable).get(ticket) !== undefined) {
      cancelTicket(context, ticket, "expired");
    }
  }
  return [];
};

/** What is left the timer ends: it was not renewed either. */
const dueMax = 1_000;

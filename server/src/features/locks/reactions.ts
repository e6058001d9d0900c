import type { Reaction } from "../../machine/feature.ts";
import { expireIfDue, freeGrant } from "./free-grant.ts";
import { cancelTicket, serve } from "./hand-over.ts";
import { fencesOf } from "./fold-grants.ts";
import { gap, grantTable, ticketTable } from "./lock-tables.ts";
import { countsOf } from "./owner-counts.ts";

/** An agent that ends leaves every line and frees all that it holds, in the same entry. A job's claim outlives it. */
export const freeAllOf: Reaction = (event, context) => {
  const { state } = context;
  const owner = event.subject.slice("agent/".length);
  // Out of the lines first: what it frees must not be handed to itself.
  for (const { ticket } of state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    if (state.rows(ticketTable).get(ticket) !== undefined) cancelTicket(context, ticket, "agent_ended");
  }
  const more = { why: "agent_ended", agent: event.data["why"] ?? null };
  const isInactive = event.data["why"] === "inactive";
  for (const fence of fencesOf(state, owner)) {
    const row = state.rows(grantTable).get(fence);
    if (row === undefined || row.job !== undefined) continue;
    const lapsed = row.graceMs === undefined ? "lock.expired" : "lock.recovered";
    freeGrant(context, row, { type: isInactive ? lapsed : "lock.released", more });
  }
  return [];
};

/**
 * Who gets a lock may have waited for a part of it with another ticket, behind somebody who now waits for this very
 * lock. It is covered from here on, so it need not wait: otherwise both would, for ever.
 */
export const serveCovered: Reaction = (event, context) => {
  const { state } = context;
  const owner = event.data["owner_id"] as string;
  if (event.data["of"] !== undefined || countsOf(state, owner).ticketCount === 0) return [];
  for (const { ticket } of state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    const row = state.rows(ticketTable).get(ticket);
    if (row !== undefined && state.rows(ticketTable).get(row.waitsFor) !== undefined) serve(context, row);
  }
  return [];
};

/** A beat came too late for these: they were not renewed, and end in its entry. */
export const endOverdueOf: Reaction = (event, context) => {
  if (context.grace) return [];
  const owners = new Set(event.data["ids"] as readonly string[]);
  const { state, time } = context;
  const due = state
    .rows(grantTable)
    .scan("due", { limit: dueMax })
    .filter(({ owner }) => owners.has(owner));
  for (const row of due) expireIfDue(context, row);
  const late = state.rows(ticketTable).scan("due", { limit: dueMax });
  for (const { ticket, owner, leaseUntil } of late) {
    if (leaseUntil <= time && owners.has(owner) && state.rows(ticketTable).get(ticket) !== undefined) {
      cancelTicket(context, ticket, "expired");
    }
  }
  return [];
};

/** More than this can be overdue only after a stall, and then there is grace. What is left, the timer ends. */
const dueMax = 1_000;

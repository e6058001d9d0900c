/**
 * An agent that ends leaves every line and frees all that it holds, in the entry in which it ends. If it and those that
 * end with it have more than fits into one entry, the next entries free the rest, and until then it gets nothing more.
 */
import type { lockInternals } from "@holdfast/sdk/contract";
import type { DecideContext, Fold, Reaction } from "../../../machine/feature.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { fencesOf } from "../tables/fold-grants.ts";
import { freeGrant } from "./free-grant.ts";
import { cancelTicket } from "./grant-next.ts";
import { gap, grantTable, ownerTable, ticketTable } from "../tables/lock-tables.ts";
import { isLeaving } from "../tables/owner-counts.ts";
import { isFull } from "../tables/settings.ts";

const ofAgent = (subject: string): string => subject.slice("agent/".length);

/** From here on nothing is granted to it, whoever frees something first. */
export const foldEnded: Fold = (state, { subject, data }) => {
  const rows = state.rows(ownerTable);
  const row = rows.get(ofAgent(subject));
  if (row !== undefined) rows.put({ ...row, leaving: data["why"] as string });
};

/** What it keeps is a job's by now. */
export const foldKept: Fold = (state, { data }) => {
  const rows = state.rows(ownerTable);
  const row = rows.get(data["owner_id"] as string);
  if (row === undefined) return;
  const { leaving: _leaving, ...kept } = row;
  rows.put(kept);
};

/** The agent whose end brings that of others about ends last. So by now all are known that end in this entry. */
export const freeAllOf: Reaction = (event, context) => {
  if (event.data["why"] === "parent_ended") return [];
  const owners = context.events
    .filter(({ type, subject }) => type === event.type && isLeaving(context.state, ofAgent(subject)))
    .map(({ subject }) => ofAgent(subject));
  // All of them out of the lines first: what one of them frees must not be handed to another.
  for (const owner of owners) leaveLines(context, owner);
  for (const owner of owners) freeHeld(context, owner);
  return [];
};

export const freeEnded: Decide<(typeof lockInternals)["free-ended"]> = ({ owner_id: owner }, context) => {
  if (!isLeaving(context.state, owner)) return { outcome: refusal("not_due"), events: [] };
  leaveLines(context, owner);
  freeHeld(context, owner);
  return { outcome: done({}), events: [] };
};

function leaveLines(context: DecideContext, owner: string): void {
  const rows = context.state.rows(ticketTable);
  for (const { ticket } of rows.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    if (isFull(context)) return;
    // One that left before may have taken it along.
    if (rows.get(ticket) !== undefined) cancelTicket(context, ticket, "agent_ended");
  }
}

/** A job's claim outlives the agent that took the lock. */
function freeHeld(context: DecideContext, owner: string): void {
  const { state, emit } = context;
  const why = state.rows(ownerTable).get(owner)?.leaving;
  if (why === undefined) return;
  for (const fence of fencesOf(state, owner)) {
    if (isFull(context)) return;
    const row = state.rows(grantTable).get(fence);
    if (row === undefined || row.job !== undefined) continue;
    const lapsed = row.graceMs === undefined ? "lock.expired" : "lock.recovered";
    const more = { why: "agent_ended", agent: why };
    freeGrant(context, row, { type: why === "inactive" ? lapsed : "lock.released", more });
  }
  const left = state.rows(ownerTable).get(owner);
  if (left === undefined || left.ticketCount > 0) return;
  emit({ type: "lock.kept", subject: "locks", data: { owner_id: owner } });
}

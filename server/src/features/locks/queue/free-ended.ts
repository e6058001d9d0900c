/**
 * An agent that ends loses its tickets and its locks in the entry of its end. If they and those of its descendants do
 * not fit into one entry, the next entries free the rest. Until then the agent is granted nothing.
 *
 * Only an agent that ends itself has finished its work. If its parent, an operator or its inactivity ends it, its
 * recoverable locks stay until their recovery conditions hold.
 */
import type { lockInternals } from "@holdfast/sdk/contract";
import type { DecideContext, Fold, Reaction } from "../../../machine/feature.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { fencesOf } from "../tables/grant-folds.ts";
import { freeGrant } from "./free-grant.ts";
import { cancelQueuedTicket } from "./grant-next.ts";
import { gap, grantTable, ownerTable, ticketTable } from "../tables/lock-tables.ts";
import { forgetMissed } from "../tables/missed-grants.ts";
import { isLeaving } from "../tables/count-owner.ts";
import { isFull } from "../tables/settings.ts";

const agentIdOf = (subject: string): string => subject.slice("agent/".length);

/** From here on the agent is granted nothing, in any order of freeing. */
export const foldEnded: Fold = (state, { subject, data }, entry) => {
  const rows = state.rows(ownerTable);
  const id = agentIdOf(subject);
  forgetMissed(state, id);
  const row = rows.get(id);
  if (row === undefined) return;
  const leaving = { ...row, leaving: data["why"] as string };
  rows.put(entry.agent === id ? { ...leaving, endedItself: true } : leaving);
};

/** The remaining locks stay: a job claims them, or they are recoverable. */
export const foldKept: Fold = (state, { data }) => {
  const rows = state.rows(ownerTable);
  const row = rows.get(data["owner_id"] as string);
  if (row === undefined) return;
  const { leaving: _leaving, endedItself: _endedItself, ...kept } = row;
  rows.put({ ...kept, hasEnded: true });
};

/** The agent whose end causes the others ends last. So all agents that end in this entry are known here. */
export const freeAllOf: Reaction = (event, context) => {
  if (event.data["why"] === "parent_ended") return [];
  const owners = context.events
    .filter(({ type, subject }) => type === event.type && isLeaving(context.state, agentIdOf(subject)))
    .map(({ subject }) => agentIdOf(subject));
  // Cancels all their tickets first: a lock that one of them frees must not be granted to another.
  for (const owner of owners) cancelTicketsOf(context, owner);
  for (const owner of owners) freeGrantsOf(context, owner);
  return [];
};

export const freeEnded: Decide<(typeof lockInternals)["free-ended"]> = ({ owner_id: owner }, context) => {
  if (!isLeaving(context.state, owner)) return { outcome: refusal("not_due"), events: [] };
  cancelTicketsOf(context, owner);
  freeGrantsOf(context, owner);
  return { outcome: done({}), events: [] };
};

function cancelTicketsOf(context: DecideContext, owner: string): void {
  const rows = context.state.rows(ticketTable);
  for (const { ticket } of rows.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity })) {
    if (isFull(context)) return;
    // An earlier cancellation may have removed it.
    if (rows.get(ticket) !== undefined) cancelQueuedTicket(context, ticket, "agent_ended");
  }
}

/** The claim of a job outlives the agent that acquired the lock. */
function freeGrantsOf(context: DecideContext, owner: string): void {
  const { state, emit } = context;
  const { leaving: why, endedItself } = state.rows(ownerTable).get(owner) ?? {};
  if (why === undefined) return;
  for (const fence of fencesOf(state, owner)) {
    if (isFull(context)) return;
    const row = state.rows(grantTable).get(fence);
    if (row === undefined || row.job !== undefined || (row.graceMs !== undefined && endedItself !== true)) continue;
    const more = { why: "agent_ended", agent: why };
    freeGrant(context, row, { type: why === "inactive" ? "lock.expired" : "lock.released", more });
  }
  const owned = state.rows(ownerTable).get(owner);
  if (owned === undefined || owned.ticketCount > 0) return;
  emit({ type: "lock.kept", subject: "locks", data: { owner_id: owner } });
}

/**
 * Who waits gets the lock in the entry that frees it. Each ticket watches one blocker, so only those
 * that watched what is now gone are looked at, first come first served: one of them if it is a line of writers, all of
 * them if they are readers. Each is granted, or finds the next one that is in its way.
 */
import type { DecideContext } from "../../../machine/feature.ts";
import { agentTable, endsAt, findAgent } from "../../agents/agent-table.ts";
import { blockerIdOf, firstBlocker } from "./blockers.ts";
import { nextFence } from "../tables/fence.ts";
import { leaseEnd } from "../tables/fold-grants.ts";
import type { EventPath } from "../tables/fold-grants.ts";
import { acquired, changed } from "../tables/lock-events.ts";
import { dueTime, gap, grantTable, sortable, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import type { LockedPath } from "../tables/modes.ts";
import { isLeaving } from "../tables/owner-counts.ts";
import { coversSet, grantsOfSet } from "../tables/same-set.ts";
import { isFull, kindAt, lockLimits } from "../tables/settings.ts";

/** True if a ticket watches this blocker. */
export function isWatched(context: DecideContext, blockerId: string): boolean {
  const tickets = context.state.rows(ticketTable);
  return tickets.size > 0 && tickets.scan("blocker", { prefix: `${blockerId}${gap}`, limit: 1 }).length > 0;
}

/** A blocker that is gone, and up to where the tickets that watch it have been examined. */
interface Gone {
  readonly blockerId: string;
  after: string | undefined;
}

/**
 * Examines every ticket that watches a blocker that is gone, or weaker than it was. Whoever leaves the line by that may be in the
 * way of others, who are looked at before the rest of the line. What is begun stands in a list and not on the stack: a line of
 * thousands whose tickets are all over would not fit there.
 */
export function wake(context: DecideContext, blockerId: string): void {
  const begun: Gone[] = [{ blockerId, after: undefined }];
  for (let gone = begun.at(-1); gone !== undefined; gone = begun.at(-1)) {
    const isOver = isFull(context);
    const row = isOver ? undefined : nextOf(context, gone);
    if (row === undefined) {
      if (isOver) tellLeft(context, gone);
      begun.pop();
      continue;
    }
    gone.after = `${gone.blockerId}${gap}${sortable(row.rank)}`;
    const next = lookAt(context, row);
    if (next !== undefined) begun.push({ blockerId: next, after: undefined });
  }
}

function nextOf({ state }: DecideContext, { blockerId, after }: Gone): TicketRow | undefined {
  const place = { prefix: `${blockerId}${gap}`, ...(after === undefined ? {} : { after }), limit: 1 };
  return state.rows(ticketTable).scan("blocker", place)[0];
}

/** Those who were not looked at are, by a command of its own. */
function tellLeft(context: DecideContext, gone: Gone): void {
  const after = gone.after ?? `${gone.blockerId}${gap}`;
  if (nextOf(context, { ...gone, after }) === undefined) return;
  context.emit({ type: "lock.handover_left", subject: "locks", data: { blocker_id: gone.blockerId } });
}

/** Grants a ticket if nothing is in its way any more; otherwise it watches what is. */
export function serve(context: DecideContext, row: TicketRow): void {
  const gone = lookAt(context, row);
  if (gone !== undefined) wake(context, gone);
}

/** The same, but those who stand behind it are not looked at: the id of the blocker that is gone by it is returned, if there is one. */
function lookAt(context: DecideContext, row: TicketRow): string | undefined {
  const { state, time, grace, emit } = context;
  // Its turn must not go to somebody who has ended, or gave no sign of life in time.
  const isOver = isLeaving(state, row.owner);
  if (isOver || (row.leaseUntil <= time && !grace)) {
    return takeOut(context, row.ticket, isOver ? "agent_ended" : "expired");
  }
  const blocker = firstBlocker(state, row);
  if (blocker === undefined) {
    // A second grant of the same would outlive its newer fence, and its owner would write with the older one again.
    if (hasAlready(context, row)) return takeOut(context, row.ticket, "held");
    return grantTicket(context, row);
  }
  const blockerId = blockerIdOf(state, blocker);
  if (blockerId !== row.waitsFor) {
    emit({ type: "lock.waiting", subject: `ticket/${row.ticket}`, data: { ticket: row.ticket, waits_for: blockerId } });
  }
  return undefined;
}

/** True if the owner of a ticket got what it waits for in another way: by a stronger ticket, or handed over to it. */
function hasAlready({ state, time, grace }: DecideContext, { owner, paths, upgrades }: TicketRow): boolean {
  if (upgrades !== undefined) return false;
  for (const held of grantsOfSet(state, owner, paths)) {
    const isLive = grace || (dueTime(held) ?? Infinity) > time;
    if (isLive && coversSet(held.paths, paths)) return true;
  }
  return false;
}

/** Returns the blocker id of an upgrade: the tickets behind it are behind the grant that it became. */
function grantTicket(context: DecideContext, row: TicketRow): string | undefined {
  const { state, time, emit } = context;
  const fence = nextFence(context);
  const { ticket, owner, upgrades } = row;
  if (upgrades !== undefined) {
    const grant = state.rows(grantTable).get(upgrades);
    if (grant === undefined) throw new Error(`ticket ${ticket} would upgrade ${upgrades}, which is not held`);
    const paths = withOrder(context, row.paths);
    for (const event of changed(state, "lock.upgraded", grant, { fence, owner, paths, ticket })) emit(event);
    return ticket;
  }
  const events = acquired(state, {
    fence,
    owner,
    paths: withOrder(context, row.paths),
    terms: row,
    expiresAt: shownEnd(context, owner, leaseEnd({ ...row, acquiredAt: time }, time)),
    graceMs: graceOf(context, row.paths),
    ticket: { ticket, acceptMs: lockLimits.acceptMs },
  });
  for (const event of events) emit(event);
  return undefined;
}

/** Takes a ticket out of the line; whoever stood behind it moves up. */
export function cancelTicket(context: DecideContext, ticket: string, why: string): void {
  wake(context, takeOut(context, ticket, why));
}

function takeOut(context: DecideContext, ticket: string, why: string): string {
  const owner = context.state.rows(ticketTable).get(ticket)?.owner;
  const data = { ticket, why, ...(owner === undefined ? {} : { owner_id: owner }) };
  context.emit({ type: "lock.cancelled", subject: `ticket/${ticket}`, data });
  return ticket;
}

/** Paths with their places in the global order, which the fold must not look up: the order may change. */
export function withOrder({ state }: DecideContext, paths: readonly LockedPath[]): readonly EventPath[] {
  return paths.map((locked) => {
    const { order } = kindAt(state, locked.path);
    return order === undefined ? locked : { ...locked, order };
  });
}

/** How old a heartbeat must be for a recovery; undefined if nothing in the set is of a kind that must be recovered. */
export function graceOf({ state }: DecideContext, paths: readonly LockedPath[]): number | undefined {
  let graceMs: number | undefined;
  for (const { path } of paths) {
    const kind = kindAt(state, path);
    if (kind.policy === "recover") graceMs = Math.max(graceMs ?? 0, kind.graceMs ?? 0);
  }
  return graceMs;
}

/** A lease as it is told: no lock outlives the registration of its agent. */
export function shownEnd({ state }: Pick<DecideContext, "state">, owner: string, expiresAt: number): number {
  const agent = state.rows(agentTable).size === 0 ? undefined : findAgent(state, owner);
  return agent === undefined ? expiresAt : Math.min(expiresAt, endsAt(agent));
}

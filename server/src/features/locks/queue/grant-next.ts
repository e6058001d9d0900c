/**
 * The entry that frees a lock grants the next tickets. Each ticket watches one blocker, so only the tickets that
 * watched the freed blocker are examined, first come, first served. In a queue of writers that is one ticket, in a
 * queue of readers all of them. Each is granted, or watches its next blocker.
 */
import type { DecideContext } from "../../../machine/feature.ts";
import { agentTable, endsAt, findAgent } from "../../agents/agent-table.ts";
import { blockerIdOf, firstBlocker } from "./blockers.ts";
import { nextFence } from "../tables/fence.ts";
import { firstLeaseEnd } from "../tables/grant-folds.ts";
import type { EventPath } from "../tables/grant-folds.ts";
import { lockAcquiredEvents, lockChangedEvents } from "../tables/lock-events.ts";
import type { LockKind } from "../tables/lock-kinds.ts";
import { dueTime, gap, grantTable, sortable, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import type { PathLock } from "../tables/modes.ts";
import { isLeaving } from "../tables/count-owner.ts";
import { coversSet, grantsOfSet } from "../tables/same-set.ts";
import { isFull, kindAt, lockLimits } from "../tables/settings.ts";

/** True if a ticket watches this blocker. */
export function isWatched(context: DecideContext, blockerId: string): boolean {
  const tickets = context.state.rows(ticketTable);
  return tickets.size > 0 && tickets.scan("blocker", { prefix: `${blockerId}${gap}`, limit: 1 }).length > 0;
}

/** A blocker that has ended, and the last examined ticket that watched it. */
interface EndedBlocker {
  readonly blockerId: string;
  after: string | undefined;
}

/**
 * Examines every ticket that watches a blocker that ended or became weaker. A ticket that leaves the queue by that may
 * have blocked others, which are examined before the rest of the queue. Pending work is in a list, not on the stack: a
 * queue of thousands of expired tickets would overflow it.
 */
export function grantNext(context: DecideContext, blockerId: string): void {
  const endedBlockers: EndedBlocker[] = [{ blockerId, after: undefined }];
  for (let ended = endedBlockers.at(-1); ended !== undefined; ended = endedBlockers.at(-1)) {
    const isEntryFull = isFull(context);
    const row = isEntryFull ? undefined : nextTicketOf(context, ended);
    if (row === undefined) {
      if (isEntryFull) recordRemaining(context, ended);
      endedBlockers.pop();
      continue;
    }
    ended.after = `${ended.blockerId}${gap}${sortable(row.rank)}`;
    const next = examineTicket(context, row);
    if (next !== undefined) endedBlockers.push({ blockerId: next, after: undefined });
  }
}

function nextTicketOf({ state }: DecideContext, { blockerId, after }: EndedBlocker): TicketRow | undefined {
  return state.rows(ticketTable).scan("blocker", { prefix: `${blockerId}${gap}`, after, limit: 1 })[0];
}

/** A command of its own examines the remaining tickets. */
function recordRemaining(context: DecideContext, ended: EndedBlocker): void {
  const after = ended.after ?? `${ended.blockerId}${gap}`;
  if (nextTicketOf(context, { ...ended, after }) === undefined) return;
  context.emit({ type: "lock.handover_left", subject: "locks", data: { blocker_id: ended.blockerId } });
}

/** Grants a ticket if nothing blocks it. Otherwise it watches its blocker. */
export function grantOrWatch(context: DecideContext, row: TicketRow): void {
  const endedId = examineTicket(context, row);
  if (endedId !== undefined) grantNext(context, endedId);
}

/** Examines one ticket, without the tickets behind it. Returns the id of the blocker that ended by it, if any. */
function examineTicket(context: DecideContext, row: TicketRow): string | undefined {
  const { state, time, grace, emit } = context;
  // A lock must not be granted to an owner that has ended or whose ticket lease expired.
  const hasOwnerEnded = isLeaving(state, row.owner);
  if (hasOwnerEnded || (row.leaseUntil <= time && !grace)) {
    return removeTicketFromQueue(context, row.ticket, hasOwnerEnded ? "agent_ended" : "expired");
  }
  const blocker = firstBlocker(state, row);
  if (blocker === undefined) {
    // Its owner gets nothing yet. A reaction to this event may grant the lock before the tickets behind are examined.
    if (row.notifyOnly === true) return removeTicketFromQueue(context, row.ticket, "free");
    // A second grant of the same set would outlive its newer fence, and the owner would then write with the older one.
    if (hasAlready(context, row)) return removeTicketFromQueue(context, row.ticket, "held");
    return grantTicket(context, row);
  }
  const blockerId = blockerIdOf(state, blocker);
  if (blockerId !== row.waitsFor) {
    emit({ type: "lock.waiting", subject: `ticket/${row.ticket}`, data: { ticket: row.ticket, waits_for: blockerId } });
  }
  return undefined;
}

/** True if the owner of a ticket got the lock in another way: by a stronger ticket or a transfer. */
function hasAlready({ state, time, grace }: DecideContext, { owner, paths, upgrades }: TicketRow): boolean {
  if (upgrades !== undefined) return false;
  for (const held of grantsOfSet(state, owner, paths)) {
    const isLive = grace || (dueTime(held) ?? Infinity) > time;
    if (isLive && coversSet(held.paths, paths)) return true;
  }
  return false;
}

/** Returns the blocker id of an upgrade: the tickets behind it wait for the grant that it became. */
function grantTicket(context: DecideContext, row: TicketRow): string | undefined {
  const { state, time, emit } = context;
  const fence = nextFence(context);
  const { ticket, owner, upgrades } = row;
  if (upgrades !== undefined) {
    const grant = state.rows(grantTable).get(upgrades);
    if (grant === undefined) throw new Error(`ticket ${ticket} would upgrade ${upgrades}, which is not held`);
    const paths = withOrder(context, row.paths);
    for (const event of lockChangedEvents(state, "lock.upgraded", grant, { fence, owner, paths, ticket })) emit(event);
    return ticket;
  }
  const events = lockAcquiredEvents(state, {
    fence,
    owner,
    paths: withOrder(context, row.paths),
    terms: row,
    expiresAt: shownEnd(context, owner, firstLeaseEnd(row, time)),
    graceMs: graceOf(context, row.paths),
    ticket: { ticket, ticketMs: row.leaseMs, acceptMs: row.acceptMs ?? lockLimits.acceptMs },
  });
  for (const event of events) emit(event);
  return undefined;
}

/** Cancels a ticket and examines the tickets behind it. */
export function cancelQueuedTicket(context: DecideContext, ticket: string, why: string): void {
  grantNext(context, removeTicketFromQueue(context, ticket, why));
}

function removeTicketFromQueue(context: DecideContext, ticket: string, why: string): string {
  const owner = context.state.rows(ticketTable).get(ticket)?.owner;
  const data = owner === undefined ? { ticket, why } : { ticket, why, owner_id: owner };
  context.emit({ type: "lock.cancelled", subject: `ticket/${ticket}`, data });
  return ticket;
}

/** Paths with their rank in the global order. The fold must not look it up, since the order may change. */
export function withOrder({ state }: DecideContext, paths: readonly PathLock[]): readonly EventPath[] {
  return paths.map((locked) => {
    const { order } = kindAt(state, locked.path);
    return order === undefined ? locked : { ...locked, order };
  });
}

/** Minimum age of the last heartbeat for a recovery; undefined if no path of the set is recoverable. */
export function graceOf({ state }: DecideContext, paths: readonly PathLock[]): number | undefined {
  return graceOfKinds(paths.map(({ path }) => ({ kind: kindAt(state, path) })));
}

/** The same for paths whose kinds are known. */
export function graceOfKinds(paths: readonly { readonly kind: LockKind }[]): number | undefined {
  let graceMs: number | undefined;
  for (const { kind } of paths) {
    if (kind.policy === "recover") graceMs = Math.max(graceMs ?? 0, kind.graceMs ?? 0);
  }
  return graceMs;
}

/** The end of a lease as replies show it: no lock outlives the registration of its agent. */
export function shownEnd({ state }: Pick<DecideContext, "state">, owner: string, expiresAt: number): number {
  const agent = state.rows(agentTable).size === 0 ? undefined : findAgent(state, owner);
  return agent === undefined ? expiresAt : Math.min(expiresAt, endsAt(agent));
}

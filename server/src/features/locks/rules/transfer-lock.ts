import type { lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import type { Decide } from "../../rule-of.ts";
import { conflictingHolds } from "../queue/blockers.ts";
import { acceptOnUse } from "./accept-lock.ts";
import { holderView } from "../queue/deny.ts";
import { refuseDeadlock } from "../queue/enqueue.ts";
import { nextFence } from "../tables/fence.ts";
import { findDeadlock } from "../queue/find-deadlock.ts";
import { grantView } from "../queue/free-grant.ts";
import { cancelQueuedTicket, grantOrWatch, withOrder } from "../queue/grant-next.ts";
import { findHeld } from "../tables/find-held.ts";
import { lockChangedEvents } from "../tables/lock-events.ts";
import { gap, ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import { ownPrefix, principalOf } from "../tables/count-owner.ts";
import { covers } from "../tables/modes.ts";
import type { PathLock } from "../tables/modes.ts";
import { ancestorsOf } from "../tables/path-fault.ts";
import { isRefused, refused, ownerLimitRefusal } from "./owner.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";

/**
 * Transfers a lock to another owner in one step. Tickets that waited for the old owner then wait for the new one, which
 * must not close a cycle. The lock may also cover a ticket of the new owner.
 */
export const transferLock: Decide<(typeof lockOperations)["transfer-lock"]> = (input, context) => {
  const row = findHeld(input, context);
  if (isRefused(row)) return row;
  const { state } = context;
  const { to } = input;
  const transferRefusal = recipientRefusal(context, row, to) ?? remainingConflict(state, row, to);
  if (transferRefusal !== undefined) return transferRefusal;
  const deadlock = findDeadlock(state, { owner: to, rank: Infinity, paths: [] }, { fence: row.fence, to });
  if (deadlock !== undefined) return refuseDeadlock(context, { owner: to, paths: row.paths }, deadlock);
  acceptOnUse(context, row);
  if (row.upgrading !== undefined) cancelQueuedTicket(context, row.upgrading, "transferred");
  const fence = nextFence(context);
  const paths = withOrder(context, row.paths);
  for (const event of lockChangedEvents(state, "lock.transferred", row, { fence, owner: to, paths }))
    context.emit(event);
  const waits = state.rows(ticketTable).scan("owner", { prefix: `${to}${gap}`, limit: Infinity });
  for (const ticket of waits) if (ticket.waitsFor === row.blockerId) grantOrWatch(context, ticket);
  breakReleaseDeadlocks(context, row.owner, row.paths);
  const { expires_at, ...view } = grantView(context, { ...row, fence, owner: to });
  return { outcome: done({ fence, expires_at: expires_at ?? "" }), events: [], attachment: view };
};

/**
 * An owner never blocks itself, so the current owner may have more locks on the same paths. They would conflict after the
 * transfer.
 */
function remainingConflict(state: StateReader, row: GrantRow, to: string): Decision | undefined {
  for (const given of row.paths) {
    const holds = conflictingHolds(state, given, to, row.paths.length + 1);
    const kept = holds.find(({ fence }) => fence !== row.fence);
    if (kept === undefined) continue;
    return refused("lock_denied", {
      resource_id: given.path,
      requested_by: to,
      current_owner: kept.owner,
      reason: kept.owner === row.owner ? "the current owner holds another lock there" : "held by another owner",
      holders: [holderView(state, kept)],
      holders_total: 1,
      queue_length: 0,
      place: 1,
    });
  }
  return undefined;
}

function recipientRefusal(context: DecideContext, row: GrantRow, to: string): Decision | undefined {
  const { state, command } = context;
  if (to === row.owner || to.startsWith(ownPrefix)) return refused("owner_taken", { owner_id: to });
  if (looksRegistered(to) && findAgent(state, to) === undefined) return refused("agent_unknown", { agent_id: to });
  const isForeign = principalOf(state, to, command) !== command.principal;
  if (isForeign && !waitsForAll(state, to, row.paths)) return refused("transfer_refused", { owner_id: to });
  return ownerLimitRefusal(context, to, row.paths.length, command.principal);
}

/**
 * The consent of an owner of another principal: its tickets request every path, at least as strongly. Without consent a
 * transfer would use up the limits of that principal, and put it on paths to which it has no right.
 */
function waitsForAll(state: StateReader, owner: string, paths: readonly PathLock[]): boolean {
  const tickets = state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
  const wanted = new Map<string, PathLock[]>();
  for (const lock of tickets.flatMap((ticket) => ticket.paths))
    wanted.set(lock.path, [...(wanted.get(lock.path) ?? []), lock]);
  return paths.every((given) => {
    const isAsked = (path: string): boolean => wanted.get(path)?.some((lock) => covers(lock, given)) === true;
    const isAskedAbove = (path: string): boolean =>
      wanted.get(path)?.some((lock) => lock.scope === "tree" && covers(lock, given)) === true;
    return isAsked(given.path) || ancestorsOf(given.path).some(isAskedAbove);
  });
}

/** Agent ids are UUIDs. An unregistered owner with a UUID has ended, so the lock would have no user. */
function looksRegistered(owner: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/u.test(owner);
}

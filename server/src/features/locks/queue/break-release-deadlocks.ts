/**
 * An owner never waits behind requests for a lock that it holds. If it releases that lock while it has another ticket,
 * it waits behind them from then on. They may wait for another lock of the same owner, so a release can create a
 * deadlock. A release is never refused, so the owner's ticket is cancelled with the reason.
 */
import type { DecideContext } from "../../../machine/feature.ts";
import { deadlockData, deadlockEvent, CycleSearch } from "./find-deadlock.ts";
import { cancelQueuedTicket } from "./grant-next.ts";
import { ancestorsOf } from "../tables/path-fault.ts";
import { gap, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import { covers } from "../tables/modes.ts";
import type { PathLock } from "../tables/modes.ts";
import { countsOf } from "../tables/count-owner.ts";

/**
 * Searches cycles through the tickets of an owner that lost `lost`, and cancels those tickets. Only an owner that loses
 * a lock gets new blockers, so no other tickets are searched.
 *
 * All of them together have the step budget of one new ticket. Tickets that the search does not reach are cancelled
 * too: their owner is notified and can request again. An undetected cycle would last while all owners renew, without
 * any report.
 */
export function breakReleaseDeadlocks(context: DecideContext, owner: string, lost: readonly PathLock[]): void {
  const { state, emit } = context;
  if (countsOf(state, owner).ticketCount === 0) return;
  const tickets = state.rows(ticketTable);
  const search = new CycleSearch(state, { owner, rank: Infinity, paths: [] });
  const byPath = new Map(lost.map((locked) => [locked.path, locked]));
  const ownTickets = tickets.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
  for (const { ticket } of ownTickets.filter((row) => wasCovered(byPath, row))) {
    // An earlier cancellation may have granted it.
    const row = tickets.get(ticket);
    const deadlock = row === undefined ? undefined : search.cycleThrough(row);
    if (row === undefined || deadlock === undefined) continue;
    emit(deadlockEvent(state, row.paths[0]?.path ?? "", { ...deadlockData(owner, deadlock), ticket }));
    cancelQueuedTicket(context, ticket, "deadlock");
  }
}

/** True if the lost lock covered a path of the ticket. */
function wasCovered(lost: ReadonlyMap<string, PathLock>, { paths }: TicketRow): boolean {
  return paths.some((wanted) => {
    const at = lost.get(wanted.path);
    if (at !== undefined && covers(at, wanted)) return true;
    const asTree = { mode: wanted.mode, scope: "tree" } as const;
    return ancestorsOf(wanted.path).some((ancestor) => {
      const above = lost.get(ancestor);
      return above !== undefined && covers(above, asTree);
    });
  });
}

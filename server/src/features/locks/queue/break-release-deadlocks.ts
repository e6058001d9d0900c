/**
 * An owner need not stand behind those who wait for what it has. If it gives that back while it waits for more with
 * another ticket, it stands behind them from then on, and they may wait for something else of its own: a deadlock that
 * arises by a release. A release is never refused, so its owner's ticket leaves the line, and is told why.
 */
import type { DecideContext } from "../../../machine/feature.ts";
import { deadlockData, deadlockEvent, Search } from "./find-deadlock.ts";
import { cancelTicket } from "./grant-next.ts";
import { ancestorsOf } from "../tables/lock-path.ts";
import { gap, ticketTable } from "../tables/lock-tables.ts";
import type { TicketRow } from "../tables/lock-tables.ts";
import { covers } from "../tables/modes.ts";
import type { LockedPath } from "../tables/modes.ts";
import { countsOf } from "../tables/owner-counts.ts";

/**
 * Looks for cycles through the tickets of an owner that no longer has `lost`, and takes those tickets out of the line.
 * Only who loses something comes to stand behind more than before, so no others have to be looked at. Together they are
 * searched as far as one new ticket is; who is not reached by then leaves the line as well. It can ask again, and is
 * told at once, while a cycle that is not found lasts for as long as everybody renews, and nobody is told.
 */
export function untie(context: DecideContext, owner: string, lost: readonly LockedPath[]): void {
  const { state, emit } = context;
  if (countsOf(state, owner).ticketCount === 0) return;
  const tickets = state.rows(ticketTable);
  const search = new Search(state, { owner, rank: Infinity, paths: [] });
  const byPath = new Map(lost.map((locked) => [locked.path, locked]));
  const mine = tickets.scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
  for (const { ticket } of mine.filter((row) => reliedOn(byPath, row))) {
    // Who left the line before it may have let it go on.
    const row = tickets.get(ticket);
    const deadlock = row === undefined ? undefined : search.cycleThrough(row);
    if (row === undefined || deadlock === undefined) continue;
    emit(deadlockEvent(state, row.paths[0]?.path ?? "", { ...deadlockData(owner, deadlock), ticket }));
    cancelTicket(context, ticket, "deadlock");
  }
}

/** True if what was lost covered a path of the ticket. */
function reliedOn(lost: ReadonlyMap<string, LockedPath>, { paths }: TicketRow): boolean {
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

import type { DecideContext } from "../../../machine/feature.ts";
import { blockerNow, queuedEvent } from "../queue/enqueue.ts";
import { isRefused } from "../rules/owner.ts";
import { wantedPaths } from "../rules/wanted-paths.ts";
import { countsOf, ownPrefix } from "../tables/count-owner.ts";
import { nextNotifyTicket } from "../tables/fence.ts";
import { ticketTable } from "../tables/lock-tables.ts";
import type { RequestTerms, TicketRow } from "../tables/lock-tables.ts";
import type { PathLock } from "../tables/modes.ts";

interface SetTicket {
  /** A name with the prefix `holdfast:` that holds nothing. So the ticket cannot close a cycle of waits. */
  readonly owner: string;
  readonly paths: readonly PathLock[];
  readonly terms: RequestTerms;
  /** When nothing blocks the ticket, it leaves the queue with `lock.cancelled {why: "free"}` and is not granted. */
  readonly notifyOnly: true;
  readonly leaseMs: number;
}

/** Queues a blocked set, after a denial of `grantSet` that names holders or tickets ahead. */
export function enqueueSet(context: DecideContext, request: SetTicket): TicketRow {
  const { owner, terms, leaseMs } = request;
  const { pathCount, ticketCount } = countsOf(context.state, owner);
  if (!owner.startsWith(ownPrefix) || pathCount + ticketCount > 0)
    throw new Error(`${owner} must be an owner of Holdfast that holds nothing and waits for nothing`);
  const paths = wantedPaths({ paths: [...request.paths] }, context);
  if (isRefused(paths)) throw new Error(`${owner} cannot wait for an invalid path`);
  const queued = { owner, rank: Infinity, paths };
  const blocker = blockerNow(context, queued);
  if (blocker === undefined) throw new Error(`nothing blocks ${owner}`);
  const ticket = nextNotifyTicket(context);
  const more = { notify_only: true };
  context.emit(queuedEvent(context.state, { request: queued, blocker, terms, ticket, leaseMs, more }));
  const row = context.state.rows(ticketTable).get(ticket);
  if (row === undefined) throw new Error(`the ticket ${ticket} ended in the reaction to it`);
  return row;
}

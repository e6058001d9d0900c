import type { Granted, Queued } from "../../../contract/locks.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { momentOf } from "../handle/held-grant.ts";
import type { HeldGrant, Moment } from "../handle/held-grant.ts";
import { closedError, codeOf } from "../refusals.ts";
import { releaseGrant } from "../handle/release-grant.ts";
import type { LockSession } from "../session/session.ts";
import { acceptMs } from "./ticket.ts";
import type { Ticket, TicketEnd, TicketOptions } from "./ticket.ts";
import { untilAborted } from "../../../base/until-aborted.ts";

export interface Waiting extends TicketOptions {
  readonly signal?: AbortSignal;
  readonly giveUpAtMs: number;
}

/**
 * How waiting ended: with the lock, held by the event that told of it or taken up since; with the end of one's patience;
 * or the ticket is no more, and one may ask again.
 */
export type WaitEnd =
  | { readonly kind: "held"; readonly grant: HeldGrant }
  | { readonly kind: "granted"; readonly granted: Granted; readonly sentAt: Moment; readonly sinceMs: number }
  | { readonly kind: "gave-up"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: "gone" };

/** Takes the place in the line that was given. Whoever can not be told of it does not stand there. */
export function joinLine(session: LockSession, queued: Queued, waiting: Waiting): Ticket {
  const ticket = session.queue(queued, waiting);
  try {
    waiting.onPlace?.(ticket.place);
  } catch (error) {
    leaveUnwanted(session, ticket, waiting);
    session.leave(ticket, waiting);
    throw error;
  }
  return ticket;
}

/** Waits for the end, and has it taken before the place is left: nobody who shares it finds it left and not yet taken. */
export async function standInLine<Taken>(
  session: LockSession,
  ticket: Ticket,
  waiting: Waiting,
  take: (end: WaitEnd) => Taken,
): Promise<Taken> {
  try {
    const end = await untilAborted(waiting.signal, endOf(session, ticket, waiting.giveUpAtMs));
    return take(await lastOf(session, ticket, end, waiting));
  } catch (error) {
    leaveUnwanted(session, ticket, waiting);
    throw error;
  } finally {
    session.leave(ticket, waiting);
  }
}

async function lastOf(
  session: LockSession,
  ticket: Ticket,
  end: TicketEnd | { readonly kind: "timeout" },
  waiting: Waiting,
): Promise<WaitEnd> {
  if (end.kind === "held") return end;
  if (end.kind === "granted") return acceptTicket(session, ticket, { fence: end.fence, askedAt: waiting.askedAt });
  // What this client itself was about to give up is asked for anew.
  if (end.kind === "gone") return session.unwanted.has(ticket.id) ? { kind: "gone" } : gone(ticket, end.why);
  const last = await giveUp(session, ticket, waiting);
  // Held by an event while the ticket was given back, and gone by what the server says since.
  if ((last.kind === "gave-up" || last.kind === "gone") && !ticket.isShared) ticket.held?.end();
  return last;
}

function endOf(session: LockSession, ticket: Ticket, giveUpAtMs: number): Promise<TicketEnd | { kind: "timeout" }> {
  if (giveUpAtMs === Infinity) return ticket.ended;
  const delayMs = Math.max(0, giveUpAtMs - session.clock.monotonicMs());
  return new Promise((resolve) => {
    const cancel = session.clock.after(delayMs, () => resolve({ kind: "timeout" }), { keepAlive: true });
    void ticket.ended.then((end) => {
      cancel();
      resolve(end);
    });
  });
}

interface Taking extends Pick<Waiting, "askedAt"> {
  readonly fence: string;
}

/**
 * The answer to `accept-lock` contains how the lock was left before. The lease is counted from the renewal: the grant is
 * older, and only the server knows by how much. Both are sent together.
 */
async function acceptTicket(session: LockSession, ticket: Ticket, { fence, askedAt }: Taking): Promise<WaitEnd> {
  const sentAt = momentOf(session.clock);
  try {
    const [granted] = await Promise.all([
      session.run("accept-lock", { ticket: ticket.id }) as Promise<Granted | Queued>,
      session.run("renew-lock", { fence }),
    ]);
    if (!granted.granted) return { kind: "gone" };
    const sinceMs = Math.max(askedAt.monotonicMs, sentAt.monotonicMs - acceptMs);
    return { kind: "granted", granted, sentAt, sinceMs };
  } catch (error) {
    // Too late: it was passed on.
    if (codeOf(error) === "ticket_unknown" || codeOf(error) === "lock_not_held") return { kind: "gone" };
    throw error;
  }
}

/**
 * Out of patience. What was granted in this very moment is taken. Who asks for the same just now is answered with the same
 * place; so that is waited for, and then the place is shared.
 */
function giveUp(session: LockSession, ticket: Ticket, waiting: Waiting): Promise<WaitEnd> {
  return session.turns.alone(ticket.set, async () => {
    if (ticket.held !== undefined) return { kind: "held", grant: ticket.held };
    const { place, waitsFor } = ticket.place;
    const data = { place, waits_for: waitsFor, reason: "it did not become free in time" };
    if (ticket.isShared) return { kind: "gave-up", data };
    session.unwanted.add(ticket.id);
    try {
      const answer = (await session.run("cancel-ticket", { ticket: ticket.id })) as { cancelled: string } | Granted;
      if ("granted" in answer)
        return await acceptTicket(session, ticket, { fence: answer.fence, askedAt: waiting.askedAt });
    } catch (error) {
      if (codeOf(error) !== "ticket_unknown") throw error;
    }
    return { kind: "gave-up", data };
  });
}

/** Neither the place nor what it was granted meanwhile is wanted, unless another task shares it. */
function leaveUnwanted(session: LockSession, ticket: Ticket, waiting: Waiting): void {
  if (ticket.isShared || ticket.isGone) return;
  // Whoever stands there from now on has come since, and keeps it.
  session.leave(ticket, waiting);
  if (ticket.held === undefined) session.leftovers.add(ticket.set, { kind: "ticket", ticket: ticket.id });
  else if (ticket.held.handleCount === 0) void releaseGrant(session, ticket.held).catch(() => undefined);
}

/** Who has the lock in another way, or let its ticket expire, asks again; a ticket that was taken away is not asked for. */
function gone(ticket: Ticket, why: string): WaitEnd {
  if (why === "held" || why === "expired" || why === "unknown") return { kind: "gone" };
  if (why === "closed") throw closedError("acquire-lock");
  if (why === "agent_ended") {
    throw new HoldfastError("acquire-lock", "agent_unknown", { data: { reason: "it ended while it waited" } });
  }
  // Its own owner gave back what had kept it from standing behind others: asking again may be refused, or just wait.
  const code = why === "deadlock" ? why : "ticket_unknown";
  throw new HoldfastError("acquire-lock", code, { data: { ticket: ticket.id, reason: why } });
}

import type { Granted, Queued } from "../../operation-output.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { clockPoint } from "../handle/held-grant.ts";
import type { HeldGrant, ClockPoint } from "../handle/held-grant.ts";
import { closedError, refusalCodeOf } from "../closed-error.ts";
import { releaseGrant } from "../handle/release-grant.ts";
import type { LockSession } from "../session/session.ts";
import { acceptMs } from "./ticket.ts";
import type { Ticket, TicketEnd, TicketOptions } from "./ticket.ts";
import { untilAborted } from "../../../base/until-aborted.ts";

export interface TicketWait extends TicketOptions {
  readonly signal?: AbortSignal | undefined;
  readonly giveUpAtMs: number;
}

/**
 * The end of a wait. It is the lock, held by its event or accepted since, or a timeout. Or the ticket has ended, and the caller
 * may request again.
 */
export type WaitEnd =
  | { readonly kind: "held"; readonly grant: HeldGrant }
  | { readonly kind: "granted"; readonly granted: Granted; readonly sentAt: ClockPoint; readonly sinceMs: number }
  | { readonly kind: "gave-up"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: "gone" };

/** Joins a ticket. A waiter whose callback fails does not join. */
export function joinTicket(session: LockSession, queued: Queued, wait: TicketWait): Ticket {
  const ticket = session.queue(queued, wait);
  try {
    wait.onPlace?.(ticket.place);
  } catch (error) {
    cleanUpTicket(session, ticket, wait);
    session.leave(ticket, wait);
    throw error;
  }
  return ticket;
}

/** Waits for the end and uses it before leaving the ticket, so that no sharing task finds it unused. */
export async function waitForTicket<Result>(
  session: LockSession,
  ticket: Ticket,
  wait: TicketWait,
  use: (end: WaitEnd) => Result,
): Promise<Result> {
  try {
    const end = await untilAborted(wait.signal, endOf(session, ticket, wait.giveUpAtMs));
    return use(await waitEndOf(session, ticket, end, wait));
  } catch (error) {
    cleanUpTicket(session, ticket, wait);
    throw error;
  } finally {
    session.leave(ticket, wait);
  }
}

async function waitEndOf(
  session: LockSession,
  ticket: Ticket,
  end: TicketEnd | { readonly kind: "timeout" },
  wait: TicketWait,
): Promise<WaitEnd> {
  if (end.kind === "held") return end;
  if (end.kind === "granted") return acceptTicket(session, { id: ticket.id, fence: end.fence, askedAt: wait.askedAt });
  if (end.kind === "gone") {
    // The ticket may have inherited a weaker grant of its owner, whose own request was withdrawn.
    if (end.why !== "held" && wait.request.operation === "acquire-lock") void session.cleanups.withdraw(wait.request);
    return gone(ticket, end.why);
  }
  return giveUp(session, ticket, wait);
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

/** The grant of the ticket with this id. */
interface AcceptedGrant extends Pick<TicketWait, "askedAt"> {
  readonly id: string;
  readonly fence: string;
}

/**
 * The reply to `accept-lock` says how the previous lock ended. The lease counts from the renewal: the grant is older,
 * and only the server knows by how much. Both are sent together.
 */
async function acceptTicket(session: LockSession, { id, fence, askedAt }: AcceptedGrant): Promise<WaitEnd> {
  const sentAt = clockPoint(session.clock);
  try {
    const [granted] = await Promise.all([
      session.run("accept-lock", { ticket: id }) as Promise<Granted | Queued>,
      session.run("renew-lock", { fence }),
    ]);
    if (!granted.granted) return { kind: "gone" };
    const sinceMs = Math.max(askedAt.monotonicMs, sentAt.monotonicMs - acceptMs);
    return { kind: "granted", granted, sentAt, sinceMs };
  } catch (error) {
    // Too late: the next ticket got it.
    if (refusalCodeOf(error) === "ticket_unknown" || refusalCodeOf(error) === "lock_not_held") return { kind: "gone" };
    throw error;
  }
}

/** The wait timed out. A grant of the same moment is used if it is known already. */
async function giveUp(session: LockSession, ticket: Ticket, wait: TicketWait): Promise<WaitEnd> {
  const { held } = ticket;
  if (held !== undefined) return { kind: "held", grant: held };
  const { place, waitsFor } = ticket.place;
  if (wait.request.operation === "upgrade-lock") {
    const granted = await cancelUpgrade(session, ticket, wait);
    if (granted !== undefined) return granted;
  } else {
    await session.cleanups.withdraw(wait.request);
    // An event granted it in the meantime, and the server has released it since.
    if (!ticket.isShared && ticket.held?.handleCount === 0) ticket.held.end();
  }
  return { kind: "gave-up", data: { place, waitsFor, reason: "it did not become free before the timeout" } };
}

/** A granted upgrade keeps its lock, under another fence. So the client must know whether it was granted. */
async function cancelUpgrade(session: LockSession, { id }: Ticket, wait: TicketWait): Promise<WaitEnd | undefined> {
  try {
    const answer = (await session.run("cancel-ticket", { ticket: id })) as { cancelled: string } | Granted;
    return "granted" in answer
      ? await acceptTicket(session, { id, fence: answer.fence, askedAt: wait.askedAt })
      : undefined;
  } catch (error) {
    if (refusalCodeOf(error) !== "ticket_unknown") throw error;
    return undefined;
  }
}

/** Neither the ticket nor its grant is used by this waiter. Another task may share them. */
function cleanUpTicket(session: LockSession, ticket: Ticket, wait: TicketWait): void {
  if (ticket.isGone) return;
  const { held, isShared } = ticket;
  session.leave(ticket, wait);
  if (held !== undefined && !isShared && held.handleCount === 0)
    void releaseGrant(session, held).catch(() => undefined);
  else void session.cleanups.withdraw(wait.request);
}

/**
 * A waiter that got the lock in another way, or whose ticket expired, requests again. A cancelled ticket is not
 * requested again.
 */
function gone(ticket: Ticket, why: string): WaitEnd {
  if (why === "held" || why === "expired" || why === "unknown") return { kind: "gone" };
  if (why === "closed") throw closedError("acquire-lock");
  if (why === "agent_ended") {
    throw new HoldfastError("acquire-lock", "agent_unknown", { data: { reason: "the agent ended during the wait" } });
  }
  // Its owner released the lock that had kept it ahead of other tickets. A new request may be refused, or just wait.
  const code = why === "deadlock" ? why : "ticket_unknown";
  throw new HoldfastError("acquire-lock", code, { data: { ticket: ticket.id, reason: why } });
}

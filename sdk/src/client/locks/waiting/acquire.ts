import type { Granted, Queued } from "../../../contract/locks.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { requestedLease } from "./requested-lease.ts";
import { deniedLock } from "../handle/denied-lock.ts";
import { clockPoint } from "../handle/held-grant.ts";
import type { HeldGrant, ClockPoint } from "../handle/held-grant.ts";
import { holdOnGrantEvent } from "./hold-on-grant-event.ts";
import { orphanedBy } from "../session/cleanup-queue.ts";
import type { OrphanedState, SentRequest } from "../session/cleanup-queue.ts";
import { LockHandle } from "../handle/lock-handle.ts";
import type { DeniedLock } from "../handle/lock.ts";
import { acquireInput } from "./lock-options.ts";
import type { AcquireRequest } from "./lock-options.ts";
import { pathSetOf } from "../session/path-set.ts";
import { closedError, refusalCodeOf, mayWorkLater } from "../closed-error.ts";
import type { LockSession } from "../session/session.ts";
import { joinTicket, waitForTicket } from "./wait-for-ticket.ts";
import type { TicketWait, WaitEnd } from "./wait-for-ticket.ts";
import type { Ticket } from "./ticket.ts";
import { untilAborted } from "../../../base/until-aborted.ts";

/** Maximum attempts to re-queue after a ticket expires without a grant, for example after the host slept. */
const asksMax = 3;

/** Acquires a lock and waits as the request says. A denial is a value. Only errors are thrown. */
export async function acquireLock(session: LockSession, wish: AcquireRequest): Promise<LockHandle | DeniedLock> {
  wish.signal?.throwIfAborted();
  const leave = session.ownLocks.enter(wish);
  try {
    await untilAborted(wish.signal, session.start());
    const lock = await take(session, wish, leave);
    if (!lock.granted) leave();
    return lock;
  } catch (error) {
    leave();
    throw error;
  }
}

async function take(session: LockSession, wish: AcquireRequest, leave: () => void): Promise<LockHandle | DeniedLock> {
  const { clock } = session;
  const giveUpAtMs = wish.waitMs === undefined ? Infinity : clock.monotonicMs() + wish.waitMs;
  const toHandle = (grant: HeldGrant): LockHandle => new LockHandle(session, grant, wish, leave);
  const hold = (granted: Granted, sentAt: ClockPoint, since = sentAt.monotonicMs): LockHandle => {
    const endsAtMs = since + (wish.maxHoldSeconds ?? Infinity) * 1000;
    return toHandle(session.hold(granted, { sentAt, patienceMs: wish.patienceMs, endsAtMs }));
  };
  const begin = (answer: Granted | Queued, sentAt: ClockPoint): LockHandle | InLine | undefined => {
    if (isOver(answer)) return undefined;
    if (answer.granted) return hold(answer, sentAt);
    const waiting = { ...wish, giveUpAtMs, askedAt: sentAt, hold: holdOnGrantEvent(session, wish, sentAt) };
    return { waiting, ticket: joinTicket(session, answer, waiting) };
  };
  const end = (last: WaitEnd): LockHandle | DeniedLock | undefined => {
    if (last.kind === "gone") return undefined;
    if (last.kind === "gave-up") return deniedLock(pathNames(wish), last.data);
    if (session.isClosed) throw closedError("acquire-lock");
    return last.kind === "held" ? toHandle(last.grant) : hold(last.granted, last.sentAt, last.sinceMs);
  };
  for (let asked = 1; asked <= asksMax; asked += 1) {
    const first = await ask(session, wish, begin);
    const got =
      first !== undefined && "ticket" in first ? await waitForTicket(session, first.ticket, first.waiting, end) : first;
    if (got !== undefined) return got;
  }
  const data = { reason: "the ticket expired repeatedly", paths: pathNames(wish) };
  throw new HoldfastError("acquire-lock", "ticket_unknown", { data });
}

interface InLine {
  readonly ticket: Ticket;
  readonly waiting: TicketWait;
}

/** A lost reply that was repeated after its grant had ended. */
function isOver(answer: Granted | Queued): boolean {
  const { still_held, still_waiting } = answer as { still_held?: boolean; still_waiting?: boolean };
  return answer.granted ? still_held === false : still_waiting === false;
}

/**
 * Sends the request and processes the reply in the tick of its arrival. A reply that is lost or has no caller left is
 * queued for clean-up. The request ends only then, so that no part of the set is released too early.
 */
async function ask<Taken>(
  session: LockSession,
  wish: AcquireRequest,
  take: (answer: Granted | Queued, sentAt: ClockPoint) => Taken,
): Promise<Taken | DeniedLock> {
  const set = pathSetOf(wish.paths);
  if (session.leftovers.isInDoubt(set)) await untilAborted(wish.signal, session.leftovers.endDoubt(set));
  const endQuestion = await session.turns.question(set, wish.signal);
  const question = questionOf(session, wish);
  let isTaken = false;
  const sentAt = clockPoint(session.clock);
  const answer = session.isClosed
    ? Promise.reject(closedError("acquire-lock"))
    : session.ask("acquire-lock", question.input, question.call);
  const taken = untilAborted(wish.signal, answer, (given) => {
    if (session.isClosed) throw closedError("acquire-lock");
    const result = take(given, sentAt);
    isTaken = true;
    return result;
  });
  const leave = (left: OrphanedState | undefined): void => {
    if (left !== undefined) session.leftovers.add(set, left);
    endQuestion();
  };
  answer.then(
    (given) => leave(isTaken ? undefined : orphanedBy(given)),
    (error: unknown) => leave(mayWorkLater(error) ? { kind: "question", question } : undefined),
  );
  try {
    return await taken;
  } catch (error) {
    if (refusalCodeOf(error) === "lock_denied") return deniedLock(pathNames(wish), (error as HoldfastError).data);
    throw error;
  }
}

function questionOf(session: LockSession, wish: AcquireRequest): SentRequest {
  const wait = wish.waitMs !== 0;
  const input = requestedLease(acquireInput(wish, { wait }), session.grants.values());
  // The key prevents a second ticket after a lost reply. It also identifies the request for clean-up.
  return { input, call: wait ? { key: session.clock.unique() } : {} };
}

const pathNames = ({ paths }: AcquireRequest): readonly string[] => paths.map(({ path }) => path);

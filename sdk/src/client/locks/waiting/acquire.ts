import type { Granted, Queued } from "../../operation-output.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { requestedLease } from "./requested-lease.ts";
import { deniedLock } from "../handle/denied-lock.ts";
import { clockPoint } from "../handle/held-grant.ts";
import type { HeldGrant, ClockPoint } from "../handle/held-grant.ts";
import { holdOnGrantEvent } from "./hold-on-grant-event.ts";
import type { SentRequest } from "../session/cleanup-queue.ts";
import { LockHandle } from "../handle/lock-handle.ts";
import type { DeniedLock } from "../handle/lock.ts";
import { acquireInput } from "./lock-options.ts";
import type { AcquireRequest } from "./lock-options.ts";
import { pathSetOf } from "../session/path-set.ts";
import { closedError, refusalCodeOf, mayWorkLater } from "../closed-error.ts";
import type { LockSession } from "../session/session.ts";
import { joinTicket, waitForTicket } from "./wait-for-ticket.ts";
import type { TicketWait, WaitEnd } from "./wait-for-ticket.ts";
import { defined } from "../../../base/defined.ts";
import { untilAborted } from "../../../base/until-aborted.ts";

/** Maximum attempts to re-queue after a ticket expires without a grant, for example after the host slept. */
const attemptsMax = 3;

/** Acquires a lock and waits as the request says. A denial is a value. Only errors are thrown. */
export async function acquireLock(session: LockSession, request: AcquireRequest): Promise<LockHandle | DeniedLock> {
  request.signal?.throwIfAborted();
  const leave = session.ownLocks.enter(request);
  try {
    await untilAborted(request.signal, session.start());
    const lock = await acquireOrWait(session, request, leave);
    if (!lock.granted) leave();
    return lock;
  } catch (error) {
    leave();
    throw error;
  }
}

async function acquireOrWait(
  session: LockSession,
  request: AcquireRequest,
  leave: () => void,
): Promise<LockHandle | DeniedLock> {
  const { clock } = session;
  const giveUpAtMs = request.waitMs === undefined ? Infinity : clock.monotonicMs() + request.waitMs;
  const toHandle = (grant: HeldGrant): LockHandle => new LockHandle(session, grant, request, leave);
  const hold = (granted: Granted, sentAt: ClockPoint, since = sentAt.monotonicMs): LockHandle => {
    const endsAtMs = since + (request.maxHoldMs ?? Infinity);
    return toHandle(session.hold(granted, { sentAt, uncertainMaxMs: request.uncertainMaxMs, endsAtMs }));
  };
  const begin = (answer: Granted | Queued, sent: SentRequest, sentAt: ClockPoint) => {
    if (isOver(answer)) return undefined;
    if (answer.granted) return hold(answer, sentAt);
    const onGrant = { hold: holdOnGrantEvent(session, request, sentAt) };
    const wait: TicketWait = { ...request, giveUpAtMs, askedAt: sentAt, request: sent, ...onGrant };
    return { wait, ticket: joinTicket(session, answer, wait) };
  };
  const end = (last: WaitEnd): LockHandle | DeniedLock | undefined => {
    if (last.kind === "gone") return undefined;
    if (last.kind === "gave-up") return deniedLock(pathNames(request), last.data);
    if (session.isClosed) throw closedError("acquire-lock");
    return last.kind === "held" ? toHandle(last.grant) : hold(last.granted, last.sentAt, last.sinceMs);
  };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const first = await sendRequest(session, attempt === 1 ? request : { ...request, retry: undefined }, begin);
    const lock =
      first !== undefined && "ticket" in first ? await waitForTicket(session, first.ticket, first.wait, end) : first;
    if (lock !== undefined) return lock;
  }
  const data = { reason: "the ticket expired repeatedly", paths: pathNames(request) };
  throw new HoldfastError("acquire-lock", "ticket_unknown", { data });
}

/** A lost reply that was repeated after its grant had ended. */
function isOver(answer: Granted | Queued): boolean {
  const { stillHeld, stillWaiting } = answer as { stillHeld?: boolean; stillWaiting?: boolean };
  return answer.granted ? stillHeld === false : stillWaiting === false;
}

/**
 * Sends the request and processes the reply in the tick of its arrival. A request whose reply is lost or has no caller
 * left is withdrawn.
 */
async function sendRequest<Result>(
  session: LockSession,
  request: AcquireRequest,
  use: (answer: Granted | Queued, sent: SentRequest, sentAt: ClockPoint) => Result,
): Promise<Result | DeniedLock> {
  const set = pathSetOf(request.paths);
  if (session.cleanups.isInDoubt(set)) await untilAborted(request.signal, session.cleanups.endDoubt(set));
  const leaveMutex = await session.mutex.enter(set, request.signal);
  const sent = { operation: "acquire-lock", key: session.clock.unique() };
  const input = requestedLease(acquireInput(request, { wait: request.waitMs !== 0 }), session.grants.values());
  const sentAt = clockPoint(session.clock);
  let isRefused = session.isClosed;
  const answer = isRefused
    ? Promise.reject(closedError(sent.operation))
    : session.sendRequest(sent.operation, input, { key: sent.key, ...defined({ retry: request.retry }) });
  answer.catch((error: unknown) => void (isRefused = !mayWorkLater(error)));
  try {
    return await untilAborted(request.signal, answer, (given) => {
      if (session.isClosed) throw closedError(sent.operation);
      return use(given, sent, sentAt);
    });
  } catch (error) {
    if (refusalCodeOf(error) === "lock_denied") return deniedLock(pathNames(request), (error as HoldfastError).data);
    if (!isRefused) void session.cleanups.withdraw(sent);
    throw error;
  } finally {
    leaveMutex();
  }
}

const pathNames = ({ paths }: AcquireRequest): readonly string[] => paths.map(({ path }) => path);

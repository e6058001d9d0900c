import type { Granted, Queued } from "../../contract/locks.ts";
import { HoldfastError } from "../holdfast-error.ts";
import { deniedLock } from "./denied-lock.ts";
import { momentOf } from "./held-grant.ts";
import type { HeldGrant, Moment } from "./held-grant.ts";
import { holdAtPush } from "./hold-at-push.ts";
import { leaveLine } from "./leave-line.ts";
import { LockHandle } from "./lock-handle.ts";
import type { DeniedLock } from "./lock.ts";
import { acquireInput } from "./lock-options.ts";
import type { Wish } from "./lock-options.ts";
import { codeOf, mayWorkLater } from "./session.ts";
import type { LockSession } from "./session.ts";
import { standInLine } from "./stand-in-line.ts";
import { until } from "./until.ts";

/** So often a ticket that ended without a grant is asked for again; that happens after a long silence of this host. */
const asksMax = 3;

/** Takes a lock, waiting for it as the wish says. What is not granted is a value; only faults are thrown. */
export async function acquireLock(session: LockSession, wish: Wish): Promise<LockHandle | DeniedLock> {
  wish.signal?.throwIfAborted();
  const leave = session.ownLocks.enter(wish);
  try {
    await until(wish.signal, session.start());
    const lock = await take(session, wish, leave);
    if (!lock.granted) leave();
    return lock;
  } catch (error) {
    leave();
    throw error;
  }
}

async function take(session: LockSession, wish: Wish, leave: () => void): Promise<LockHandle | DeniedLock> {
  const { clock } = session;
  const giveUpAtMs = wish.waitMs === undefined ? Infinity : clock.monotonicMs() + wish.waitMs;
  const toHandle = (grant: HeldGrant): LockHandle => new LockHandle(session, grant, wish, leave);
  const hold = (granted: Granted, sentAt: Moment, since = sentAt.monotonicMs): LockHandle => {
    const endsAtMs = since + (wish.maxHoldSeconds ?? Infinity) * 1000;
    return toHandle(session.hold(granted, { sentAt, patienceMs: wish.patienceMs, endsAtMs }));
  };
  for (let asked = 1; asked <= asksMax; asked += 1) {
    const sentAt = momentOf(clock);
    const answer = await ask(session, wish);
    if ("message" in answer) return answer;
    if (isOver(answer)) continue;
    if (answer.granted) return hold(answer, sentAt);
    const waiting = { giveUpAtMs, askedAt: sentAt, hold: holdAtPush(session, wish, sentAt) };
    const end = await standInLine(session, answer, { ...wish, ...waiting });
    if (end.kind === "held") return toHandle(end.grant);
    if (end.kind === "granted") return hold(end.granted, end.sentAt, end.sinceMs);
    if (end.kind === "gave-up") return deniedLock(pathNames(wish), end.data);
  }
  const data = { reason: "the place in the line was lost again and again", paths: pathNames(wish) };
  throw new HoldfastError("acquire-lock", "ticket_unknown", { data, position: 0, replayed: false });
}

/** An answer that was lost, and given again when what it told was over already. */
function isOver(answer: Granted | Queued): boolean {
  const { still_held, still_waiting } = answer as { still_held?: boolean; still_waiting?: boolean };
  return answer.granted ? still_held === false : still_waiting === false;
}

async function ask(session: LockSession, wish: Wish): Promise<Granted | Queued | DeniedLock> {
  const waits = wish.waitMs !== 0;
  const input = acquireInput(wish, { wait: waits });
  // Who waits must not stand in the line twice because an answer was lost; the key is also the way to take it back.
  const call = waits ? { key: session.clock.unique() } : {};
  const send = (): Promise<Granted | Queued> => session.ask("acquire-lock", input, call);
  const answer = send();
  try {
    return await until(wish.signal, answer);
  } catch (error) {
    if (codeOf(error) === "lock_denied") return deniedLock(pathNames(wish), (error as HoldfastError).data);
    const isAborted = wish.signal?.aborted === true && error === wish.signal.reason;
    if (isAborted) void answer.then((late) => undo(session, late)).catch(() => undefined);
    if (mayWorkLater(error)) session.settle(async () => undo(session, await send()));
    throw error;
  }
}

/** Gives back what was got after nobody wanted it any more. */
async function undo(session: LockSession, answer: Granted | Queued): Promise<void> {
  if (isOver(answer)) return;
  if (answer.granted) await session.giveBack(answer.fence);
  else session.settle(() => leaveLine(session, answer.ticket));
}

const pathNames = ({ paths }: Wish): readonly string[] => paths.map(({ path }) => path);

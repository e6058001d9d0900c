/** Commands of timers. Each names its exact subject, and does nothing if that has changed since. */
import type { lockInternals } from "@holdfast/sdk/contract";
import type { Timer } from "../../../machine/feature.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import { dueTimer } from "../../due-timer.ts";
import type { Decide } from "../../rule-of.ts";
import { expireIfDue } from "../queue/free-grant.ts";
import { cancelQueuedTicket, grantNext } from "../queue/grant-next.ts";
import { dueTime, grantTable, lockSingletonTable, ownerTable, ticketTable } from "../tables/lock-tables.ts";
import type { LockHandoverRow } from "../tables/lock-tables.ts";

const notDue = { outcome: refusal("not_due"), events: [] };

export const expireLock: Decide<(typeof lockInternals)["expire-lock"]> = (input, context) => {
  const row = context.state.rows(grantTable).get(input.fence);
  if (row === undefined || !expireIfDue(context, row)) return notDue;
  return { outcome: done({}), events: [] };
};

export const expireTicket: Decide<(typeof lockInternals)["expire-ticket"]> = (input, context) => {
  const row = context.state.rows(ticketTable).get(input.ticket);
  if (row === undefined || context.grace || row.leaseUntil > context.time) return notDue;
  cancelQueuedTicket(context, row.ticket, "expired");
  return { outcome: done({}), events: [] };
};

export const continueHandover: Decide<(typeof lockInternals)["continue-handover"]> = (input, context) => {
  const { state, emit } = context;
  if (state.rows(lockSingletonTable).get(`handover ${input.blocker_id}`) === undefined) return notDue;
  emit({ type: "lock.handover_done", subject: "locks", data: { blocker_id: input.blocker_id } });
  grantNext(context, input.blocker_id);
  return { outcome: done({}), events: [] };
};

/** The id contains the fence, so several nodes produce one expiry. */
const grantTimer = dueTimer(grantTable, "due", {
  dueAt: dueTime,
  command: ({ fence }) => ({ id: `expire:${fence}`, operation: "expire-lock", input: { fence } }),
});

const ticketTimer = dueTimer(ticketTable, "due", {
  dueAt: ({ leaseUntil }) => leaseUntil,
  command: ({ ticket }) => ({ id: `expire-ticket:${ticket}`, operation: "expire-ticket", input: { ticket } }),
});

const handoverTimer: Timer = {
  nextTime: (state, time) => state.rows(lockSingletonTable).nextDue(time),
  // The id contains the entry that left the rest, which distinguishes the parts of one hand-over.
  due: (state, _time, limit) =>
    state
      .rows(lockSingletonTable)
      .scan("handover", { limit })
      .map((row) => row as LockHandoverRow)
      .map(({ blockerId, position }) => ({
        id: `handover:${blockerId}:${String(position)}`,
        operation: "continue-handover",
        input: { blocker_id: blockerId },
      })),
};

const leavingTimer: Timer = {
  nextTime: (state, time) => state.rows(ownerTable).nextDue(time),
  // The count decreases with each part, which distinguishes them.
  due: (state, _time, limit) =>
    state
      .rows(ownerTable)
      .scan("leaving", { limit })
      .map(({ owner, pathCount, ticketCount }) => ({
        id: `free:${owner}:${String(ticketCount)}:${String(pathCount)}`,
        operation: "free-ended",
        input: { owner_id: owner },
      })),
};

export const lockTimers: readonly Timer[] = [grantTimer, ticketTimer, handoverTimer, leavingTimer];

/** The commands of timers. The claim or the time is in the id of each, so several nodes produce one entry. */
import type { jobsInternals } from "@holdfast/sdk/contract";
import { setJob } from "../../features/locks/for-features/free-set.ts";
import { dueTimer } from "../../features/due-timer.ts";
import type { Decide } from "../../features/rule-of.ts";
import { isFull } from "../../features/locks/tables/settings.ts";
import type { DecideContext, Timer } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { jobTotals } from "./change-job.ts";
import { endJob, failAttempt, loseAttempt } from "./fail-attempt.ts";
import { fill } from "./fill.ts";
import { attemptDueAt, jobLimits, jobSubject, jobTable, uniqueTable, workerTable } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";

type Internals = typeof jobsInternals;

const notDue = { outcome: refusal("not_due"), events: [] };
const finished = { outcome: done({}), events: [] };

export const readyJobs: Decide<Internals["jobs.ready"]> = ({ until }, context) => {
  const { state, time, emit } = context;
  const limit = jobLimits.readiedMax;
  const due = state
    .rows(jobTable)
    .scan("due", { limit })
    .filter(({ at = 0 }) => at <= Math.min(until, time));
  if (due.length === 0) return notDue;
  for (const { id, type } of due) emit({ type: "jobs.readied", subject: jobSubject(id), data: { type, why: "due" } });
  fill(context);
  return finished;
};

/** The running job of a claim, if it is still that attempt. */
function attemptOf({ state }: DecideContext, id: string, claim: string): JobRow | undefined {
  const row = state.rows(jobTable).get(id);
  return row?.attemptRow?.claim === claim ? row : undefined;
}

export const expireJob: Decide<Internals["jobs.expire"]> = ({ id, claim }, context) => {
  const row = attemptOf(context, id, claim);
  if (row === undefined || context.grace || (row.attemptRow?.leaseUntil ?? 0) > context.time) return notDue;
  loseAttempt(context, row);
  fill(context);
  return finished;
};

/** At the deadline the worker gets a signal. If it does not obey, the attempt ends, and its locks stay until recovery. */
export const endOverdueAttempt: Decide<Internals["jobs.end-attempt"]> = ({ id, claim }, context) => {
  const { time, grace, emit } = context;
  const row = attemptOf(context, id, claim);
  const attempt = row?.attemptRow;
  if (row === undefined || attempt === undefined || grace || (attempt.endAt ?? Infinity) > time) return notDue;
  const { type, fence } = row;
  const { worker, cancel } = attempt;
  if (cancel === undefined) {
    const data = { type, worker, why: "timeout", end_at: time + jobLimits.endMs };
    emit({ type: "jobs.cancel_requested", subject: jobSubject(id), data });
    return finished;
  }
  if (cancel === "cancelled") endJob(context, row, { type: "jobs.cancelled", data: { why: cancel, worker } });
  else failAttempt(context, row, { error: { code: "timeout", message: "the attempt took longer than its timeout" } });
  if (fence !== undefined) setJob(context, fence, null);
  fill(context);
  return finished;
};

export const expireOffer: Decide<Internals["jobs.expire-offer"]> = ({ worker }, context) => {
  const row = context.state.rows(workerTable).get(worker);
  if (row === undefined || row.works.length === 0 || context.grace || row.until > context.time) return notDue;
  return {
    ...finished,
    events: [{ type: "jobs.withdrawn", subject: `worker/${worker}`, data: { why: "expired" } }],
  };
};

/** Compares the next lanes with changed settings, and starts the jobs that may start by them. */
export function recheckLanes(context: DecideContext): void {
  const { recheckAfter, left } = jobTotals(context.state);
  if (recheckAfter !== undefined)
    context.emit({ type: "jobs.rechecked", subject: "jobs", data: { after: recheckAfter } });
  if (left !== undefined) context.emit({ type: "jobs.fill_done", subject: "jobs", data: {} });
  fill(context);
}

/** Continues what did not fit into one entry: the comparison of lanes with changed caps, and starts. */
export const continueFill: Decide<Internals["jobs.fill"]> = (_input, context) => {
  const { recheckAfter, left } = jobTotals(context.state);
  if (recheckAfter === undefined && left === undefined) return notDue;
  recheckLanes(context);
  return finished;
};

export const dropJobs: Decide<Internals["jobs.drop"]> = ({ until }, context) => {
  const { state, time, emit } = context;
  const limit = jobLimits.selectedMax;
  const end = Math.min(until, time);
  const keys = state
    .rows(uniqueTable)
    .scan("until", { limit })
    .filter((row) => (row.until ?? Infinity) <= end);
  const dead = state
    .rows(jobTable)
    .scan("dead", { limit })
    .filter(({ at = 0 }) => at <= end);
  if (keys.length + dead.length === 0) return notDue;
  if (keys.length > 0) emit({ type: "jobs.keys_dropped", subject: "jobs", data: { keys: keys.map(({ key }) => key) } });
  for (const row of dead) {
    if (isFull(context)) break;
    endJob(context, row, { type: "jobs.discarded", data: { why: "retention" } });
  }
  return finished;
};

/** A job that becomes ready expires nothing, so it is handled in the grace period too. */
const dueJobs: Timer = {
  runsInGrace: true,
  nextTime: (state) => state.rows(jobTable).scan("due", { limit: 1 })[0]?.at,
  due: (state, time) => {
    const [first] = state.rows(jobTable).scan("due", { limit: 1 });
    if (first?.at === undefined || first.at > time) return [];
    const id = `jobs-ready:${first.id}:${first.at}`;
    return [{ id, operation: "jobs.ready", input: { until: time } }];
  },
};

/** The lease of an attempt ends before its deadline, or the other way round. */
const attempts = dueTimer(jobTable, "attempt", {
  dueAt: attemptDueAt,
  command: ({ id, attemptRow }) => {
    const { claim = "", leaseUntil = 0, endAt: at = Infinity } = attemptRow ?? {};
    return leaseUntil <= at
      ? { id: `jobs-expire:${claim}`, operation: "jobs.expire", input: { id, claim } }
      : { id: `jobs-end:${claim}:${at}`, operation: "jobs.end-attempt", input: { id, claim, at } };
  },
});

const offers = dueTimer(workerTable, "until", {
  dueAt: ({ until }) => until,
  command: ({ worker, until }) => ({
    id: `jobs-offer:${worker}:${until}`,
    operation: "jobs.expire-offer",
    input: { worker, until },
  }),
});

const remaining: Timer = {
  runsInGrace: true,
  nextTime: (state) => {
    const { left, recheckAfter } = jobTotals(state);
    return left === undefined && recheckAfter === undefined ? undefined : 0;
  },
  due: (state) => {
    const { left, recheckAfter, recheckAt } = jobTotals(state);
    if (left === undefined && recheckAfter === undefined) return [];
    // The position of the entry that left the rest distinguishes the parts.
    const id = `jobs-fill:${left ?? ""}:${recheckAt ?? ""}`;
    return [{ id, operation: "jobs.fill", input: { left: left ?? recheckAt ?? 0 } }];
  },
};

const dropTimer: Timer = {
  nextTime: (state) => {
    const [dead] = state.rows(jobTable).scan("dead", { limit: 1 });
    const [key] = state.rows(uniqueTable).scan("until", { limit: 1 });
    const next = Math.min(dead?.at ?? Infinity, key?.until ?? Infinity);
    return next === Infinity ? undefined : next;
  },
  due: (state, time) => {
    const next = dropTimer.nextTime(state, time);
    if (next === undefined || next > time) return [];
    const [dead] = state.rows(jobTable).scan("dead", { limit: 1 });
    const [key] = state.rows(uniqueTable).scan("until", { limit: 1 });
    const id = `jobs-drop:${next}:${dead?.id ?? ""}:${key?.id ?? ""}`;
    return [{ id, operation: "jobs.drop", input: { until: time } }];
  },
};

export const jobTimers: readonly Timer[] = [dueJobs, attempts, offers, remaining, dropTimer];

/**
 * The dispatcher. It runs inside every decision that could make a job startable, and starts jobs until nothing more may
 * start. Projects take turns by start-time fair queueing: the least virtual time first, and among equals the project
 * that was started least recently. Caps are checked at every start. The index of open lanes is only the fast path.
 */
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { isFull } from "../../features/locks/tables/settings.ts";
import type { DecideContext } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { jobTotals, maySupply, projectRow } from "./change-job.ts";
import { classCapacity, jobCaps, jobTypeSettings } from "./job-settings-table.ts";
import { jobTable, jobTypeTable, laneOf, laneTable, offerTable, workerTable } from "./job-tables.ts";
import type { JobRow, LaneRow } from "./job-tables.ts";
import { startJob } from "./start-job.ts";

/** Starts jobs until the caps, the offers or the size of the entry stop it. */
export function fill(context: DecideContext): void {
  const { state, emit } = context;
  for (;;) {
    const lane = nextLane(state);
    if (lane === undefined) break;
    if (isFull(context)) {
      if (jobTotals(state).left === undefined) emit({ type: "jobs.fill_left", subject: "jobs", data: {} });
      return;
    }
    if (!maySupply(state, lane)) {
      emit({ type: "jobs.rechecked", subject: "jobs", data: { project: lane.project } });
      continue;
    }
    const job = firstJob(state, lane.project);
    const worker = job === undefined ? undefined : freeWorker(context, job.type);
    if (job !== undefined && worker !== undefined) startJob(context, job, worker);
  }
  if (jobTotals(state).left !== undefined) emit({ type: "jobs.fill_done", subject: "jobs", data: {} });
}

/** The types that have an open lane and a free offer, and whose class has a free slot. */
function startableTypes(state: StateReader): readonly string[] {
  const { classes } = jobTotals(state);
  return state
    .rows(jobTypeTable)
    .scan("startable", { limit: Infinity })
    .map(({ type }) => type)
    .filter((type) => {
      const { class: jobClass } = jobTypeSettings(state, type);
      return (classes[jobClass] ?? 0) < classCapacity(state, jobClass);
    });
}

/** The open lane whose project is next; undefined if nothing may start. */
export function nextLane(state: StateReader): LaneRow | undefined {
  if (jobTotals(state).running >= jobCaps(state).max_global_jobs) return undefined;
  let next: LaneRow | undefined;
  for (const type of startableTypes(state)) {
    const [lane] = state.rows(laneTable).scan("turn", { prefix: `${type}${gap}`, limit: 1 });
    if (lane !== undefined && (next === undefined || compareTurns(lane, next) < 0)) next = lane;
  }
  return next;
}

type Turn = Pick<LaneRow, "vt" | "last" | "project">;

function compareTurns(a: Turn, b: Turn): number {
  if (a.vt !== b.vt) return a.vt - b.vt;
  if (a.last !== b.last) return a.last - b.last;
  return a.project < b.project ? -1 : a.project > b.project ? 1 : 0;
}

/** The job of a project with the highest priority, then the oldest, among the types that may start. */
function firstJob(state: StateReader, project: string): JobRow | undefined {
  let first: JobRow | undefined;
  for (const type of startableTypes(state)) {
    for (const isMap of [false, true]) {
      const lane = laneOf({ type, project, ...(isMap ? { isMap } : {}) });
      if (state.rows(laneTable).get(lane)?.isOpen !== true || !maySupply(state, { type, project, isMap })) continue;
      const [job] = state.rows(jobTable).scan("ready", { prefix: `${lane}${gap}`, limit: 1 });
      if (job !== undefined && (first === undefined || compareJobs(job, first) < 0)) first = job;
    }
  }
  return first;
}

function compareJobs(a: JobRow, b: JobRow): number {
  return b.priority - a.priority || a.seq - b.seq;
}

/** The worker with a free slot that was served least recently. Overdue offers end first. */
function freeWorker(context: DecideContext, type: string): string | undefined {
  const { state, time, grace, emit } = context;
  for (;;) {
    const [offer] = state.rows(offerTable).scan("free", { prefix: `${type}${gap}`, limit: 1 });
    if (offer === undefined) return undefined;
    const until = state.rows(workerTable).get(offer.worker)?.until ?? 0;
    if (until > time || grace) return offer.worker;
    emit({ type: "jobs.withdrawn", subject: `worker/${offer.worker}`, data: { why: "expired" } });
  }
}

/**
 * Starts a job whose locks became free, if a slot and a worker are free and no other project is ahead of its own.
 * Returns false if it did not start.
 */
export function startUnlocked(context: DecideContext, job: JobRow): boolean {
  const { state } = context;
  const { class: jobClass } = jobTypeSettings(state, job.type);
  const { running, classes } = jobTotals(state);
  if (running >= jobCaps(state).max_global_jobs || isFull(context)) return false;
  if ((classes[jobClass] ?? 0) >= classCapacity(state, jobClass)) return false;
  const project = projectRow(state, job.project);
  const waiting = { type: job.type, project: job.project, isMap: job.isMap === true };
  // It leaves the state `locking` by its start, so it does not count against the cap of that state.
  if (!maySupply(state, waiting, { locking: project.locking - 1 })) return false;
  const ahead = nextLane(state);
  if (ahead !== undefined && compareTurns(ahead, project) < 0) return false;
  const worker = freeWorker(context, job.type);
  return worker !== undefined && startJob(context, job, worker);
}

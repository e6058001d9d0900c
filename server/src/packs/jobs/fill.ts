/**
 * The dispatcher. It runs inside every decision that could make a job startable, and starts jobs until nothing more may
 * start. Projects take turns by start-time fair queueing: the least virtual time first, and among equals the project
 * that was started least recently. Caps are checked at every start. The index of open lanes is only the fast path.
 */
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { isFull } from "../../features/locks/tables/settings.ts";
import type { DecideContext } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { jobTotals } from "./change-job.ts";
import { countOfClass } from "./count-of-class.ts";
import { classCapacity, jobCaps, jobTypeSettings } from "./job-settings-table.ts";
import { jobTable, laneKey, laneTable, offerTable, workType, jobWorkOf, workTable, workerTable } from "./job-tables.ts";
import type { JobRow, LaneRow, ProjectRow } from "./job-tables.ts";
import { maySupply } from "./may-supply.ts";
import { projectRow } from "./project-row.ts";
import { startJob, startsOthers } from "./start-job.ts";

/** Starts jobs until the caps, the offers or the size of the entry stop it. */
export function fill(context: DecideContext): void {
  const { state, emit } = context;
  for (;;) {
    const works = startableWorks(state);
    const lane = nextLane(state, works);
    if (lane === undefined) break;
    if (isFull(context)) {
      if (jobTotals(state).left === undefined) emit({ type: "jobs.fill_left", subject: "jobs", data: {} });
      return;
    }
    const project = projectRow(state, lane.project);
    if (!maySupply(state, lane, project)) {
      emit({ type: "jobs.rechecked", subject: "jobs", data: { project: lane.project } });
      continue;
    }
    const job = firstJob(state, lane, works, project);
    const worker = job === undefined ? undefined : freeWorker(context, jobWorkOf(job));
    // The end of an overdue lock may start another job. Then the choice of this one is void.
    if (job !== undefined && worker !== undefined && !startsOthers(context, job)) startJob(context, job, worker);
  }
  if (jobTotals(state).left !== undefined) emit({ type: "jobs.fill_done", subject: "jobs", data: {} });
}

/** The kinds of work that have an open lane and a free offer, and whose class has a free slot. None at the global cap. */
function startableWorks(state: StateReader): readonly string[] {
  const { running, classes } = jobTotals(state);
  if (running >= jobCaps(state).max_global_jobs) return [];
  const works: string[] = [];
  for (const { work } of state.rows(workTable).scan("startable", { limit: Infinity })) {
    const { class: jobClass } = jobTypeSettings(state, workType(work));
    if ((countOfClass(classes, jobClass) ?? 0) < classCapacity(state, jobClass)) works.push(work);
  }
  return works;
}

/** The open lane whose project is next; undefined if nothing may start. */
export function nextLane(state: StateReader, works = startableWorks(state)): LaneRow | undefined {
  let next: LaneRow | undefined;
  for (const work of works) {
    const [lane] = state.rows(laneTable).scan("turn", { prefix: `${work}${gap}`, limit: 1 });
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

/** The job of a project with the highest priority, then the oldest, among the kinds of work that may start. */
function firstJob(
  state: StateReader,
  { lane: next, project }: LaneRow,
  works: readonly string[],
  row: ProjectRow,
): JobRow | undefined {
  let first = firstIn(state, next);
  if (row.lanes === 1) return first;
  for (const work of works) {
    for (const isMap of [false, true]) {
      const lane = laneKey({ work, project, isMap });
      if (lane === next || state.rows(laneTable).get(lane)?.isOpen !== true) continue;
      const job = maySupply(state, { work, isMap }, row) ? firstIn(state, lane) : undefined;
      if (job !== undefined && (first === undefined || compareJobs(job, first) < 0)) first = job;
    }
  }
  return first;
}

function firstIn(state: StateReader, lane: string): JobRow | undefined {
  return state.rows(jobTable).scan("ready", { prefix: `${lane}${gap}`, limit: 1 })[0];
}

function compareJobs(a: JobRow, b: JobRow): number {
  return b.priority - a.priority || a.seq - b.seq;
}

/** The worker with a free slot that was served least recently. Overdue offers end first. */
function freeWorker(context: DecideContext, work: string): string | undefined {
  const { state, time, grace, emit } = context;
  for (;;) {
    const [offer] = state.rows(offerTable).scan("free", { prefix: `${work}${gap}`, limit: 1 });
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
  if ((countOfClass(classes, jobClass) ?? 0) >= classCapacity(state, jobClass)) return false;
  const project = projectRow(state, job.project);
  const waiting = { work: jobWorkOf(job), isMap: job.isMap === true };
  // It leaves the state `locking` by its start, so it does not count against the cap of that state.
  if (!maySupply(state, waiting, { ...project, locking: project.locking - 1 })) return false;
  const ahead = nextLane(state);
  if (ahead !== undefined && compareTurns(ahead, project) < 0) return false;
  const worker = freeWorker(context, jobWorkOf(job));
  return worker !== undefined && startJob(context, job, worker);
}

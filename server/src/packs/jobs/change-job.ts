/**
 * The one way in which folds change a job. It derives every count from the old and the new row: of types, projects,
 * lanes, workers and classes. So no count can differ from the rows.
 */
import type { JobState } from "@holdfast/sdk/contract";
import type { StateReader, StateWriter } from "../../machine/state.ts";
import {
  jobTable,
  jobTotalsTable,
  jobTypeTable,
  jobWorkOf,
  laneOf,
  laneTable,
  projectTable,
  workerTable,
} from "./job-tables.ts";
import type { JobRow, JobTotalsRow, LaneRow, ProjectRow } from "./job-tables.ts";
import { projectRow } from "./project-row.ts";
import { putLane } from "./put-lane.ts";
import { putWorker } from "./put-worker.ts";
import { refreshLanes } from "./refresh-lanes.ts";
import { countOfClass } from "./count-of-class.ts";

const noTotals: JobTotalsRow = { key: "totals", v: 0, running: 0, ended: 0, classes: {} };
const noCounts = { waiting: 0, scheduled: 0, ready: 0, locking: 0, running: 0, failed: 0 };

export function jobTotals(state: StateReader): JobTotalsRow {
  return state.rows(jobTotalsTable).get("totals") ?? noTotals;
}

/** The virtual time and the order of the start of a job, from its event. */
interface StartTurn {
  readonly vt: number;
  readonly v: number;
  readonly order: number;
}

/** Puts a new or changed job, or removes one. */
export function changeJob(
  state: StateWriter,
  old: JobRow | undefined,
  next: JobRow | undefined,
  turn?: StartTurn,
): void {
  const jobs = state.rows(jobTable);
  if (next !== undefined) jobs.put(next);
  else if (old !== undefined) jobs.delete(old.id);
  const row = next ?? old;
  if (row === undefined) return;
  if (old?.state !== next?.state) countByState(state, row.type, old?.state, next?.state);
  countRunning(state, old, next, turn);
  countTurns(state, old, next, turn);
}

/** A type without jobs has no row. */
function countByState(state: StateWriter, type: string, from: JobState | undefined, to: JobState | undefined): void {
  const rows = state.rows(jobTypeTable);
  const counts = { ...(rows.get(type)?.counts ?? noCounts) };
  if (from !== undefined) counts[from] -= 1;
  if (to !== undefined) counts[to] += 1;
  const { waiting, scheduled, ready, locking, running, failed } = counts;
  if (waiting + scheduled + ready + locking + running + failed === 0) rows.delete(type);
  else rows.put({ type, counts });
}

function countRunning(
  state: StateWriter,
  old: JobRow | undefined,
  next: JobRow | undefined,
  turn: StartTurn | undefined,
): void {
  const [before, after] = [old?.attemptRow, next?.attemptRow];
  if (next !== undefined && before?.claim === after?.claim) return;
  const totals = jobTotals(state);
  let { running, classes } = totals;
  const ended = totals.ended + (next === undefined ? 1 : 0);
  if (before !== undefined) {
    running -= 1;
    classes = countClass(classes, before.jobClass, -1);
    changeWorker(state, before.worker, -1);
  }
  if (after !== undefined) {
    running += 1;
    classes = countClass(classes, after.jobClass, 1);
    changeWorker(state, after.worker, 1, turn?.order);
  }
  state.rows(jobTotalsTable).put({ ...totals, running, ended, classes, v: turn?.v ?? totals.v });
}

/** A class without running jobs has no count. */
function countClass(classes: JobTotalsRow["classes"], name: string, by: number): JobTotalsRow["classes"] {
  const count = countOfClass(classes, name) ?? 0;
  const { [name]: _count, ...others } = classes;
  return count + by === 0 ? others : { ...others, [name]: count + by };
}

function changeWorker(state: StateWriter, worker: string, by: number, last?: number): void {
  const row = state.rows(workerTable).get(worker) ?? { worker, works: [], slots: 0, running: 0, until: 0, last: 0 };
  putWorker(state, { ...row, running: row.running + by, last: last ?? row.last });
}

/** A project with its lanes: the changed job may move it in the order of turns, and may fill or empty one of its lanes. */
function countTurns(
  state: StateWriter,
  old: JobRow | undefined,
  next: JobRow | undefined,
  turn: StartTurn | undefined,
): void {
  const ready = changed(isReady, old, next);
  const lane = ready === 0 ? undefined : laneWith(state, isReady(next) ? next : old, ready);
  const project = (next ?? old)?.project ?? "";
  const before = projectRow(state, project);
  const after = countedProject(before, { old, next, turn, lanes: lane === undefined ? 0 : lanesBy(lane.ready, ready) });
  putProject(state, after);
  if (turn !== undefined) dropIdle(state, turn.v);
  if (lane !== undefined) putLane(state, lane, after);
  const others = after.lanes - (lane !== undefined && lane.ready > 0 ? 1 : 0);
  if (others > 0 && isMoved(before, after)) refreshLanes(state, after);
}

/** A lane with its first ready job is new. One without ready jobs has no row. */
function lanesBy(ready: number, by: number): number {
  return (ready > 0 ? 1 : 0) - (ready > by ? 1 : 0);
}

interface JobChange {
  readonly old: JobRow | undefined;
  readonly next: JobRow | undefined;
  readonly turn: StartTurn | undefined;
  readonly lanes: number;
}

function countedProject(before: ProjectRow, { old, next, turn, lanes }: JobChange): ProjectRow {
  return {
    project: before.project,
    vt: turn?.vt ?? before.vt,
    last: turn?.order ?? before.last,
    running: before.running + changed(isRunning, old, next),
    mapRunning: before.mapRunning + changed(isRunningMap, old, next),
    locking: before.locking + changed(isLocking, old, next),
    backlog: before.backlog + changed(isBacklog, old, next),
    lanes: before.lanes + lanes,
  };
}

type JobTest = (row: JobRow | undefined) => boolean;

const isReady = (row: JobRow | undefined): row is JobRow => row?.state === "ready";
const isRunning: JobTest = (row) => row?.state === "running";
const isRunningMap: JobTest = (row) => row?.state === "running" && row.isMap === true;
const isLocking: JobTest = (row) => row?.state === "locking";
const isBacklog: JobTest = (row) => row !== undefined && row.state !== "running" && row.state !== "failed";

function changed(is: JobTest, old: JobRow | undefined, next: JobRow | undefined): number {
  return (is(next) ? 1 : 0) - (is(old) ? 1 : 0);
}

/** The lane of a job with a changed number of ready jobs. */
function laneWith(state: StateReader, job: JobRow | undefined, by: number): LaneRow | undefined {
  if (job === undefined) return undefined;
  const { project, isMap = false } = job;
  const lane = laneOf(job);
  const row = state.rows(laneTable).get(lane);
  if (row !== undefined) return { ...row, ready: row.ready + by };
  return { lane, work: jobWorkOf(job), project, isMap, ready: by, vt: 0, last: 0, isOpen: false };
}

/** An idle project whose virtual time is not ahead is the same as an unknown one. */
function putProject(state: StateWriter, row: ProjectRow): void {
  const rows = state.rows(projectTable);
  if (row.running + row.backlog === 0 && row.vt <= jobTotals(state).v) rows.delete(row.project);
  else rows.put(row);
}

/** True if lanes of the project may have another turn, or may open or close. */
function isMoved(before: ProjectRow, after: ProjectRow): boolean {
  return (
    before.vt !== after.vt ||
    before.running !== after.running ||
    before.mapRunning !== after.mapRunning ||
    before.locking !== after.locking
  );
}

/** Removes two idle projects that the virtual time has passed. Each start adds at most one. */
function dropIdle(state: StateWriter, v: number): void {
  const rows = state.rows(projectTable);
  if ((rows.nextDue(v) ?? Infinity) > v) return;
  for (const { project, vt } of rows.scan("idle", { limit: 2 })) if (vt <= v) rows.delete(project);
}

/**
 * The one way in which folds change a job. It derives every count from the old and the new row: of types, projects,
 * lanes, workers and classes. So no count can differ from the rows.
 */
import type { JobState } from "@holdfast/sdk/contract";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader, StateWriter } from "../../machine/state.ts";
import { isPaused, lockingCap, mapCap, projectCap, typeKey } from "./job-settings-table.ts";
import {
  jobTable,
  jobTotalsTable,
  jobTypeTable,
  laneOf,
  laneTable,
  offerKey,
  offerTable,
  projectTable,
  workerTable,
} from "./job-tables.ts";
import type { JobRow, JobTotalsRow, JobTypeRow, LaneRow, ProjectRow, WorkerRow } from "./job-tables.ts";

const noTotals: JobTotalsRow = { key: "totals", v: 0, running: 0, classes: {} };
const noCounts = { waiting: 0, scheduled: 0, ready: 0, locking: 0, running: 0, failed: 0 };

export function jobTotals(state: StateReader): JobTotalsRow {
  return state.rows(jobTotalsTable).get("totals") ?? noTotals;
}

/** A project without a row has no jobs, and its virtual time is not ahead of the others. */
export function projectRow(state: StateReader, project: string): ProjectRow {
  const none = { project, vt: 0, last: 0, running: 0, mapRunning: 0, locking: 0, backlog: 0 };
  return state.rows(projectTable).get(project) ?? none;
}

function jobTypeRow(state: StateReader, type: string): JobTypeRow {
  return state.rows(jobTypeTable).get(type) ?? { type, counts: noCounts, openLanes: 0, freeOffers: 0 };
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
  countReady(state, old, next);
  countProject(state, row.project, old, next, turn);
}

function countByState(state: StateWriter, type: string, from: JobState | undefined, to: JobState | undefined): void {
  const row = jobTypeRow(state, type);
  const counts = { ...row.counts };
  if (from !== undefined) counts[from] -= 1;
  if (to !== undefined) counts[to] += 1;
  putType(state, { ...row, counts });
}

/** A type without jobs and offers has no row. */
function putType(state: StateWriter, row: JobTypeRow): void {
  const rows = state.rows(jobTypeTable);
  const { counts, freeOffers } = row;
  const total =
    counts.waiting + counts.scheduled + counts.ready + counts.locking + counts.running + counts.failed + freeOffers;
  if (total === 0 && row.openLanes === 0) rows.delete(row.type);
  else rows.put(row);
}

function countRunning(
  state: StateWriter,
  old: JobRow | undefined,
  next: JobRow | undefined,
  turn: StartTurn | undefined,
): void {
  const [before, after] = [old?.attemptRow, next?.attemptRow];
  if (before?.claim === after?.claim) return;
  const totals = jobTotals(state);
  const classes = { ...totals.classes };
  let { running } = totals;
  if (before !== undefined) {
    running -= 1;
    classes[before.jobClass] = (classes[before.jobClass] ?? 0) - 1;
    changeWorker(state, before.worker, -1);
  }
  if (after !== undefined) {
    running += 1;
    classes[after.jobClass] = (classes[after.jobClass] ?? 0) + 1;
    changeWorker(state, after.worker, 1, turn?.order);
  }
  const used = Object.fromEntries(Object.entries(classes).filter(([, count]) => count > 0));
  state.rows(jobTotalsTable).put({ ...totals, running, classes: used, v: turn?.v ?? totals.v });
}

function changeWorker(state: StateWriter, worker: string, by: number, last?: number): void {
  const row = state.rows(workerTable).get(worker) ?? { worker, types: [], slots: 0, running: 0, until: 0, last: 0 };
  putWorker(state, { ...row, running: row.running + by, last: last ?? row.last });
}

/** Puts a worker and its offers. A worker without offers and jobs has no row. */
export function putWorker(state: StateWriter, row: WorkerRow): void {
  const rows = state.rows(workerTable);
  const before = rows.get(row.worker)?.types ?? [];
  if (row.types.length === 0 && row.running === 0) rows.delete(row.worker);
  else rows.put(row);
  for (const type of before) if (!row.types.includes(type)) putOffer(state, row, type, undefined);
  for (const type of row.types) putOffer(state, row, type, row.running < row.slots);
}

/** `isFree` is undefined if the worker does not offer the type. */
function putOffer(state: StateWriter, { worker, last }: WorkerRow, type: string, isFree: boolean | undefined): void {
  const rows = state.rows(offerTable);
  const old = rows.get(offerKey(worker, type));
  if (isFree === undefined) rows.delete(offerKey(worker, type));
  else if (old?.isFree !== isFree || old.last !== last) rows.put({ worker, type, last, isFree });
  const by = (isFree === true ? 1 : 0) - (old?.isFree === true ? 1 : 0);
  if (by === 0) return;
  const row = jobTypeRow(state, type);
  putType(state, { ...row, freeOffers: row.freeOffers + by });
}

function countReady(state: StateWriter, old: JobRow | undefined, next: JobRow | undefined): void {
  const before = old?.state === "ready" ? laneOf(old) : undefined;
  const after = next?.state === "ready" ? laneOf(next) : undefined;
  if (before === after) return;
  if (old !== undefined && before !== undefined) countLane(state, old, -1);
  if (next !== undefined && after !== undefined) countLane(state, next, 1);
}

function countLane(state: StateWriter, { type, project, isMap }: JobRow, by: number): void {
  const { vt, last } = projectRow(state, project);
  const lane = laneOf({ type, project, ...(isMap === true ? { isMap } : {}) });
  const none = { lane, type, project, isMap: isMap === true, ready: 0, vt, last, isOpen: false };
  const row = state.rows(laneTable).get(lane) ?? none;
  putLane(state, { ...row, ready: row.ready + by });
}

/** Puts a lane with its state of the moment. An empty lane has no row. */
function putLane(state: StateWriter, lane: LaneRow): void {
  const rows = state.rows(laneTable);
  const old = rows.get(lane.lane);
  const isOpen = lane.ready > 0 && maySupply(state, lane);
  if (lane.ready === 0) rows.delete(lane.lane);
  else rows.put({ ...lane, isOpen });
  const by = (isOpen ? 1 : 0) - (old?.isOpen === true ? 1 : 0);
  if (by === 0) return;
  const row = jobTypeRow(state, lane.type);
  putType(state, { ...row, openLanes: row.openLanes + by });
}

/** True if the caps allow a job of the lane to start. The dispatcher checks the same. */
export function maySupply(
  state: StateReader,
  { type, project, isMap }: Pick<LaneRow, "type" | "project" | "isMap">,
  without: Partial<ProjectRow> = {},
): boolean {
  if (isPaused(state, typeKey(type))) return false;
  const row = { ...projectRow(state, project), ...without };
  if (row.running >= projectCap(state, project) || row.locking >= lockingCap(state, project)) return false;
  return !isMap || row.mapRunning < mapCap(state, project);
}

const isBacklog = (state: JobState | undefined): boolean =>
  state !== undefined && state !== "running" && state !== "failed";

function countProject(
  state: StateWriter,
  project: string,
  old: JobRow | undefined,
  next: JobRow | undefined,
  turn: StartTurn | undefined,
): void {
  const change = (is: (row: JobRow) => boolean): number =>
    (next !== undefined && is(next) ? 1 : 0) - (old !== undefined && is(old) ? 1 : 0);
  const row = projectRow(state, project);
  const changed: ProjectRow = {
    project,
    vt: turn?.vt ?? row.vt,
    last: turn?.order ?? row.last,
    running: row.running + change((job) => job.state === "running"),
    mapRunning: row.mapRunning + change((job) => job.state === "running" && job.isMap === true),
    locking: row.locking + change((job) => job.state === "locking"),
    backlog: row.backlog + change((job) => isBacklog(job.state)),
  };
  const rows = state.rows(projectTable);
  // An idle project whose virtual time is not ahead is the same as an unknown one.
  if (changed.running + changed.backlog === 0 && changed.vt <= jobTotals(state).v) rows.delete(project);
  else rows.put(changed);
  if (turn !== undefined) dropIdle(state, turn.v);
  const isSame =
    row.vt === changed.vt &&
    row.running === changed.running &&
    row.mapRunning === changed.mapRunning &&
    row.locking === changed.locking;
  if (!isSame) refreshLanes(state, project);
}

/** Removes two idle projects that the virtual time has passed. Each start adds at most one. */
function dropIdle(state: StateWriter, v: number): void {
  const rows = state.rows(projectTable);
  for (const { project, vt } of rows.scan("idle", { limit: 2 })) if (vt <= v) rows.delete(project);
}

/** Compares the lanes of a project with its caps and its virtual time. */
export function refreshLanes(state: StateWriter, project: string): void {
  const { vt, last } = projectRow(state, project);
  for (const lane of state.rows(laneTable).scan("project", { prefix: `${project}${gap}`, limit: Infinity })) {
    const isOpen = lane.ready > 0 && maySupply(state, lane);
    if (lane.vt !== vt || lane.last !== last || lane.isOpen !== isOpen) putLane(state, { ...lane, vt, last });
  }
}

/**
 * The tables of jobs. A slot is a row: running jobs are counted in the fold of their events, and nothing else counts
 * them. So no failure can leak or double a slot. Rows of other tables are derived from the rows of jobs by `changeJob`.
 */
import type { JobEnd, JobState } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { bytesOfTexts } from "../../features/bytes-of-texts.ts";
import { gap, sortable } from "../../features/locks/tables/lock-tables.ts";
import type { PathLock } from "../../features/locks/tables/lock-tables.ts";
import type { TableSpec } from "../../machine/table.ts";

export interface JobRow {
  readonly id: string;
  /** The order of submission, over all jobs. */
  readonly seq: number;
  readonly type: string;
  readonly project: string;
  /** The storage root that its worker must have. */
  readonly root?: string;
  readonly priority: number;
  readonly state: JobState;
  readonly payload: Json;
  readonly submittedAt: number;
  /** The time at which it became ready. Missing if it was ready when it was submitted. */
  readonly readyAt?: number;
  /** Number of attempts that count: lost and returned ones do not. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly cost: number;
  readonly isMap?: true;
  readonly locks?: readonly PathLock[];
  readonly timeoutMs?: number;
  /** Approximate bytes of payload and checkpoint. */
  readonly size: number;
  /** The time at which it becomes ready, or at which a failed job is dropped. */
  readonly at?: number;
  /** Number of jobs that must be completed before. */
  readonly left?: number;
  readonly unique?: string;
  /** The key is free again when the job starts. */
  readonly uniqueUntilStart?: true;
  readonly crashes?: number;
  /** Number of tries to lock its paths that ended without a wait in the queue. */
  readonly lockTries?: number;
  /** The ticket of its locks, while it is locking. */
  readonly ticket?: string;
  readonly attemptRow?: AttemptRow;
  /** The fence of its locks. After a lost attempt it is that of the stale grant. */
  readonly fence?: string;
  readonly checkpoint?: Json;
  readonly error?: JsonObject;
}

/** The attempt of a running job. */
export interface AttemptRow {
  readonly worker: string;
  readonly claim: string;
  readonly jobClass: string;
  readonly startedAt: number;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  /** The time of its deadline, or of its end after a signal. */
  readonly endAt?: number;
  /** Why the worker must end the attempt. */
  readonly cancel?: string;
  readonly percent?: number;
  readonly message?: string;
  /** The time up to which the recorded reports of progress use up the pace. */
  readonly pacedUntil?: number;
}

/** The kind of work that a worker offers: a type, or a type at a root. */
export function jobWorkOf({ type, root }: Pick<JobRow, "type" | "root">): string {
  return root === undefined ? type : `${type}@${root}`;
}

/** The type of a kind of work. No type contains the sign before a root. */
export function workType(work: string): string {
  const end = work.indexOf("@");
  return end < 0 ? work : work.slice(0, end);
}

/** The ready jobs of one kind of work and one project, map jobs apart. */
export function laneOf(job: Pick<JobRow, "type" | "root" | "project" | "isMap">): string {
  return laneKey({ work: jobWorkOf(job), project: job.project, isMap: job.isMap === true });
}

export function laneKey({ work, project, isMap }: Pick<LaneRow, "work" | "project" | "isMap">): string {
  return `${work}${gap}${project}${gap}${isMap ? "m" : "p"}`;
}

/** The sort key of the jobs in a state, by type and age. It is the cursor of a list. */
export function stateKey({ state, type, seq }: Pick<JobRow, "state" | "type" | "seq">): string {
  return `${state}${gap}${type}${gap}${sortable(seq)}`;
}

const priorityMax = 100;
const timeKey = (time: number | undefined): string | undefined => (time === undefined ? undefined : sortable(time));

/** Bytes of a job without its payload: the row, its id and its index entries. */
const jobOverhead = 600;

/** The time at which a timer acts on a running attempt: the end of its lease, or its deadline. */
export function attemptDueAt({ attemptRow }: JobRow): number | undefined {
  return attemptRow === undefined ? undefined : Math.min(attemptRow.leaseUntil, attemptRow.endAt ?? Infinity);
}

/** The time since which a ready job waits for its start. */
export function readySince({ readyAt, submittedAt }: JobRow): number {
  return readyAt ?? submittedAt;
}

export const jobTable: TableSpec<JobRow, "ready" | "since" | "due" | "dead" | "attempt" | "worker" | "state"> = {
  name: "jobs",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: {
    ready: (row) =>
      row.state === "ready"
        ? `${laneOf(row)}${gap}${sortable(priorityMax - row.priority)}${sortable(row.seq)}`
        : undefined,
    since: (row) => (row.state === "ready" ? `${row.type}${gap}${sortable(readySince(row))}` : undefined),
    due: (row) => (row.state === "scheduled" ? timeKey(row.at) : undefined),
    dead: (row) => (row.state === "failed" ? timeKey(row.at) : undefined),
    attempt: (row) => timeKey(attemptDueAt(row)),
    worker: (row) => (row.attemptRow === undefined ? undefined : `${row.attemptRow.worker}${gap}`),
    state: stateKey,
  },
  due: { sort: "attempt", at: attemptDueAt },
  bytes: (row) => jobOverhead + row.size + 200 * (row.locks?.length ?? 0),
};

/** An open lane has a job that the caps of its project allow to start. */
export interface LaneRow {
  readonly lane: string;
  readonly work: string;
  readonly project: string;
  readonly isMap: boolean;
  readonly ready: number;
  /** Copies of the project's virtual time and last start, which order the lanes of a kind of work. */
  readonly vt: number;
  readonly last: number;
  readonly isOpen: boolean;
}

export const laneTable: TableSpec<LaneRow, "turn" | "project" | "lane"> = {
  name: "job-lanes",
  boundedBy: "quota",
  key: (row) => row.lane,
  sorts: {
    turn: (row) =>
      row.isOpen ? `${row.work}${gap}${sortable(row.vt)}${sortable(row.last)}${gap}${row.project}` : undefined,
    project: (row) => `${row.project}${gap}`,
    lane: (row) => row.lane,
  },
};

/** A project with jobs, or with a virtual time ahead of the others. */
export interface ProjectRow {
  readonly project: string;
  /** Its virtual time: the start of its next job, in millionths of a job of weight 1. */
  readonly vt: number;
  /** The order of its last start. Of projects with equal virtual times the one that waited longer is next. */
  readonly last: number;
  readonly running: number;
  readonly mapRunning: number;
  readonly locking: number;
  /** Jobs that have not started. */
  readonly backlog: number;
  /** Number of its lanes. Most projects have one, and need no scan for others. */
  readonly lanes: number;
}

/** The virtual time after which an idle project is forgotten. */
function idleUntil({ running, backlog, vt }: ProjectRow): number | undefined {
  return running + backlog === 0 ? vt : undefined;
}

export const projectTable: TableSpec<ProjectRow, "idle"> = {
  name: "job-projects",
  boundedBy: "quota",
  key: (row) => row.project,
  sorts: { idle: (row) => timeKey(idleUntil(row)) },
  due: { sort: "idle", at: idleUntil },
};

/** A type with jobs. */
export interface JobTypeRow {
  readonly type: string;
  readonly counts: Readonly<Record<JobState, number>>;
}

export const jobTypeTable: TableSpec<JobTypeRow, "type"> = {
  name: "job-types",
  boundedBy: "quota",
  key: (row) => row.type,
  sorts: { type: (row) => row.type },
};

/** A kind of work with open lanes or free offers. */
export interface WorkRow {
  readonly work: string;
  readonly openLanes: number;
  /** Number of workers with a free slot for it. */
  readonly freeOffers: number;
}

export const workTable: TableSpec<WorkRow, "startable"> = {
  name: "job-works",
  boundedBy: "quota",
  key: (row) => row.work,
  sorts: { startable: (row) => (row.openLanes > 0 && row.freeOffers > 0 ? row.work : undefined) },
};

/** A worker with an offer, or with running jobs after its offer ended. */
export interface WorkerRow {
  readonly worker: string;
  /** The kinds of work that it offers. */
  readonly works: readonly string[];
  readonly slots: number;
  readonly running: number;
  readonly until: number;
  /** The order of the last job that it got. The worker served least recently is next. */
  readonly last: number;
}

export const workerTable: TableSpec<WorkerRow, "until" | "worker"> = {
  name: "job-workers",
  boundedBy: "quota",
  key: (row) => row.worker,
  sorts: { until: (row) => (row.works.length === 0 ? undefined : sortable(row.until)), worker: (row) => row.worker },
};

/** A kind of work that a worker offers. */
interface OfferRow {
  readonly key: string;
  readonly worker: string;
  readonly work: string;
  readonly last: number;
  readonly isFree: boolean;
}

export function offerKey(worker: string, work: string): string {
  return `${worker}${gap}${work}`;
}

export const offerTable: TableSpec<OfferRow, "free"> = {
  name: "job-offers",
  boundedBy: "quota",
  key: (row) => row.key,
  sorts: { free: (row) => (row.isFree ? `${row.work}${gap}${sortable(row.last)}` : undefined) },
};

/** The numbers of the dispatcher. */
export interface JobTotalsRow {
  readonly key: "totals";
  /** The virtual time of the last start. */
  readonly v: number;
  readonly running: number;
  /** Number of jobs that ended so far. It gives each its place in the ring. */
  readonly ended: number;
  readonly classes: Readonly<Record<string, number>>;
  /** Position of the entry that left jobs to start to the next one. */
  readonly left?: number;
  /** The lane after which lanes must be compared with changed caps. */
  readonly recheckAfter?: string;
  /** Position of the entry that left lanes to compare. */
  readonly recheckAt?: number;
}

export const jobTotalsTable: TableSpec<JobTotalsRow, never> = {
  name: "job-totals",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

/** The job of a unique key. */
interface UniqueRow {
  readonly key: string;
  readonly id: string;
  /** The key is free at this time, if it does not follow the job. */
  readonly until?: number;
}

export function uniqueKey(type: string, key: string): string {
  return `${type}${gap}${key}`;
}

export const uniqueTable: TableSpec<UniqueRow, "until"> = {
  name: "job-keys",
  boundedBy: "quota",
  key: (row) => row.key,
  sorts: { until: (row) => timeKey(row.until) },
  bytes: (row) => 200 + bytesOfTexts(row.key),
};

/** A job that waits for the completion of another. */
interface EdgeRow {
  readonly on: string;
  readonly job: string;
}

export const edgeTable: TableSpec<EdgeRow, "on" | "job"> = {
  name: "job-edges",
  boundedBy: "quota",
  key: (row) => `${row.on}${gap}${row.job}`,
  sorts: { on: (row) => `${row.on}${gap}`, job: (row) => `${row.job}${gap}` },
};

/** A job that ended. Its result is in the entry of its end. */
export interface EndedJobRow {
  readonly id: string;
  readonly type: string;
  readonly project: string;
  readonly state: JobEnd;
  readonly attempt: number;
  readonly endedAt: number;
  readonly position: number;
}

export const endedJobTable: TableSpec<EndedJobRow, never> = {
  name: "job-ends",
  boundedBy: "one",
  key: (row) => row.id,
  sorts: {},
};

/** A place in the ring of ended jobs. The next job at a place replaces it, so the ring needs no order. */
interface EndPlaceRow {
  readonly place: string;
  readonly id: string;
}

export const endPlaceTable: TableSpec<EndPlaceRow, never> = {
  name: "job-end-places",
  boundedBy: "one",
  key: (row) => row.place,
  sorts: {},
};

/** The place of a job in the ring, by the number of jobs that ended before it. */
export function endPlace(number: number): string {
  return String(number % jobLimits.endedMax);
}

export const jobLimits = {
  /** Interval between two recorded reports of progress of an attempt. */
  progressEveryMs: 100,
  /** Maximum time by which recorded reports may be ahead of that interval: 20 reports at once. */
  progressAheadMs: 1_900,
  payloadBytesMax: 256 * 1024,
  resultBytesMax: 64 * 1024,
  /** Maximum bytes of the jobs with their payloads in a reply, and of a page of a list. */
  replyBytesMax: 1024 * 1024,
  /** Maximum ended jobs that are kept for reads. */
  endedMax: 10_000,
  /** Maximum jobs that wait for one job. Its completion makes all of them ready in one entry. */
  dependentsMax: 1_000,
  /** Maximum jobs of one request by type, and of one timer. */
  selectedMax: 1_000,
  readiedMax: 500,
  /** Maximum rows that a page of a list or a selection examines. */
  examinedMax: 10_000,
  /** Maximum lanes that one entry compares with changed caps. */
  recheckedMax: 200,
  /** Time without a heartbeat after which an offer ends: two heartbeats may get lost. */
  offerMs: 25_000,
  /** Time that a worker has to end an attempt after a signal. */
  endMs: 30_000,
  /** Maximum losses of a worker after which a job fails. */
  crashesMax: 3,
  /** Time that a failed job is kept. */
  failedMs: 30 * 24 * 60 * 60 * 1000,
  /** Maximum failed jobs. The oldest is dropped first. */
  failedMax: 100_000,
} as const;

/** The path of the jobs of a type, for rights. */
export function jobPath(type: string): string {
  return `job/${type}`;
}

export function jobSubject(id: string): string {
  return `job/${id}`;
}

/** The name of the owner of a job's locks. No caller can be this owner. */
export function jobOwner(id: string): string {
  return `holdfast:job:${id}`;
}

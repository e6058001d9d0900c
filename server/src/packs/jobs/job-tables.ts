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
  readonly priority: number;
  readonly state: JobState;
  readonly payload: Json;
  readonly submittedAt: number;
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
}

/** The ready jobs of one type and project, map jobs apart. */
export function laneOf({ type, project, isMap }: Pick<JobRow, "type" | "project" | "isMap">): string {
  return `${type}${gap}${project}${gap}${isMap === true ? "m" : "p"}`;
}

/** The sort key of the jobs in a state, by type and age. It is the cursor of a list. */
export function stateKey({ state, type, seq }: Pick<JobRow, "state" | "type" | "seq">): string {
  return `${state}${gap}${type}${gap}${sortable(seq)}`;
}

const priorityMax = 100;
const timeKey = (time: number | undefined): string | undefined => (time === undefined ? undefined : sortable(time));

/** Bytes of a job without its payload: the row, its id and its index entries. */
const jobOverhead = 600;

export const jobTable: TableSpec<JobRow, "ready" | "due" | "dead" | "lease" | "end" | "worker" | "state"> = {
  name: "jobs",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: {
    ready: (row) =>
      row.state === "ready"
        ? `${laneOf(row)}${gap}${sortable(priorityMax - row.priority)}${sortable(row.seq)}`
        : undefined,
    due: (row) => (row.state === "scheduled" ? timeKey(row.at) : undefined),
    dead: (row) => (row.state === "failed" ? timeKey(row.at) : undefined),
    lease: (row) => timeKey(row.attemptRow?.leaseUntil),
    end: (row) => timeKey(row.attemptRow?.endAt),
    worker: (row) => (row.attemptRow === undefined ? undefined : `${row.attemptRow.worker}${gap}`),
    state: stateKey,
  },
  bytes: (row) => jobOverhead + row.size + 200 * (row.locks?.length ?? 0),
};

/** An open lane has a job that the caps of its project allow to start. */
export interface LaneRow {
  readonly lane: string;
  readonly type: string;
  readonly project: string;
  readonly isMap: boolean;
  readonly ready: number;
  /** Copies of the project's virtual time and last start, which order the lanes of a type. */
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
      row.isOpen ? `${row.type}${gap}${sortable(row.vt)}${sortable(row.last)}${gap}${row.project}` : undefined,
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
}

export const projectTable: TableSpec<ProjectRow, "idle"> = {
  name: "job-projects",
  boundedBy: "quota",
  key: (row) => row.project,
  sorts: { idle: (row) => (row.running + row.backlog === 0 ? sortable(row.vt) : undefined) },
};

/** A type with jobs or offers. */
export interface JobTypeRow {
  readonly type: string;
  readonly counts: Readonly<Record<JobState, number>>;
  readonly openLanes: number;
  /** Number of workers with a free slot for it. */
  readonly freeOffers: number;
}

export const jobTypeTable: TableSpec<JobTypeRow, "startable" | "type"> = {
  name: "job-types",
  boundedBy: "quota",
  key: (row) => row.type,
  sorts: {
    startable: (row) => (row.openLanes > 0 && row.freeOffers > 0 ? row.type : undefined),
    type: (row) => row.type,
  },
};

/** A worker with an offer, or with running jobs after its offer ended. */
export interface WorkerRow {
  readonly worker: string;
  readonly types: readonly string[];
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
  sorts: { until: (row) => (row.types.length === 0 ? undefined : sortable(row.until)), worker: (row) => row.worker },
};

/** A type that a worker offers. */
interface OfferRow {
  readonly worker: string;
  readonly type: string;
  readonly last: number;
  readonly isFree: boolean;
}

export function offerKey(worker: string, type: string): string {
  return `${worker}${gap}${type}`;
}

export const offerTable: TableSpec<OfferRow, "free"> = {
  name: "job-offers",
  boundedBy: "quota",
  key: (row) => offerKey(row.worker, row.type),
  sorts: { free: (row) => (row.isFree ? `${row.type}${gap}${sortable(row.last)}` : undefined) },
};

/** The numbers of the dispatcher. */
export interface JobTotalsRow {
  readonly key: "totals";
  /** The virtual time of the last start. */
  readonly v: number;
  readonly running: number;
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
  readonly order: number;
}

export const endedJobTable: TableSpec<EndedJobRow, "order"> = {
  name: "job-ends",
  boundedBy: "one",
  key: (row) => row.id,
  sorts: { order: (row) => sortable(row.order) },
};

export const jobLimits = {
  payloadBytesMax: 256 * 1024,
  resultBytesMax: 64 * 1024,
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
  /** Time until the next try to lock the paths of a job that cannot wait in the queue. */
  lockTryMs: 2_000,
  lockTriesMax: 5,
} as const;

export function jobSubject(id: string): string {
  return `job/${id}`;
}

/** The name of the owner of a job's locks. No caller can be this owner. */
export function jobOwner(id: string): string {
  return `holdfast:job:${id}`;
}

/** The folds of events about jobs. Each makes the next row of a job; `changeJob` derives the rest from it. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JobEnd, JobState } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { PathLock } from "../../features/locks/tables/lock-tables.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { Event } from "../../machine/entry.ts";
import type { Fold, FoldedEntry } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { changeJob } from "./change-job.ts";
import { edgeTable, endedJobTable, jobLimits, jobTable, uniqueTable } from "./job-tables.ts";
import type { AttemptRow, JobRow } from "./job-tables.ts";

const idOf = (subject: string): string => subject.slice("job/".length);

function existing(state: StateWriter, { type, subject }: Event, { position }: FoldedEntry): JobRow {
  const row = state.rows(jobTable).get(idOf(subject));
  if (row === undefined) throw new Error(`entry ${position}: ${type} of ${subject}, which is not a job`);
  return row;
}

/** Bytes of a value in the row of a job. */
function valueBytes(...values: readonly (Json | undefined)[]): number {
  return values.reduce<number>((sum, value) => sum + (value === undefined ? 0 : JSON.stringify(value).length), 0);
}

/** The members of a new job, as its event carries them. */
interface SubmittedData {
  readonly type: string;
  readonly project: string;
  readonly priority: number;
  readonly state: JobState;
  readonly seq: number;
  readonly payload: Json;
  readonly max_attempts: number;
  readonly cost: number;
  readonly is_map?: true;
  readonly locks?: readonly PathLock[];
  readonly timeout_ms?: number;
  readonly at?: number;
  readonly after?: readonly string[];
  readonly unique?: { readonly key: string; readonly until: "started" | "finished" | number };
}

const submitted: Fold = (state, { subject, data }, { time }) => {
  const from = data as unknown as SubmittedData;
  const id = idOf(subject);
  const { unique, after = [] } = from;
  const row: JobRow = {
    id,
    seq: from.seq,
    type: from.type,
    project: from.project,
    priority: from.priority,
    state: from.state,
    payload: from.payload,
    submittedAt: time,
    attempt: 0,
    maxAttempts: from.max_attempts,
    cost: from.cost,
    size: valueBytes(from.payload),
    ...defined({
      isMap: from.is_map,
      locks: from.locks,
      timeoutMs: from.timeout_ms,
      at: from.at,
      left: after.length === 0 ? undefined : after.length,
      unique: unique?.key,
      uniqueUntilStart: unique?.until === "started" ? (true as const) : undefined,
    }),
  };
  changeJob(state, undefined, row);
  for (const on of after) state.rows(edgeTable).put({ on, job: id });
  if (unique === undefined) return;
  const until = typeof unique.until === "number" ? { until: unique.until } : {};
  state.rows(uniqueTable).put({ key: unique.key, id, ...until });
};

/** Changes a job by its event. */
const changing =
  (next: (row: JobRow, data: JsonObject, time: number) => JobRow): Fold =>
  (state, event, entry) => {
    const row = existing(state, event, entry);
    changeJob(state, row, next(row, event.data, entry.time));
  };

/** A row that waits: without the members of a time, a ticket or an attempt. */
function waitingRow(row: JobRow): Omit<JobRow, "state"> {
  const { at: _at, ticket: _ticket, attemptRow: _attempt, state: _state, ...rest } = row;
  return rest;
}

function backAt(row: JobRow, nextAt: unknown, more: Partial<JobRow> = {}): JobRow {
  const rest = { ...waitingRow(row), ...more };
  return nextAt === undefined ? { ...rest, state: "ready" } : { ...rest, state: "scheduled", at: nextAt as number };
}

function withoutFence(row: JobRow): JobRow {
  const { fence: _fence, ...rest } = row;
  return rest;
}

const started: Fold = (state, event, entry) => {
  const row = existing(state, event, entry);
  const data = event.data as unknown as StartedData;
  const { lockTries: _tries, ...rest } = withoutFence({ ...waitingRow(row), state: "running" });
  const attemptRow: AttemptRow = {
    worker: data.worker,
    claim: data.claim,
    jobClass: data.class,
    startedAt: entry.time,
    leaseMs: data.lease_ms,
    leaseUntil: entry.time + data.lease_ms,
    ...defined({ endAt: data.end_at }),
  };
  const next: JobRow = { ...rest, attempt: data.attempt, attemptRow };
  changeJob(state, row, data.fence === undefined ? next : { ...next, fence: data.fence }, data);
  if (row.uniqueUntilStart === true) freeUnique(state, row);
};

interface StartedData {
  readonly worker: string;
  readonly claim: string;
  readonly attempt: number;
  readonly class: string;
  readonly lease_ms: number;
  readonly fence?: string;
  readonly end_at?: number;
  readonly vt: number;
  readonly v: number;
  readonly order: number;
}

/** A key with a time of its own stays until then. */
function freeUnique(state: StateWriter, { unique, id }: JobRow): void {
  if (unique === undefined) return;
  const row = state.rows(uniqueTable).get(unique);
  if (row?.id === id && row.until === undefined) state.rows(uniqueTable).delete(unique);
}

/** The attempt with changed members. A job that does not run has none. */
function withAttempt(row: JobRow, change: Partial<AttemptRow>): JobRow {
  return row.attemptRow === undefined ? row : { ...row, attemptRow: { ...row.attemptRow, ...change } };
}

const progressed = changing((row, data, time) => {
  const { percent, message, checkpoint } = data as { percent?: number; message?: string; checkpoint?: Json };
  const { leaseMs = 0 } = row.attemptRow ?? {};
  const changed = withAttempt(row, defined({ leaseUntil: time + leaseMs, percent, message }));
  return checkpoint === undefined ? changed : { ...changed, checkpoint, size: valueBytes(row.payload, checkpoint) };
});

const failed: Fold = (state, event, entry) => {
  const row = existing(state, event, entry);
  const { error, attempt, drop_at: at } = event.data as { error: JsonObject; attempt: number; drop_at: number };
  const { left: _left, ...rest } = waitingRow(row);
  changeJob(state, row, { ...rest, state: "failed", error, attempt, at });
  dropEdgesOf(state, row.id);
  freeUnique(state, row);
};

function dropEdgesOf(state: StateWriter, id: string): void {
  const edges = state.rows(edgeTable);
  for (const { on, job } of edges.scan("job", { prefix: `${id}${gap}`, limit: Infinity }))
    edges.delete(`${on}${gap}${job}`);
}

/** The job leaves the state. Its end stays in a ring for reads. */
const ended =
  (end: JobEnd): Fold =>
  (state, event, entry) => {
    const row = existing(state, event, entry);
    changeJob(state, row, undefined);
    dropEdgesOf(state, row.id);
    freeUnique(state, row);
    const edges = state.rows(edgeTable);
    for (const { on, job } of edges.scan("on", { prefix: `${row.id}${gap}`, limit: Infinity })) {
      edges.delete(`${on}${gap}${job}`);
      const dependent = state.rows(jobTable).get(job);
      if (dependent !== undefined) changeJob(state, dependent, { ...dependent, left: (dependent.left ?? 1) - 1 });
    }
    const { id, type, project, attempt } = row;
    const ends = state.rows(endedJobTable);
    const order = entry.position * 32_768 + (ends.size % 32_768);
    ends.put({ id, type, project, state: end, attempt, endedAt: entry.time, position: entry.position, order });
    if (ends.size <= jobLimits.endedMax) return;
    for (const oldest of ends.scan("order", { limit: 1 })) ends.delete(oldest.id);
  };

export const jobFolds: Readonly<Record<string, Fold>> = {
  "jobs.submitted": submitted,
  "jobs.replaced": changing((row, data) => {
    const { payload, state: to, at } = data as { payload: Json; state: JobState; at?: number };
    const size = valueBytes(payload, row.checkpoint);
    if (to === "locking") return { ...row, payload, size };
    const rest = { ...waitingRow(row), state: to, payload, size };
    return at === undefined ? rest : { ...rest, at };
  }),
  "jobs.readied": changing((row, data) => {
    const isRetried = data["why"] === "retried";
    const { left: _left, ...rest } = isRetried ? withoutCounts(row) : row;
    return backAt(rest, data["next_at"]);
  }),
  "jobs.blocked": changing((row, { ticket }) => ({
    ...waitingRow(row),
    state: "locking",
    ticket: ticket as string,
  })),
  "jobs.started": started,
  "jobs.progressed": progressed,
  "jobs.released": changing((row, data) => backAt(row, data["next_at"], { attempt: row.attempt - 1 })),
  "jobs.delayed": changing((row, data) => backAt(row, data["next_at"], { lockTries: data["tries"] as number })),
  "jobs.attempt_failed": changing((row, data) => {
    const { lockTries: _tries, ...rest } = row;
    return backAt(rest, data["next_at"], { error: data["error"] as JsonObject, attempt: data["attempt"] as number });
  }),
  "jobs.lost": changing((row, data) =>
    backAt(row, data["next_at"], { crashes: data["crashes"] as number, attempt: data["attempt"] as number }),
  ),
  "jobs.locked": changing((row, { fence, is_map: isMap }) => ({
    ...row,
    fence: fence as string,
    ...(isMap === true ? { isMap } : {}),
  })),
  "jobs.unlocked": changing((row, { fence }) => (fence === null ? withoutFence(row) : row)),
  "jobs.completed": ended("completed"),
  "jobs.cancelled": ended("cancelled"),
  "jobs.discarded": ended("discarded"),
  "jobs.failed": failed,
  "jobs.cancel_requested": changing((row, data) =>
    withAttempt(row, { cancel: data["why"] as string, endAt: data["end_at"] as number }),
  ),
  "jobs.changed": changing((row, data) => {
    const { priority = row.priority, max_attempts: maxAttempts = row.maxAttempts } = data as ChangedData;
    const changed = { ...row, priority, maxAttempts };
    if (!("at" in data)) return changed;
    const { state: to, at } = data as ChangedData;
    const rest = { ...waitingRow(changed), state: to ?? row.state };
    return at === undefined || at === null ? rest : { ...rest, at };
  }),
};

interface ChangedData {
  readonly priority?: number;
  readonly max_attempts?: number;
  readonly at?: number | null;
  readonly state?: JobState;
}

/** A retry by hand counts attempts and losses from zero. */
function withoutCounts(row: JobRow): JobRow {
  const { crashes: _crashes, lockTries: _tries, error: _error, ...rest } = row;
  return { ...rest, attempt: 0 };
}

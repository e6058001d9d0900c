/** The folds of events about jobs. Each makes the next row of a job; `changeJob` derives the rest from it. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JobEnd, JobState } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { PathLock } from "../../features/locks/tables/lock-tables.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { Event } from "../../machine/entry.ts";
import type { Fold, FoldedEntry } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { changeJob, jobTotals } from "./change-job.ts";
import { edgeTable, endedJobTable, endPlace, endPlaceTable, jobTable, uniqueTable } from "./job-tables.ts";
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

/** A row while a fold makes it. */
type JobDraft = { -readonly [Name in keyof JobRow]: JobRow[Name] };

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
  readonly root?: string;
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
  const row: JobDraft = {
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
  };
  if (from.root !== undefined) row.root = from.root;
  if (from.is_map !== undefined) row.isMap = from.is_map;
  if (from.locks !== undefined) row.locks = from.locks;
  if (from.timeout_ms !== undefined) row.timeoutMs = from.timeout_ms;
  if (from.at !== undefined) row.at = from.at;
  if (after.length > 0) row.left = after.length;
  if (unique !== undefined) row.unique = unique.key;
  if (unique?.until === "started") row.uniqueUntilStart = true;
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
    changeJob(state, row, readied(row, next(row, event.data, entry.time), entry));
  };

/** A job that returns from the queue of its locks has been ready all the time. */
function readied(row: JobRow, next: JobRow, { time }: FoldedEntry): JobRow {
  const isReadied = next.state === "ready" && row.state !== "ready" && row.state !== "locking";
  return isReadied ? { ...next, readyAt: time } : next;
}

/** A copy of a row in another state, without the members of a time, a ticket or an attempt. */
function inState(row: JobRow, state: JobState): JobDraft {
  const copy: JobDraft = {
    id: row.id,
    seq: row.seq,
    type: row.type,
    project: row.project,
    priority: row.priority,
    state,
    payload: row.payload,
    submittedAt: row.submittedAt,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    cost: row.cost,
    size: row.size,
  };
  copyTerms(row, copy);
  if (row.readyAt !== undefined && (state === "ready" || state === "locking")) copy.readyAt = row.readyAt;
  if (row.crashes !== undefined) copy.crashes = row.crashes;
  if (row.lockTries !== undefined) copy.lockTries = row.lockTries;
  if (row.fence !== undefined) copy.fence = row.fence;
  if (row.checkpoint !== undefined) copy.checkpoint = row.checkpoint;
  if (row.error !== undefined) copy.error = row.error;
  return copy;
}

/** A row has no undefined members. Each start copies one, and a loop over names takes several times as long. */
function copyTerms(row: JobRow, copy: JobDraft): void {
  if (row.root !== undefined) copy.root = row.root;
  if (row.isMap !== undefined) copy.isMap = row.isMap;
  if (row.locks !== undefined) copy.locks = row.locks;
  if (row.timeoutMs !== undefined) copy.timeoutMs = row.timeoutMs;
  if (row.left !== undefined) copy.left = row.left;
  if (row.unique !== undefined) copy.unique = row.unique;
  if (row.uniqueUntilStart !== undefined) copy.uniqueUntilStart = row.uniqueUntilStart;
}

function backAt(row: JobRow, nextAt: unknown, more: Partial<JobRow> = {}): JobRow {
  const back = { ...inState(row, nextAt === undefined ? "ready" : "scheduled"), ...more };
  return nextAt === undefined ? back : { ...back, at: nextAt as number };
}

function withoutFence(row: JobRow): JobRow {
  const { fence: _fence, ...rest } = row;
  return rest;
}

const started: Fold = (state, event, entry) => {
  const row = existing(state, event, entry);
  const data = event.data as unknown as StartedData;
  const attemptRow: AttemptRow = {
    worker: data.worker,
    claim: data.claim,
    jobClass: data.class,
    startedAt: entry.time,
    leaseMs: data.lease_ms,
    leaseUntil: entry.time + data.lease_ms,
  };
  const next = inState(row.lockTries === undefined && row.fence === undefined ? row : withoutLocks(row), "running");
  next.attempt = data.attempt;
  next.attemptRow = data.end_at === undefined ? attemptRow : { ...attemptRow, endAt: data.end_at };
  if (data.fence !== undefined) next.fence = data.fence;
  changeJob(state, row, next, data);
  if (row.uniqueUntilStart === true) freeUnique(state, row);
};

/** The start of an attempt ends the tries for its locks, and replaces a fence that an attempt before left. */
function withoutLocks(row: JobRow): JobRow {
  const { lockTries: _tries, ...rest } = row;
  return withoutFence(rest);
}

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
  const {
    percent,
    message,
    checkpoint,
    paced_until: pacedUntil,
  } = data as { percent?: number; message?: string; checkpoint?: Json; paced_until?: number };
  const { leaseMs = 0 } = row.attemptRow ?? {};
  const changed = withAttempt(row, defined({ leaseUntil: time + leaseMs, percent, message, pacedUntil }));
  return checkpoint === undefined ? changed : { ...changed, checkpoint, size: valueBytes(row.payload, checkpoint) };
});

const failed: Fold = (state, event, entry) => {
  const row = existing(state, event, entry);
  const { error, attempt, drop_at: at } = event.data as { error: JsonObject; attempt: number; drop_at: number };
  const { left: _left, ...rest } = inState(row, "failed");
  changeJob(state, row, { ...rest, error, attempt, at });
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
    keepEnd(state, row, end, entry);
  };

/** The ring keeps the newest ends. */
function keepEnd(
  state: StateWriter,
  { id, type, project, attempt }: JobRow,
  end: JobEnd,
  { position, time }: FoldedEntry,
): void {
  const [ends, places] = [state.rows(endedJobTable), state.rows(endPlaceTable)];
  const place = endPlace(jobTotals(state).ended - 1);
  const oldest = places.get(place);
  if (oldest !== undefined) ends.delete(oldest.id);
  places.put({ place, id });
  ends.put({ id, type, project, state: end, attempt, endedAt: time, position });
}

export const jobFolds: Readonly<Record<string, Fold>> = {
  "jobs.submitted": submitted,
  "jobs.replaced": changing((row, data) => {
    const { payload, state: to, at } = data as { payload: Json; state: JobState; at?: number };
    const size = valueBytes(payload, row.checkpoint);
    if (to === "locking") return { ...row, payload, size };
    const rest = { ...inState(row, to), payload, size };
    return at === undefined ? rest : { ...rest, at };
  }),
  "jobs.readied": changing((row, data) => {
    const isRetried = data["why"] === "retried";
    const { left: _left, ...rest } = isRetried ? withoutCounts(row) : row;
    return backAt(rest, data["next_at"]);
  }),
  "jobs.blocked": changing((row, { ticket }) => ({ ...inState(row, "locking"), ticket: ticket as string })),
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
    ...defined({ isMap: isMap === true || undefined }),
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
    const rest = inState(changed, to ?? row.state);
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

/** The ends of an attempt: failure with a retry or permanently, loss of the worker, and the end of the job. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { freeSet, setJob } from "../../features/locks/for-features/free-set.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { backoffOf } from "./backoff-of.ts";
import { jobTypeSettings } from "./job-settings-table.ts";
import { edgeTable, jobLimits, jobSubject, jobTable } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";

interface FailedAttempt {
  readonly error: JsonObject;
  /** False: the job is not retried. */
  readonly retries?: boolean;
}

/** Ends an attempt as failed. The job is scheduled again with backoff, or fails permanently. It frees no lock. */
export function failAttempt(context: DecideContext, job: JobRow, { error, retries = true }: FailedAttempt): void {
  const { state, time, emit } = context;
  const { id, type, attemptRow, maxAttempts } = job;
  // The start of a running attempt counted it. An attempt that failed before its start is counted here.
  const attempt = attemptRow === undefined ? job.attempt + 1 : job.attempt;
  if (!retries || attempt >= maxAttempts) {
    failJob(context, job, { error, attempt });
    return;
  }
  const nextAt = time + backoffOf(id, attempt, jobTypeSettings(state, type).backoff_ms);
  const data = defined({ type, error, attempt, next_at: nextAt, worker: attemptRow?.worker });
  emit({ type: "jobs.attempt_failed", subject: jobSubject(id), data });
}

/** The job fails permanently and stays for a retry by hand. The oldest failed job is dropped beyond the maximum. */
function failJob(
  context: DecideContext,
  { id, type, attemptRow, attempt: counted }: JobRow,
  { error, attempt = counted }: { readonly error: JsonObject; readonly attempt?: number },
): void {
  const { state, time, emit } = context;
  const jobs = state.rows(jobTable);
  if (jobs.count("dead") >= jobLimits.failedMax) {
    const [oldest] = jobs.scan("dead", { limit: 1 });
    if (oldest !== undefined) endJob(context, oldest, { type: "jobs.discarded", data: { why: "limit" } });
  }
  const data = defined({ type, error, attempt, drop_at: time + jobLimits.failedMs, worker: attemptRow?.worker });
  emit({ type: "jobs.failed", subject: jobSubject(id), data });
}

/**
 * The worker of a job is lost. Its locks stay, stale, until an attempt of the same job adopts them or they are
 * recovered: nothing knows whether the worker still writes.
 */
export function loseAttempt(context: DecideContext, job: JobRow): void {
  const { time, state, emit } = context;
  const { id, type, fence, attemptRow, attempt } = job;
  const crashes = (job.crashes ?? 0) + 1;
  if (crashes >= jobLimits.crashesMax) {
    const message = `${crashes} workers of the job sent no heartbeat`;
    failJob(context, job, { error: { code: "worker_lost", message } });
  } else {
    const nextAt = time + backoffOf(id, crashes, jobTypeSettings(state, type).backoff_ms);
    const data = defined({ type, worker: attemptRow?.worker, crashes, attempt: attempt - 1, next_at: nextAt });
    emit({ type: "jobs.lost", subject: jobSubject(id), data });
  }
  if (fence !== undefined) setJob(context, fence, null);
}

/** Frees the locks of an attempt that its worker has ended. Call it after the event of the end. */
export function freeLocksOf(context: DecideContext, { fence }: JobRow): void {
  if (fence !== undefined) freeSet(context, fence);
}

/** Ends a job permanently. Jobs that wait for it become ready if it was completed. Otherwise they fail. */
export function endJob(
  context: DecideContext,
  job: JobRow,
  end: { readonly type: "jobs.completed" | "jobs.cancelled" | "jobs.discarded"; readonly data: JsonObject },
): void {
  const { state, time, emit } = context;
  const { id, type, project, attempt } = job;
  const edges = state.rows(edgeTable).scan("on", { prefix: `${id}${gap}`, limit: Infinity });
  const data = { type, project, attempt, ...end.data };
  emit({ type: end.type, subject: jobSubject(id), data });
  for (const { job: dependentId } of edges) {
    const dependent = state.rows(jobTable).get(dependentId);
    if (dependent?.state !== "waiting") continue;
    if (end.type !== "jobs.completed") {
      const error = { code: "dependency_ended", message: `job ${id} ended before it was completed` };
      failJob(context, dependent, { error });
    } else if (dependent.left === 0) {
      const nextAt = dependent.at !== undefined && dependent.at > time ? dependent.at : undefined;
      const readied = defined({ type: dependent.type, why: "after", next_at: nextAt });
      emit({ type: "jobs.readied", subject: jobSubject(dependentId), data: readied });
    }
  }
}

/** Jobs as replies, reads and notices show them. */
import { defined } from "@holdfast/sdk/base/defined";
import { measure } from "@holdfast/sdk/json/measure";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { iso } from "../../features/locks/tables/lock-events.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { jobLimits, jobTable } from "./job-tables.ts";
import type { EndedJobRow, JobRow } from "./job-tables.ts";

const isoOf = (time: number | undefined): string | undefined => (time === undefined ? undefined : iso(time));

/** A job without payload and checkpoint. */
export function jobViewOf(row: JobRow): JsonObject {
  const { attemptRow: running } = row;
  return defined({
    id: row.id,
    type: row.type,
    project: row.project,
    root: row.root,
    state: row.state,
    priority: row.priority,
    attempt: row.attempt,
    max_attempts: row.maxAttempts,
    crashes: row.crashes,
    cost: row.cost,
    submitted_at: iso(row.submittedAt),
    run_at: row.state === "scheduled" || row.state === "waiting" ? isoOf(row.at) : undefined,
    locks: row.locks?.map((lock) => ({ ...lock })),
    map_job: row.isMap,
    waits_for: row.state === "waiting" ? row.left : undefined,
    worker: running?.worker,
    claim: running?.claim,
    fence: running === undefined ? undefined : row.fence,
    started_at: isoOf(running?.startedAt),
    lease_until: isoOf(running?.leaseUntil),
    cancel_requested: running?.cancel,
    percent: running?.percent,
    message: running?.message,
    error: row.error,
  });
}

/** A job with all of its data. */
export function wholeJobView(row: JobRow): JsonObject {
  return defined({ ...jobViewOf(row), payload: row.payload, checkpoint: row.checkpoint });
}

/** A job that ended, without its result. */
export function endedJobView({ id, type, project, state, attempt, endedAt }: EndedJobRow): JsonObject {
  return { id, type, project, state, attempt, ended_at: iso(endedAt) };
}

/** A running job as its worker gets it. */
export function startedJobView(row: JobRow): JsonObject {
  const { attemptRow, fence } = row;
  return defined({
    id: row.id,
    type: row.type,
    project: row.project,
    root: row.root,
    claim: attemptRow?.claim ?? "",
    fence,
    attempt: row.attempt,
    payload: row.payload,
    checkpoint: row.checkpoint,
    lease_ms: attemptRow?.leaseMs ?? 0,
  });
}

/** A running job without payload and checkpoint. Its worker reads them by `jobs.get`. */
export function briefJobView(view: JsonObject): JsonObject {
  const { payload: _payload, checkpoint: _checkpoint, ...rest } = view;
  return { ...rest, omitted: true };
}

/**
 * Running jobs as a reply has them. Where the bytes of the reply are used up, a job comes without its payload. So the
 * dispatcher need not know the size of a reply, and no slot stays idle because of it.
 */
export function startedJobViews(rows: readonly JobRow[]): readonly JsonObject[] {
  let left: number = jobLimits.replyBytesMax;
  return rows.map((row) => {
    const view = startedJobView(row);
    const measured = measure(view, { bytesMax: left, depthMax: Infinity, membersMax: Infinity });
    if (!measured.ok) return briefJobView(view);
    left -= measured.size.bytes;
    return view;
  });
}

/** The jobs that this entry started for a worker. They are in the reply only: the journal has their payload already. */
export function startedFor({ state, events }: DecideContext, worker: string | undefined): JsonObject {
  const rows: JobRow[] = [];
  for (const { type, subject, data } of events) {
    if (type !== "jobs.started" || data["worker"] !== worker) continue;
    const row = state.rows(jobTable).get(subject.slice("job/".length));
    if (row !== undefined && row.attemptRow?.claim === data["claim"]) rows.push(row);
  }
  return { next: startedJobViews(rows) };
}

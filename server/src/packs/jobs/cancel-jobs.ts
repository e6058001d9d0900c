/** Operations on one job or on all jobs of a type: cancel, retry and discard. */
import type { JobState } from "@holdfast/sdk/contract";
import { refused } from "../../features/locks/rules/owner.ts";
import { cancelQueuedTicket } from "../../features/locks/queue/grant-next.ts";
import { gap, ticketTable } from "../../features/locks/tables/lock-tables.ts";
import { isFull } from "../../features/locks/tables/settings.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { endJob } from "./fail-attempt.ts";
import { fill } from "./fill.ts";
import { jobCursor } from "./job-cursor.ts";
import { endedJobTable, jobLimits, jobSubject, jobTable } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";

interface JobSelection {
  readonly id?: string;
  readonly type?: string;
  readonly project?: string;
  readonly after?: string;
}

interface SelectedJobs {
  /** The jobs to act on. */
  readonly rows: readonly JobRow[];
  /** The last job that was examined, if others follow it. */
  readonly last: JobRow | undefined;
}

function selectJobs(
  { state }: DecideContext,
  { id, type, project, after }: JobSelection,
  from: JobState,
): SelectedJobs | Decision {
  if ((id === undefined) === (type === undefined))
    return refused("jobs.selection_invalid", { reason: "send either id or type" });
  const jobs = state.rows(jobTable);
  if (id !== undefined) {
    const row = jobs.get(id);
    if (row !== undefined) return { rows: [row], last: undefined };
    const ended = state.rows(endedJobTable).get(id);
    if (ended === undefined) return refused("jobs.unknown", { id });
    return refused(from === "failed" ? "jobs.not_failed" : "jobs.not_waiting", { id, state: ended.state });
  }
  const prefix = `${from}${gap}${type ?? ""}${gap}`;
  const limit = jobLimits.examinedMax;
  const found = jobs.scan("state", { prefix, after: jobCursor.keyOf(after), limit });
  const matching = project === undefined ? found : found.filter((row) => row.project === project);
  const rows = matching.slice(0, jobLimits.selectedMax);
  if (matching.length > rows.length) return { rows, last: rows.at(-1) };
  return { rows, last: found.length < limit ? undefined : found.at(-1) };
}

/** Acts on each selected job until the entry is full, then fills the freed slots. */
function actOn(context: DecideContext, { rows, last }: SelectedJobs, act: (row: JobRow) => void): Decision {
  let count = 0;
  for (const { id } of rows) {
    if (isFull(context)) break;
    const row = context.state.rows(jobTable).get(id);
    // An earlier one may have ended it: it waited for that job.
    if (row !== undefined) act(row);
    count += 1;
  }
  fill(context);
  const reached = count < rows.length ? rows[count - 1] : last;
  const data = { count, more: reached !== undefined, next: reached === undefined ? null : jobCursor.of(reached) };
  return { outcome: done(data), events: [], attachment: {} };
}

export function cancelJobs(
  input: JobSelection & { readonly state?: JobState; readonly reason?: string },
  context: DecideContext,
): Decision {
  const selected = selectJobs(context, input, input.state ?? "ready");
  if ("outcome" in selected) return selected;
  const [only] = selected.rows;
  if (input.id !== undefined && only?.state === "failed")
    return refused("jobs.not_waiting", { id: only.id, state: only.state });
  return actOn(context, selected, (row) => {
    cancelJob(context, row, input.reason ?? "cancelled");
  });
}

/** A running job gets a signal and some time. Any other job ends at once. */
function cancelJob(context: DecideContext, row: JobRow, why: string): void {
  const { state, time, emit } = context;
  const { id, type, ticket, attemptRow } = row;
  if (attemptRow === undefined) {
    endJob(context, row, { type: "jobs.cancelled", data: { why } });
    if (ticket !== undefined && state.rows(ticketTable).get(ticket) !== undefined)
      cancelQueuedTicket(context, ticket, "cancelled");
    return;
  }
  if (attemptRow.cancel === "cancelled") return;
  const data = { type, worker: attemptRow.worker, why: "cancelled", reason: why, end_at: time + jobLimits.endMs };
  emit({ type: "jobs.cancel_requested", subject: jobSubject(id), data });
}

export function retryJobs(input: JobSelection, context: DecideContext): Decision {
  const selected = selectFailed(context, input);
  if ("outcome" in selected) return selected;
  return actOn(context, selected, ({ id, type }) => {
    context.emit({ type: "jobs.readied", subject: jobSubject(id), data: { type, why: "retried" } });
  });
}

export function discardJobs(input: JobSelection, context: DecideContext): Decision {
  const selected = selectFailed(context, input);
  if ("outcome" in selected) return selected;
  return actOn(context, selected, (row) => {
    endJob(context, row, { type: "jobs.discarded", data: { why: "discarded" } });
  });
}

function selectFailed(context: DecideContext, input: JobSelection): SelectedJobs | Decision {
  const selected = selectJobs(context, input, "failed");
  if ("outcome" in selected) return selected;
  const [only] = selected.rows;
  if (input.id === undefined || only?.state === "failed") return selected;
  return refused("jobs.not_failed", { id: input.id, state: only?.state ?? "" });
}

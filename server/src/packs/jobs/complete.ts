/** The ends of an attempt that its worker reports: completion, failure and return. The freed slot is filled at once. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { isFull } from "../../features/locks/tables/settings.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { claimedJob } from "./claimed-job.ts";
import type { JobAttempt } from "./claimed-job.ts";
import { endJob, failAttempt, freeLocksOf } from "./fail-attempt.ts";
import { fill } from "./fill.ts";
import { edgeTable, jobLimits, jobSubject, jobTable } from "./job-tables.ts";
import { startedFor } from "./job-view.ts";
import { sizeFault } from "./submit.ts";

interface EndTerms {
  /** False: the worker gets its next jobs as notices only. */
  readonly with_next?: boolean;
}

interface CompletedAttempt extends JobAttempt {
  readonly result?: Json;
}

function endedReply(context: DecideContext, data: JsonObject, { with_next: withNext = true }: EndTerms): Decision {
  const attachment = withNext ? startedFor(context, context.command.agent) : {};
  return { outcome: done(data), events: [], attachment };
}

/** Fills the freed slot. The job itself may start again. */
function ended(context: DecideContext, id: string, input: EndTerms, end: string): Decision {
  fill(context);
  const state = context.state.rows(jobTable).get(id)?.state ?? end;
  return endedReply(context, { id, state }, input);
}

export function completeJob(input: CompletedAttempt & EndTerms, context: DecideContext): Decision {
  return completed(context, input) ?? ended(context, input.id, input, "completed");
}

/** Completes each job or refuses it on its own. The freed slots are filled together, so every project gets its turn. */
export function completeManyJobs(
  { jobs, ...terms }: EndTerms & { readonly jobs: readonly CompletedAttempt[] },
  context: DecideContext,
): Decision {
  let released = 0;
  const results = jobs.map((job): JsonObject => {
    const { id } = job;
    if (isFull(context) || released > jobLimits.dependentsMax) return { id, state: "running" };
    // A dependent that waits for other jobs too gives no event, and still costs work.
    released += context.state.rows(edgeTable).scan("on", { prefix: `${id}${gap}`, limit: Infinity }).length;
    const refusal = completed(context, job)?.outcome;
    return refusal?.kind === "refusal" ? { id, code: refusal.code } : { id, state: "completed" };
  });
  fill(context);
  return endedReply(context, { jobs: results }, terms);
}

/** Ends the job and frees its locks. Returns the refusal if its attempt has ended or its result is too large. */
function completed(context: DecideContext, input: CompletedAttempt): Decision | undefined {
  const { result } = input;
  const tooLarge =
    result === undefined ? undefined : sizeFault(result, jobLimits.resultBytesMax, "jobs.result_too_large");
  if (tooLarge !== undefined) return tooLarge;
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const data = defined({ worker: attempt.worker, result, duration_ms: context.time - attempt.startedAt });
  endJob(context, row, { type: "jobs.completed", data });
  freeLocksOf(context, row);
  return undefined;
}

export function failRunningJob(
  input: JobAttempt & EndTerms & { readonly error: JsonObject; readonly retry?: boolean },
  context: DecideContext,
): Decision {
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const { error, retry: retries = true } = input;
  if (attempt.cancel === "cancelled")
    endJob(context, row, { type: "jobs.cancelled", data: { why: "cancelled", worker: attempt.worker } });
  else failAttempt(context, row, { error, retries });
  freeLocksOf(context, row);
  return ended(context, row.id, input, "cancelled");
}

export function releaseJob(
  input: JobAttempt & EndTerms & { readonly delay_seconds?: number },
  context: DecideContext,
): Decision {
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const { delay_seconds: delay = 0 } = input;
  const { worker } = attempt;
  if (attempt.cancel === "cancelled") {
    endJob(context, row, { type: "jobs.cancelled", data: { why: "cancelled", worker } });
  } else {
    const nextAt = delay === 0 ? undefined : context.time + delay * 1000;
    const data = defined({ type: row.type, worker, next_at: nextAt });
    context.emit({ type: "jobs.released", subject: jobSubject(row.id), data });
  }
  freeLocksOf(context, row);
  return ended(context, row.id, input, "cancelled");
}

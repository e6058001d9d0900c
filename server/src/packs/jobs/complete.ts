/** The ends of an attempt that its worker reports: completion, failure and return. The freed slot is filled at once. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { claimedJob } from "./claimed-job.ts";
import type { JobAttempt } from "./claimed-job.ts";
import { endJob, failAttempt, freeLocksOf } from "./fail-attempt.ts";
import { fill } from "./fill.ts";
import { jobLimits, jobSubject, jobTable } from "./job-tables.ts";
import { startedFor } from "./job-view.ts";
import { sizeFault } from "./submit.ts";

function endedReply(context: DecideContext, id: string, end: string): Decision {
  fill(context);
  const state = context.state.rows(jobTable).get(id)?.state ?? end;
  return { outcome: done({ id, state }), events: [], attachment: startedFor(context, context.command.agent) };
}

export function completeJob(input: JobAttempt & { readonly result?: Json }, context: DecideContext): Decision {
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
  return endedReply(context, row.id, "completed");
}

export function failRunningJob(
  input: JobAttempt & { readonly error: JsonObject; readonly retry?: boolean },
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
  return endedReply(context, row.id, "cancelled");
}

export function releaseJob(input: JobAttempt & { readonly delay_seconds?: number }, context: DecideContext): Decision {
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
  return endedReply(context, row.id, "cancelled");
}

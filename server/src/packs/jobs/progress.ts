import { defined } from "@holdfast/sdk/base/defined";
import type { Json } from "@holdfast/sdk/json/json";
import type { Outcome } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { claimedJob } from "./claimed-job.ts";
import type { JobAttempt } from "./claimed-job.ts";
import { jobLimits, jobSubject } from "./job-tables.ts";
import { sizeFault } from "./submit.ts";
import { spaceFull } from "../../features/space/space-full.ts";

interface ProgressInput extends JobAttempt {
  readonly percent?: number;
  readonly message?: string;
  readonly checkpoint?: Json;
}

/** Progress renews the lease of the job. The percentage does not decrease within an attempt. */
export function progressJob(input: ProgressInput, context: DecideContext): Decision {
  const { percent, message, checkpoint } = input;
  // A checkpoint outlives its attempt, so it needs room. Progress without one always renews the lease.
  const fault =
    checkpoint === undefined
      ? undefined
      : (sizeFault(checkpoint, jobLimits.resultBytesMax, "jobs.result_too_large") ?? spaceFull(context));
  if (fault !== undefined) return fault;
  const found = claimedJob(context, input);
  if ("outcome" in found) return found;
  const { row, attempt } = found;
  const cancel = { cancel_requested: attempt.cancel ?? null };
  const pacedUntil = Math.max(attempt.pacedUntil ?? 0, context.time);
  const waitMs = pacedUntil - context.time - jobLimits.progressAheadMs;
  if (waitMs > 0) return checkpoint === undefined ? unrecorded(done(cancel)) : unrecorded(tooOften(waitMs));
  const reached = percent === undefined ? undefined : Math.max(percent, attempt.percent ?? 0);
  const data = defined({ type: row.type, worker: attempt.worker, percent: reached, message, checkpoint });
  const paced = { ...data, paced_until: pacedUntil + jobLimits.progressEveryMs };
  return {
    outcome: done(cancel),
    events: [{ type: "jobs.progressed", subject: jobSubject(row.id), data: paced }],
    attachment: {},
  };
}

/**
 * A report beyond the pace of its attempt changes nothing. The last recorded one renewed the lease just before. So a
 * worker that reports in a tight loop does not fill the journal.
 */
function unrecorded(outcome: Outcome): Decision {
  return { outcome, events: [], attachment: {}, freesKey: true };
}

/** The worker relies on a checkpoint, so it learns that this one is not stored. */
function tooOften(waitMs: number): Outcome {
  const bound = 1_000 / jobLimits.progressEveryMs;
  return refusal("rate_limited", { limit: "progress_per_second", bound, retry_after_ms: waitMs });
}

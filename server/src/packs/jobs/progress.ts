import { defined } from "@holdfast/sdk/base/defined";
import type { Json } from "@holdfast/sdk/json/json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
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
  const reached = percent === undefined ? undefined : Math.max(percent, attempt.percent ?? 0);
  const data = defined({ type: row.type, worker: attempt.worker, percent: reached, message, checkpoint });
  return {
    outcome: done({ cancel_requested: attempt.cancel ?? null }),
    events: [{ type: "jobs.progressed", subject: jobSubject(row.id), data }],
    attachment: {},
  };
}

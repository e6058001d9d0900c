import { defined } from "../../base/defined.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { JobOperations } from "../packs/job-operations.ts";
import { FatalJobError, JobReturn } from "./running-job.ts";
import type { JobHandler, RunningJob } from "./running-job.ts";

/** The command that ends an attempt. */
export type AttemptEnd =
  | { readonly operation: "complete"; readonly input: { readonly result?: unknown } }
  | { readonly operation: "release"; readonly input: { readonly delayMs: number } }
  | { readonly operation: "fail"; readonly input: Omit<JobOperations["fail"]["input"], "id" | "claim"> };

/** Maximum characters of the message of an error in the contract. */
const messageMax = 2_000;

/** Runs the handler of a job. Its result or its error decides how the attempt ends. */
export async function attemptEnd(job: RunningJob, handler: JobHandler): Promise<AttemptEnd> {
  try {
    const result = await handler(job);
    return { operation: "complete", input: defined({ result }) };
  } catch (error) {
    return endAfterError(error, job.signal);
  }
}

/** The end of an attempt that threw. A return of the job, such as at the close of its worker, counts as no attempt. */
export function endAfterError(thrown: unknown, signal: AbortSignal): AttemptEnd {
  const error: unknown = signal.reason instanceof JobReturn ? signal.reason : thrown;
  if (error instanceof JobReturn) return { operation: "release", input: { delayMs: error.delayMs } };
  return failedEnd(error, { retry: !(error instanceof FatalJobError) });
}

export function failedEnd(error: unknown, { retry }: { readonly retry: boolean }): AttemptEnd {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, messageMax);
  const refusal = error instanceof FatalJobError ? error.cause : error;
  const code = refusal instanceof HoldfastError ? { code: refusal.code } : {};
  return { operation: "fail", input: { error: { message, ...code }, retry } };
}

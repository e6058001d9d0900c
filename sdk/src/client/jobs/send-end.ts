import { pause } from "../../base/pause.ts";
import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { StartedJob } from "../packs/job-operations.ts";
import { failedEnd } from "./attempt-end.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { isTemporary } from "./is-temporary.ts";

/** Interval between two tries to report the end of an attempt. */
const endAgainMs = 1_000;

interface EndedAttempt {
  readonly agent: CoreClient;
  readonly clock: ClientClock;
  readonly job: { readonly id: string; readonly claim: string };
  readonly report: (error: unknown) => void;
}

/**
 * Reports the end of an attempt until the server has it, and returns the next jobs. Heartbeats keep a job alive whose end
 * is not reported, so it would keep its slot forever. An end that the server refuses, such as one with a result that
 * is too large, becomes a failure of the attempt.
 */
export async function sendEnd(attempt: EndedAttempt, end: AttemptEnd): Promise<readonly StartedJob[]> {
  const { agent, clock, job, report } = attempt;
  const { id, claim } = job;
  for (;;) {
    try {
      // The key makes a repeated end the same request: its reply may be lost.
      const call = { key: `${end.operation} ${claim}` };
      const { next = [] } = await agent.operations.jobs[end.operation]({ id, claim, ...end.input } as never, call);
      return next;
    } catch (error) {
      if (hasCode(error, "jobs.claim_stale")) return [];
      if (isTemporary(error)) {
        report(error);
        await pause(clock, endAgainMs);
      } else if (end.operation === "fail" || hasCode(error, "closed") || hasCode(error, "agent_unknown")) throw error;
      else return sendEnd(attempt, failedEnd(error, { retry: false }));
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof HoldfastError && error.code === code;
}

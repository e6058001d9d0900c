import { refused } from "../../features/locks/rules/owner.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { loseAttempt } from "./fail-attempt.ts";
import { fill } from "./fill.ts";
import { jobTable } from "./job-tables.ts";
import type { AttemptRow, JobRow } from "./job-tables.ts";

export interface JobAttempt {
  readonly id: string;
  readonly claim: string;
}

/** A running job with its attempt. */
interface ClaimedJob {
  readonly row: JobRow;
  readonly attempt: AttemptRow;
}

/**
 * The running job of a claim. The claim is the fence of the attempt: an old one is refused, and so is another worker. An
 * attempt whose lease has passed ends first, so a late worker changes nothing.
 */
export function claimedJob(context: DecideContext, { id, claim }: JobAttempt): ClaimedJob | Decision {
  const { state, command, time, grace } = context;
  const row = state.rows(jobTable).get(id);
  const attempt = row?.attemptRow;
  const stale = refused("jobs.claim_stale", { id, claim });
  if (row === undefined || attempt?.claim !== claim || attempt.worker !== command.agent) return stale;
  if (attempt.leaseUntil > time || grace) return { row, attempt };
  loseAttempt(context, row);
  fill(context);
  return stale;
}

/** A ticket of a job that left the queue of its locks: they are free, or the patience of the job is over. */
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import type { DecideContext, Reaction } from "../../machine/feature.ts";
import { jobTotals } from "./change-job.ts";
import { failAttempt } from "./fail-attempt.ts";
import { nextLane, startUnlocked } from "./fill.ts";
import { jobTypeSettings } from "./job-settings-table.ts";
import { jobOwner, jobSubject, jobTable } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";
import { lockError } from "./start-job.ts";

const ownerStart = jobOwner("");

/** It runs inside the hand-over of a lock, so it frees nothing. Slots that it frees are filled by the next entry. */
export const ticketReaction: Reaction = ({ data }, context) => {
  const { owner_id: owner = "", ticket, why } = data as { owner_id?: string; ticket: string; why: string };
  if (!owner.startsWith(ownerStart)) return [];
  const { state, emit } = context;
  const job = state.rows(jobTable).get(owner.slice(ownerStart.length));
  if (job?.state !== "locking" || job.ticket !== ticket) return [];
  if (why !== "free") failAttempt(context, job, { error: blockedError(context, job) });
  else if (!startUnlocked(context, job) && state.rows(jobTable).get(job.id)?.ticket === ticket)
    emit({ type: "jobs.readied", subject: jobSubject(job.id), data: { type: job.type, why: "free" } });
  const isLeft = jobTotals(state).left !== undefined;
  return isLeft || nextLane(state) === undefined ? [] : [{ type: "jobs.fill_left", subject: "jobs", data: {} }];
};

/** The error of an attempt, with the owners that hold its locks at the end of the wait. */
function blockedError(context: DecideContext, { type, locks = [] }: JobRow): ReturnType<typeof lockError> {
  const { state, time, grace, command } = context;
  // A read ends no overdue grant: this runs inside a hand-over.
  const reader = { state, time, grace, principal: command.principal };
  const denials = locks.flatMap(({ path, mode, scope }) => {
    const denial = blockersAt(reader, path, { mode, scope, count: "holders" });
    return denial === undefined ? [] : [denial];
  });
  const holders = denials.flatMap((denial) => denial.holders);
  const reason = denials[0]?.reason ?? "other owners were ahead in the queue";
  return lockError({ holders, reason }, jobTypeSettings(state, type).lock_tries);
}

/** A run of a schedule: its job and its next time are one entry. */
import { defined } from "@holdfast/sdk/base/defined";
import type { jobsInternals } from "@holdfast/sdk/contract";
import { dueTimer } from "../../features/due-timer.ts";
import { isRefused } from "../../features/locks/rules/owner.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import type { Decide } from "../../features/rule-of.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { fill } from "./fill.ts";
import { jobTable } from "./job-tables.ts";
import { lastCronTime, nextCronTime } from "./next-cron-time.ts";
import { parsedCron } from "./put-schedule.ts";
import { offsetsOf, scheduleLimits, scheduleSubject, scheduleTable } from "./schedule-tables.ts";
import type { ScheduleRow } from "./schedule-tables.ts";
import { submitOne } from "./submit.ts";
import type { JobRequest } from "./submit.ts";

export const fireSchedule: Decide<(typeof jobsInternals)["jobs.fire-schedule"]> = ({ id, at }, context) => {
  const { state, time, emit } = context;
  const row = state.rows(scheduleTable).get(id);
  if (row?.nextAt !== at || at > time) return { outcome: refusal("not_due"), events: [] };
  const [cron, offsets] = [parsedCron(row.cron), offsetsOf(state, row.zone)];
  const isMissed = time - at > scheduleLimits.missedMs;
  // Of several missed runs only the last one counts.
  const runAt = isMissed ? (lastCronTime(cron, offsets, { start: at - 1, end: time }) ?? at) : at;
  const run = isMissed && row.catchUp === "none" ? { skipped: "missed" } : submitRun(context, row, runAt);
  const nextAt = nextCronTime(cron, offsets, runAt);
  const data = defined({ type: row.type, at: runAt, ...run, next_at: nextAt });
  emit({ type: "jobs.schedule_fired", subject: scheduleSubject(id), data });
  fill(context);
  return { outcome: done({}), events: [] };
};

/** The job of a run, or why it was left out. Its id has the time of the run, so a run is submitted once. */
function submitRun(
  context: DecideContext,
  { id, job, overlap, lastJob }: ScheduleRow,
  at: number,
): { readonly job?: string; readonly skipped?: string } {
  const before = lastJob === undefined ? undefined : context.state.rows(jobTable).get(lastJob);
  if (overlap === "skip" && before !== undefined && before.state !== "failed") return { skipped: "overlap" };
  const time = iso(at)
    .replace(/\.\d+Z$/u, "Z")
    .replace(/[:-]/gu, "");
  const submitted = submitOne(context, { ...(job as unknown as JobRequest), id: `${id}.${time}` });
  if (isRefused(submitted))
    return { skipped: submitted.outcome.kind === "refusal" ? submitted.outcome.code : "refused" };
  const { id: jobId, duplicate: isDuplicate } = submitted as { id: string; duplicate: boolean };
  return isDuplicate ? { job: jobId, skipped: "duplicate" } : { job: jobId };
}

/** A run expires nothing, so it is handled in the grace period too. */
export const scheduleTimer = dueTimer(scheduleTable, "next", {
  runsInGrace: true,
  dueAt: ({ nextAt }) => nextAt,
  command: ({ id, nextAt: at = 0 }) => ({
    id: `jobs-schedule:${id}:${at}`,
    operation: "jobs.fire-schedule",
    input: { id, at },
  }),
});

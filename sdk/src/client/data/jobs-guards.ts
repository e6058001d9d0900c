// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { jobsProblemData } from "../../contract/packs/jobs-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof jobsProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isJobsOff: Guard<"jobs.off"> = problemGuard("jobs.off");
export const isJobsUnknown: Guard<"jobs.unknown"> = problemGuard("jobs.unknown");
export const isJobsClaimStale: Guard<"jobs.claim_stale"> = problemGuard("jobs.claim_stale");
export const isJobsNotWaiting: Guard<"jobs.not_waiting"> = problemGuard("jobs.not_waiting");
export const isJobsNotFailed: Guard<"jobs.not_failed"> = problemGuard("jobs.not_failed");
export const isJobsExists: Guard<"jobs.exists"> = problemGuard("jobs.exists");
export const isJobsDuplicate: Guard<"jobs.duplicate"> = problemGuard("jobs.duplicate");
export const isJobsBacklogFull: Guard<"jobs.backlog_full"> = problemGuard("jobs.backlog_full");
export const isJobsDependentsFull: Guard<"jobs.dependents_full"> = problemGuard("jobs.dependents_full");
export const isJobsPayloadTooLarge: Guard<"jobs.payload_too_large"> = problemGuard("jobs.payload_too_large");
export const isJobsResultTooLarge: Guard<"jobs.result_too_large"> = problemGuard("jobs.result_too_large");
export const isJobsProjectMismatch: Guard<"jobs.project_mismatch"> = problemGuard("jobs.project_mismatch");
export const isJobsSelectionInvalid: Guard<"jobs.selection_invalid"> = problemGuard("jobs.selection_invalid");
export const isJobsLocksUnavailable: Guard<"jobs.locks_unavailable"> = problemGuard("jobs.locks_unavailable");
export const isJobsScheduleUnknown: Guard<"jobs.schedule_unknown"> = problemGuard("jobs.schedule_unknown");
export const isJobsCronInvalid: Guard<"jobs.cron_invalid"> = problemGuard("jobs.cron_invalid");
export const isJobsTimeZoneUnknown: Guard<"jobs.time_zone_unknown"> = problemGuard("jobs.time_zone_unknown");
export const isJobsSchedulesFull: Guard<"jobs.schedules_full"> = problemGuard("jobs.schedules_full");
export const isJobsCapReached: Guard<"jobs.cap_reached"> = problemGuard("jobs.cap_reached");

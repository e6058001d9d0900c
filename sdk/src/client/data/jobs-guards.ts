// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { jobsProblemData } from "../../contract/packs/jobs-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof jobsProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isJobsOff: Guard<"jobs.off"> = /* @__PURE__ */ problemGuard("jobs.off");
export const isJobsUnknown: Guard<"jobs.unknown"> = /* @__PURE__ */ problemGuard("jobs.unknown");
export const isJobsClaimStale: Guard<"jobs.claim_stale"> = /* @__PURE__ */ problemGuard("jobs.claim_stale");
export const isJobsNotWaiting: Guard<"jobs.not_waiting"> = /* @__PURE__ */ problemGuard("jobs.not_waiting");
export const isJobsNotFailed: Guard<"jobs.not_failed"> = /* @__PURE__ */ problemGuard("jobs.not_failed");
export const isJobsExists: Guard<"jobs.exists"> = /* @__PURE__ */ problemGuard("jobs.exists");
export const isJobsDuplicate: Guard<"jobs.duplicate"> = /* @__PURE__ */ problemGuard("jobs.duplicate");
export const isJobsBacklogFull: Guard<"jobs.backlog_full"> = /* @__PURE__ */ problemGuard("jobs.backlog_full");
export const isJobsDependentsFull: Guard<"jobs.dependents_full"> = /* @__PURE__ */ problemGuard("jobs.dependents_full");
export const isJobsPayloadTooLarge: Guard<"jobs.payload_too_large"> = /* @__PURE__ */ problemGuard("jobs.payload_too_large");
export const isJobsResultTooLarge: Guard<"jobs.result_too_large"> = /* @__PURE__ */ problemGuard("jobs.result_too_large");
export const isJobsProjectMismatch: Guard<"jobs.project_mismatch"> = /* @__PURE__ */ problemGuard("jobs.project_mismatch");
export const isJobsSelectionInvalid: Guard<"jobs.selection_invalid"> = /* @__PURE__ */ problemGuard("jobs.selection_invalid");
export const isJobsLocksUnavailable: Guard<"jobs.locks_unavailable"> = /* @__PURE__ */ problemGuard("jobs.locks_unavailable");
export const isJobsScheduleUnknown: Guard<"jobs.schedule_unknown"> = /* @__PURE__ */ problemGuard("jobs.schedule_unknown");
export const isJobsCronInvalid: Guard<"jobs.cron_invalid"> = /* @__PURE__ */ problemGuard("jobs.cron_invalid");
export const isJobsTimeZoneUnknown: Guard<"jobs.time_zone_unknown"> = /* @__PURE__ */ problemGuard("jobs.time_zone_unknown");
export const isJobsSchedulesFull: Guard<"jobs.schedules_full"> = /* @__PURE__ */ problemGuard("jobs.schedules_full");
export const isJobsCapReached: Guard<"jobs.cap_reached"> = /* @__PURE__ */ problemGuard("jobs.cap_reached");

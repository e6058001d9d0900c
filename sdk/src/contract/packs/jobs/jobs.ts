/** The pack `jobs`: a fair, fenced queue with caps, whose jobs take their locks in the entry that starts them. */
import type { NoticeType } from "../../notice-type.ts";
import { withProblemData } from "../../problem.ts";
import Type from "typebox";
import { jobsProblemData } from "../jobs-problem-data.ts";
import { definePack } from "../pack.ts";
import { claim, jobId, startedJob } from "./job-view.ts";
import { jobsEvents } from "./jobs-events.ts";
import { jobsOperations } from "./jobs-operations.ts";
import { jobsProblems } from "./jobs-problems.ts";
import { jobsScheduleOperations } from "./jobs-schedules.ts";
import { jobsSettingsOperations } from "./jobs-settings.ts";
import { jobsWorkOperations } from "./jobs-work-operations.ts";

const notices = {
  "jobs.started": {
    summary: "A job was started for this worker.",
    members: { job: startedJob, claim },
    key: "claim",
    verbs: ["work"],
  },
  "jobs.cancel": {
    summary: "A running job of this worker must end, or its attempt has ended.",
    members: { job_id: jobId, claim, why: Type.String() },
    key: "claim",
    verbs: ["work"],
  },
} as const satisfies Record<string, NoticeType>;

export const jobs = definePack({
  name: "jobs",
  summary: "A fair, fenced queue of jobs with caps, retries and locks at dispatch.",
  resources: [],
  operations: [...jobsOperations, ...jobsWorkOperations, ...jobsSettingsOperations, ...jobsScheduleOperations],
  events: jobsEvents,
  notices,
  problems: withProblemData(jobsProblems, jobsProblemData),
});

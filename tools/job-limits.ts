/** The limits of jobs and of notices, for the page of all limits. */
import { noticeLimits } from "../server/src/app/notices/notice-box.ts";
import { jobLimits } from "../server/src/packs/jobs/job-tables.ts";
import type { LimitGroup, Rows } from "./limit-row.ts";

const rows: Rows<typeof jobLimits> = {
  payloadBytesMax: {
    bounds: "bytes of the payload of a job, as JSON",
    beyond: "`jobs.payload_too_large`",
    test: "every bad request gets a refusal with its code, and no job or setting exists afterwards",
  },
  resultBytesMax: {
    bounds: "bytes of a result or a checkpoint, as JSON",
    beyond: "`jobs.result_too_large`",
    test: "a worker that lies about its progress is refused or bounded, and keeps its claim",
  },
  progressEveryMs: {
    bounds: "milliseconds between two recorded reports of progress of an attempt",
    beyond: "the report changes nothing; with a checkpoint it is refused with `rate_limited`",
    test: "reports of progress beyond the pace of an attempt are not recorded, and one with a checkpoint is refused [X15]",
  },
  progressAheadMs: "pace",
  replyBytesMax: {
    bounds: "bytes of the jobs with payloads in a reply to a worker, and of a page of jobs, workers or schedules",
    beyond: "a started job comes without payload, and its worker reads it; the next page has the rest",
    test: "an offer starts every job that has a slot, and its reply has the payloads that fit [X15]",
  },
  endedMax: {
    bounds: "ended jobs in the state",
    beyond: "the oldest one is read from the journal",
    test: "the newest 10,000 ended jobs stay, and the id of an older one can be used again",
  },
  dependentsMax: {
    bounds: "jobs that wait for one job",
    beyond: "`jobs.dependents_full`",
    test: "a batch counts the dependents of each job once, and refuses the first beyond the maximum [X15]",
  },
  selectedMax: {
    bounds: "jobs that one request by type, state or project changes",
    beyond: "the next request has the rest",
  },
  readiedMax: "pace",
  examinedMax: { bounds: "jobs that a list examines for a page", beyond: "the next page has the rest" },
  recheckedMax: "pace",
  offerMs: {
    bounds: "milliseconds without a heartbeat until an offer ends",
    beyond: "its worker gets no further jobs",
    test: "an offer ends after 25 seconds without a heartbeat, and its worker gets no further jobs",
  },
  endMs: { bounds: "milliseconds to end an attempt after a signal", beyond: "the attempt ends without its worker" },
  crashesMax: { bounds: "losses of a worker for one job", beyond: "the job has failed" },
  failedMs: { bounds: "milliseconds that a failed job stays", beyond: "it is dropped" },
  failedMax: { bounds: "failed jobs", beyond: "the oldest one is dropped" },
};

const notices: Rows<typeof noticeLimits> = {
  unreadMax: {
    bounds: "unread notices of a listener",
    beyond: "it gets the current notices when it reads, as a new listener does",
    test: "a listener with too many unread notices gets the current ones when it reads, and then new ones [X15]",
  },
  unreadBytesMax: {
    bounds: "bytes of the unread notices of a listener",
    beyond: "a started job comes without payload, and its worker reads it",
    test: "notices beyond the unread bytes of a listener are brief, and a read makes room again [X15]",
  },
};

export const jobsLimits: LimitGroup = { title: "Jobs", values: jobLimits, rows };
export const noticesLimits: LimitGroup = { title: "Notices", values: noticeLimits, rows: notices };

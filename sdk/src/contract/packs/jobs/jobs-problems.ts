import type { Problem } from "../../problem.ts";

export const jobsProblems = {
  "jobs.unknown": {
    status: 404,
    retry: "never",
    title: "No such job",
    next: "Check `id`. The history of the subject `job/<id>` has jobs that ended long ago.",
  },
  "jobs.claim_stale": {
    status: 409,
    retry: "never",
    title: "The attempt has ended",
    next: "Stop the work. The job was completed, cancelled, or given to another worker after its lease.",
  },
  "jobs.not_waiting": {
    status: 409,
    retry: "never",
    title: "The job is not waiting",
    next: "`state` is its current state. A running job can only be cancelled.",
  },
  "jobs.not_failed": {
    status: 409,
    retry: "never",
    title: "The job has not failed",
    next: "`state` is its current state. Only failed jobs are retried or discarded.",
  },
  "jobs.exists": {
    status: 409,
    retry: "never",
    title: "A job has this id",
    next: "Send another id, or leave it out. Use `unique` to find the job of the same work.",
  },
  "jobs.duplicate": {
    status: 409,
    retry: "never",
    title: "A job of this type has the unique key",
    next: "`id` is that job. Wait for its end, or send `duplicate: return` to get it.",
  },
  "jobs.backlog_full": {
    status: 429,
    retry: "later",
    title: "The project has the maximum number of waiting jobs",
    next: "Send the request again later. An operator can raise `backlog_max` of the project.",
  },
  "jobs.dependents_full": {
    status: 409,
    retry: "never",
    title: "Too many jobs wait for this one",
    next: "Let fewer than `limit` jobs wait for `id`, or put a job between them.",
  },
  "jobs.payload_too_large": {
    status: 413,
    retry: "never",
    title: "The payload is too large",
    next: "Store large data elsewhere and send a reference. `limit` is the maximum in bytes of JSON.",
  },
  "jobs.result_too_large": {
    status: 413,
    retry: "never",
    title: "The result or the checkpoint is too large",
    next: "Store large data elsewhere and send a reference. `limit` is the maximum in bytes of JSON.",
  },
  "jobs.project_mismatch": {
    status: 422,
    retry: "never",
    title: "The locks of the job lie in another project",
    next: "Send one of `projects` as `project`, so that the caps of the project apply.",
  },
  "jobs.selection_invalid": {
    status: 422,
    retry: "never",
    title: "The request must name one job or one type",
    next: "Send either `id` or `type`. See `reason`.",
  },
  "jobs.locks_unavailable": {
    status: 409,
    retry: "new-key-after-read",
    title: "Another owner holds a lock that the job needs",
    next: "See `holders`. Try again after a pause, a bounded number of times.",
    isContention: true,
    reveals: [{ member: "holders", id: "path", isPath: true }],
  },
  "jobs.schedule_unknown": {
    status: 404,
    retry: "never",
    title: "No such schedule",
    next: "Check `id` in the list of schedules.",
  },
  "jobs.cron_invalid": {
    status: 422,
    retry: "never",
    title: "The cron expression is not valid",
    next: "See `reason`. Send five fields: minute, hour, day of the month, month, day of the week.",
  },
  "jobs.time_zone_unknown": {
    status: 422,
    retry: "never",
    title: "No such time zone",
    next: "Send the name of an IANA time zone, such as `Europe/Berlin`, or leave `time_zone` out for UTC.",
  },
  "jobs.schedules_full": {
    status: 409,
    retry: "never",
    title: "The space has its maximum of schedules",
    next: "Delete schedules, or let one schedule submit a job that submits others. `limit` is the maximum.",
  },
  "jobs.cap_reached": {
    status: 409,
    retry: "new-key-after-read",
    title: "The project has its maximum of map jobs",
    next: "Try again after a pause. `limit` is max_concurrent_map_jobs_per_project.",
  },
} as const satisfies Record<string, Problem>;

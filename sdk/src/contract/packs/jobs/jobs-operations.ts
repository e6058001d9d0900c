/** The operations of senders of jobs, and the reads. */
import Type from "typebox";
import { isoTime, line, ownerId } from "../../agents.ts";
import { isObject } from "../../../json/json.ts";
import type { Json, JsonObject } from "../../../json/json.ts";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Right, Touch } from "../../rights.ts";
import { get, patch, post } from "../../routes.ts";
import {
  jobEnds,
  jobId,
  jobProject,
  jobRequestMembers,
  jobStates,
  jobType,
  jobView,
  jobWork,
  maxAttempts,
  priority,
  runAt,
} from "./job-view.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

/** Maximum jobs of one request. */
const batchMax = 1_000;

const jobRequest = Type.Object(jobRequestMembers, closed);

interface RequestedJob {
  readonly type: string;
  readonly after?: readonly string[];
  readonly locks?: readonly (string | { readonly path: string })[];
}

const typePath = (type: string): string => `job/${type}`;
const ofTypes = (jobs: readonly RequestedJob[]): Touch => ({ paths: jobs.map(({ type }) => typePath(type)) });
/** The paths of locks, which a caller names or describes. */
export const pathsOfLocks = (locks: RequestedJob["locks"] = []): readonly string[] =>
  locks.map((lock) => (typeof lock === "string" ? lock : lock.path));

/** Whether a job has locks or dependencies. The input is not checked yet: one of another form counts as having them. */
export function hasTerm(job: unknown, term: "locks" | "after"): boolean {
  return !isObject(job as Json) || (job as JsonObject)[term] !== undefined;
}

/** The rights that the locks and the dependencies of jobs need. A dependency shows how the other job ended. */
function termRights<Input>(jobsOf: (input: Input) => readonly RequestedJob[]): readonly Right<Input>[] {
  const hasAny = (input: Input, term: "locks" | "after"): boolean => {
    const jobs: unknown = jobsOf(input);
    return !Array.isArray(jobs) || jobs.some((job) => hasTerm(job, term));
  };
  return [
    {
      verbs: ["lock"],
      isNeeded: (input) => hasAny(input, "locks"),
      touches: (input) => ({ paths: jobsOf(input).flatMap(({ locks }) => pathsOfLocks(locks)) }),
    },
    {
      verbs: ["read", "write"],
      isNeeded: (input) => hasAny(input, "after"),
      touches: (input) => ({
        refs: jobsOf(input).flatMap(({ after = [] }) => after.map((id) => ({ kind: "job" as const, id }))),
      }),
    },
  ];
}

export const ofJob = ({ id }: { readonly id: string }): Touch => ({ refs: [{ kind: "job", id }] });

/** One job, or all jobs of a type. */
const ofSelection = ({ id, type }: { readonly id?: string; readonly type?: string }): Touch => ({
  paths: type === undefined ? [] : [typePath(type)],
  refs: id === undefined ? [] : [{ kind: "job", id }],
});

const submitted = Type.Object(
  { id: jobId, state: Type.String(), duplicate: Type.Boolean({ description: "A job with this key exists already." }) },
  closed,
);

const submitProblems = [
  "jobs.payload_too_large",
  "jobs.project_mismatch",
  "jobs.backlog_full",
  "jobs.exists",
  "jobs.duplicate",
  "jobs.unknown",
  "jobs.not_waiting",
  "jobs.dependents_full",
  "locks_off",
  "path_invalid",
  "space_full",
] as const;

const submit = operation({
  name: "jobs.submit",
  kind: "write",
  hasOpenReply: true,
  summary: "Submits a job. It starts when a worker offers its type, its caps allow it and its locks are free.",
  input: jobRequest,
  output: submitted,
  problems: submitProblems,
  rights: [{ verbs: ["write"], touches: (job) => ofTypes([job]) }, ...termRights((job: RequestedJob) => [job])],
  routes: [post("/v1/jobs", { status: 201 })],
  example: { type: "mail.send", payload: { to: "ann" }, project: "p1" },
});

const submitMany = operation({
  name: "jobs.submit-many",
  kind: "write",
  hasOpenReply: true,
  summary: "Submits up to 1,000 jobs in one entry, all or none.",
  input: Type.Object({ jobs: Type.Array(jobRequest, { minItems: 1, maxItems: batchMax }) }, closed),
  output: Type.Object({ jobs: Type.Array(submitted) }, closed),
  problems: submitProblems,
  rights: [
    { verbs: ["write"], touches: ({ jobs }) => ofTypes(jobs) },
    ...termRights(({ jobs }: { readonly jobs: readonly RequestedJob[] }) => jobs),
  ],
  routes: [post("/v1/jobs/batch", { status: 201 })],
  example: {
    jobs: [
      { type: "mail.send", payload: { to: "ann" } },
      { type: "mail.send", payload: { to: "bob" } },
    ],
  },
});

const cursor = Type.String({ maxLength: 512, description: "The `next` of the page before." });

/** One job by id, or up to 1,000 jobs of a type. */
const selection = {
  id: Type.Optional(jobId),
  type: Type.Optional(jobType),
  project: Type.Optional(jobProject),
  after: Type.Optional(cursor),
};
const selected = Type.Object(
  {
    count,
    more: Type.Boolean({ description: "Further jobs may match. Send the request again with a new key and `next`." }),
    next: Type.Union([cursor, Type.Null()], { description: "The `after` of the next request." }),
  },
  closed,
);
const selectionRights = [{ verbs: ["write"], touches: ofSelection }] as const;

const cancel = operation({
  name: "jobs.cancel",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Cancels a job, or the jobs of a type in one state. A running job gets a signal and at most 30 seconds to end.",
  input: Type.Object(
    { ...selection, state: Type.Optional(Type.Enum([...jobStates])), reason: Type.Optional(line) },
    closed,
  ),
  output: selected,
  problems: ["jobs.unknown", "jobs.not_waiting", "jobs.selection_invalid"],
  rights: selectionRights,
  routes: [post("/v1/jobs/cancel"), post("/v1/jobs/{id}/cancel", { without: ["type", "project", "after", "state"] })],
  example: { id: "job-7" },
});

const retry = operation({
  name: "jobs.retry",
  kind: "write",
  hasOpenReply: true,
  summary: "Makes a failed job ready again, or all failed jobs of a type. Their attempts are counted from zero.",
  input: Type.Object(selection, closed),
  output: selected,
  problems: ["jobs.unknown", "jobs.not_failed", "jobs.selection_invalid"],
  rights: selectionRights,
  routes: [post("/v1/jobs/retry")],
  example: { type: "mail.send" },
});

const discard = operation({
  name: "jobs.discard",
  kind: "write",
  hasOpenReply: true,
  summary: "Removes a failed job, or all failed jobs of a type.",
  input: Type.Object(selection, closed),
  output: selected,
  problems: ["jobs.unknown", "jobs.not_failed", "jobs.selection_invalid"],
  rights: selectionRights,
  routes: [post("/v1/jobs/discard")],
  example: { type: "mail.send" },
});

const change = operation({
  name: "jobs.change",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes priority, time or maximum attempts of a job that does not run yet.",
  input: Type.Object(
    {
      id: jobId,
      changes: Type.Object(
        {
          priority: Type.Optional(priority),
          run_at: Type.Optional(runAt),
          max_attempts: Type.Optional(maxAttempts),
        },
        { ...closed, minProperties: 1 },
      ),
    },
    closed,
  ),
  output: Type.Object({ id: jobId, state: Type.String(), priority, max_attempts: maxAttempts }, closed),
  problems: ["jobs.unknown", "jobs.not_waiting"],
  rights: [{ verbs: ["write"], touches: ofJob }],
  routes: [patch("/v1/jobs/{id}", { patches: "changes" })],
  example: { id: "job-7", changes: { priority: 90 } },
});

const read = operation({
  name: "jobs.get",
  kind: "read",
  summary: "Reads a job with payload, progress and result. A job that ended long ago is read from the history.",
  input: Type.Object({ id: jobId }, closed),
  output: jobView,
  problems: ["jobs.unknown", "entry_erased", "history_archived"],
  // A worker reads the payload of a job that it got without one.
  rights: [{ verbs: ["read", "work"], touches: ofJob }],
  routes: [get("/v1/jobs/{id}")],
  example: { id: "job-7" },
});

const list = operation({
  name: "jobs.list",
  kind: "read",
  summary:
    "Lists the jobs in one state, oldest first, without payloads. Ended jobs are listed newest first. A page may be short while `next` is set.",
  input: Type.Object(
    {
      state: Type.Enum([...jobStates, ...jobEnds]),
      type: Type.Optional(jobType),
      project: Type.Optional(jobProject),
      after: Type.Optional(cursor),
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object({ items: Type.Array(jobView), next: Type.Union([cursor, Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ({ type }) => ({ paths: [type === undefined ? "job" : typePath(type)] }) }],
  routes: [get("/v1/jobs")],
  example: { state: "failed", type: "mail.send", limit: 50 },
});

const typeStats = Type.Object(
  {
    type: jobType,
    waiting: count,
    scheduled: count,
    ready: count,
    locking: count,
    running: count,
    failed: count,
    paused: Type.Boolean(),
    oldest_ready_at: Type.Union([isoTime, Type.Null()]),
  },
  closed,
);

const stats = operation({
  name: "jobs.stats",
  kind: "read",
  summary: "Counts jobs by type and state, with the oldest ready job, the caps and the classes.",
  input: Type.Object({ after: Type.Optional(jobType), limit: Type.Optional(limit) }, closed),
  output: Type.Object(
    {
      types: Type.Array(typeStats),
      next: Type.Union([jobType, Type.Null()]),
      running: count,
      max_global_jobs: count,
      max_jobs_per_project: count,
      max_concurrent_map_jobs_per_project: count,
      classes: Type.Record(Type.String(), Type.Object({ running: count, capacity: count }, closed)),
      workers: count,
    },
    closed,
  ),
  problems: [],
  rights: [{ verbs: ["read"], touches: () => ({ paths: ["job"] }) }],
  routes: [get("/v1/job-stats")],
  example: { limit: 50 },
});

const listWorkers = operation({
  name: "jobs.list-workers",
  kind: "read",
  summary: "Lists the workers with their offers, ordered by their ids.",
  input: Type.Object({ after: Type.Optional(ownerId), limit: Type.Optional(limit) }, closed),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          { worker: ownerId, types: Type.Array(jobWork), slots: count, running: count, until: isoTime },
          closed,
        ),
      ),
      next: Type.Union([ownerId, Type.Null()]),
    },
    closed,
  ),
  problems: [],
  rights: [{ verbs: ["read"], touches: () => ({ paths: ["job"] }) }],
  routes: [get("/v1/workers")],
  example: { limit: 50 },
});

export const jobsOperations = [submit, submitMany, read, list, stats, listWorkers, cancel, retry, discard, change];

/** The operations of workers. A worker is an agent. Every command about a running job carries its claim. */
import Type from "typebox";
import { line } from "../../agents.ts";
import { fence } from "../../grant.ts";
import { lockedPath, lockPath, paths } from "../../lock-path.ts";
import { operation } from "../../operation.ts";
import { post, put } from "../../routes.ts";
import { claim, delaySeconds, jobError, jobId, jobWork, percent, startedJob } from "./job-view.ts";
import { ofJob } from "./jobs-operations.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

const types = Type.Array(jobWork, { minItems: 1, maxItems: 100 });
const typeRights = [
  {
    verbs: ["work"],
    touches: (input: { readonly types: readonly string[] }) => ({
      paths: input.types.map((type) => `job/${type.replace(/@.*$/u, "")}`),
    }),
  },
] as const;
const jobRights = [{ verbs: ["work"], touches: ofJob }] as const;
const attempt = { id: jobId, claim };
const next = Type.Optional(
  Type.Array(startedJob, { description: "Jobs that this entry started for the worker. A repeated reply has none." }),
);
const attemptProblems = ["jobs.claim_stale"] as const;
const ended = Type.Object({ id: jobId, state: Type.String(), next }, closed);
const withNext = Type.Optional(
  Type.Boolean({ description: "False: the reply has no `next`, for a worker that listens to its notices." }),
);
const result = Type.Optional(Type.Unknown({ description: "Any JSON value of at most 64 KiB." }));

const offer = operation({
  name: "jobs.offer",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Offers slots for jobs of these types until the offer expires, 25 seconds after the last heartbeat. 0 slots: drain.",
  input: Type.Object({ types, slots: Type.Integer({ minimum: 0, maximum: 1_000 }) }, closed),
  output: Type.Object({ slots: count, running: count, lease_ms: count, next }, closed),
  problems: ["agent_unknown", "jobs.agent_required", "space_full"],
  rights: typeRights,
  routes: [put("/v1/workers/me")],
  example: { types: ["mail.send"], slots: 4 },
});

const take = operation({
  name: "jobs.take",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Starts up to `count` jobs for this worker at once, without an offer. Over HTTP, `Prefer: wait=n` waits for one.",
  input: Type.Object({ types, count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }, closed),
  output: Type.Object({ next }, closed),
  problems: ["agent_unknown", "jobs.agent_required", "space_full"],
  rights: typeRights,
  routes: [post("/v1/workers/me/take", { waits: "jobs" })],
  example: { types: ["mail.send"], count: 1 },
});

const progress = operation({
  name: "jobs.progress",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Reports progress, and a checkpoint that the next attempt gets. It renews the lease of the job. At most ten reports a second of an attempt are recorded, after 20 at once. Others change nothing, and one with a checkpoint is refused.",
  input: Type.Object(
    {
      ...attempt,
      percent: Type.Optional(percent),
      message: Type.Optional(line),
      checkpoint: Type.Optional(Type.Unknown({ description: "Any JSON value of at most 64 KiB." })),
    },
    closed,
  ),
  output: Type.Object({ cancel_requested: Type.Union([Type.String(), Type.Null()]) }, closed),
  problems: [...attemptProblems, "jobs.result_too_large", "space_full"],
  rights: jobRights,
  routes: [post("/v1/jobs/{id}/progress")],
  example: { id: "job-7", claim: "1.90", percent: 40, message: "level 3 of 7" },
});

const complete = operation({
  name: "jobs.complete",
  kind: "write",
  hasOpenReply: true,
  summary: "Completes a job. Its locks are released, and its slot gets the next job in the same entry.",
  input: Type.Object({ ...attempt, result, with_next: withNext }, closed),
  output: ended,
  problems: [...attemptProblems, "jobs.result_too_large"],
  rights: jobRights,
  routes: [post("/v1/jobs/{id}/complete")],
  example: { id: "job-7", claim: "1.90", result: { sent: true } },
});

/** Maximum jobs that one command completes. Each may start another one, and may free locks. */
const completedMax = 100;

const completeMany = operation({
  name: "jobs.complete-many",
  kind: "write",
  hasOpenReply: true,
  summary: "Completes up to 100 jobs of a worker in one entry. Each is completed or refused on its own.",
  input: Type.Object(
    {
      jobs: Type.Array(Type.Object({ ...attempt, result }, closed), { minItems: 1, maxItems: completedMax }),
      with_next: withNext,
    },
    closed,
  ),
  output: Type.Object(
    {
      jobs: Type.Array(
        Type.Object(
          {
            id: jobId,
            state: Type.Optional(
              Type.String({ description: "`running` if the entry was full before this job. Send it again." }),
            ),
            code: Type.Optional(Type.String({ description: "The code of the refusal of this job." })),
          },
          closed,
        ),
        { description: "The results, in the order of the request." },
      ),
      next,
    },
    closed,
  ),
  problems: [],
  rights: [
    {
      verbs: ["work"],
      touches: ({ jobs }) => ({ refs: jobs.map(({ id }) => ({ kind: "job", id })) }),
    },
  ],
  routes: [post("/v1/jobs/complete")],
  example: {
    jobs: [
      { id: "job-7", claim: "1.90", result: { sent: true } },
      { id: "job-8", claim: "1.92" },
    ],
  },
});

const fail = operation({
  name: "jobs.fail",
  kind: "write",
  hasOpenReply: true,
  summary: "Ends an attempt as failed. The job is retried with backoff, up to its maximum attempts.",
  input: Type.Object(
    {
      ...attempt,
      error: jobError,
      retry: Type.Optional(Type.Boolean({ description: "False: it is not retried." })),
      with_next: withNext,
    },
    closed,
  ),
  output: ended,
  problems: attemptProblems,
  rights: jobRights,
  routes: [post("/v1/jobs/{id}/fail")],
  example: { id: "job-7", claim: "1.90", error: { message: "the mail server is down" } },
});

const release = operation({
  name: "jobs.release",
  kind: "write",
  hasOpenReply: true,
  summary: "Returns a job to the queue, at once or after a delay. It counts as no attempt.",
  input: Type.Object({ ...attempt, delay_seconds: Type.Optional(delaySeconds), with_next: withNext }, closed),
  output: ended,
  problems: attemptProblems,
  rights: jobRights,
  routes: [post("/v1/jobs/{id}/release")],
  example: { id: "job-7", claim: "1.90", delay_seconds: 60 },
});

const lock = operation({
  name: "jobs.lock",
  kind: "write",
  hasOpenReply: true,
  summary: "Acquires more locks for a running job, all at once or none. It never waits.",
  input: Type.Object({ ...attempt, paths: Type.Array(paths.items, { minItems: 1, maxItems: 100 }) }, closed),
  output: Type.Object({ id: jobId, fence }, closed),
  problems: [
    ...attemptProblems,
    "jobs.locks_unavailable",
    "jobs.cap_reached",
    "lock_order",
    "locks_off",
    "path_invalid",
  ],
  rights: [
    ...jobRights,
    {
      verbs: ["lock"],
      touches: (input) => ({ paths: input.paths.map((path) => (typeof path === "string" ? path : path.path)) }),
    },
  ],
  routes: [post("/v1/jobs/{id}/lock")],
  example: { id: "job-7", claim: "1.90", paths: ["project/p1/map/m2"] },
});

const unlock = operation({
  name: "jobs.unlock",
  kind: "write",
  hasOpenReply: true,
  summary: "Releases locks of a running job early: these paths, or all of them.",
  input: Type.Object(
    { ...attempt, paths: Type.Optional(Type.Array(lockPath, { minItems: 1, maxItems: 1_000 })) },
    closed,
  ),
  output: Type.Object(
    {
      id: jobId,
      released: Type.Array(lockedPath, { description: "The released locks, in a form that `jobs.lock` takes." }),
      fence: Type.Union([fence, Type.Null()], { description: "The fence of the locks that are left." }),
    },
    closed,
  ),
  problems: attemptProblems,
  rights: jobRights,
  routes: [post("/v1/jobs/{id}/unlock")],
  example: { id: "job-7", claim: "1.90", paths: ["project/p1/map/m2"] },
});

export const jobsWorkOperations = [offer, take, progress, complete, completeMany, fail, release, lock, unlock];

/** The members of jobs: of a request to run one, of its view, and of the work that a worker gets. */
import Type from "typebox";
import { isoTime, line, ownerId, sentTime } from "../../agents.ts";
import { fence } from "../../grant.ts";
import { lockedPath, paths } from "../../lock-path.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

/** The states of a job that the server still has to handle or keeps for a retry. */
export const jobStates = ["waiting", "scheduled", "ready", "locking", "running", "failed"] as const;
export type JobState = (typeof jobStates)[number];

/** How a job ended permanently. */
export const jobEnds = ["completed", "cancelled", "discarded"] as const;
export type JobEnd = (typeof jobEnds)[number];

export const jobId = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
  description: "The id of a job: up to 64 letters, digits, dots, hyphens and underscores.",
});

export const jobType = Type.String({
  pattern: "^[a-z][a-z0-9._-]{0,63}$",
  description: "The type of a job, such as `tiles.render`. Its path for rights is `job/<type>`.",
});

const jobRoot = Type.String({
  pattern: "^[a-z0-9][a-z0-9._-]{0,63}$",
  description: "The storage root that the job needs. Only workers that offer `<type>@<root>` get it.",
});

/** The type of a job with a root begins with a letter as well, so the sign between them is never part of a type. */
export const jobWork = Type.String({
  pattern: "^[a-z][a-z0-9._-]{0,63}(@[a-z0-9][a-z0-9._-]{0,63})?$",
  description: "A type, or `<type>@<root>` for the jobs of the type that need this storage root.",
});

export const jobProject = Type.String({
  maxLength: 128,
  pattern: "^[^/\\u0000-\\u001f\\u007f]*$",
  description: "The unit of fair sharing, with a cap of its own. Empty: no project.",
});

export const claim = Type.String({
  ...fence,
  description: "Identifies one attempt at a job, as a fence identifies a grant.",
});

export const priority = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: "Higher runs first, among the jobs of its project; 50 by default.",
});

export const runAt = Type.String({
  ...sentTime,
  description: "The earliest time of its start: ISO 8601, in UTC.",
});

export const maxAttempts = Type.Integer({ minimum: 1, maximum: 100, description: "Maximum failed attempts." });

export const delaySeconds = Type.Integer({ minimum: 0, maximum: 31_536_000 });

const unique = Type.Object(
  {
    key: Type.String({ ...line, minLength: 1, maxLength: 128 }),
    until: Type.Optional(
      Type.Union([Type.Enum(["started", "finished"]), Type.Integer({ minimum: 1, maximum: 31_536_000 })], {
        description: "The key is free again when the job starts, when it ends (default), or after these seconds.",
      }),
    ),
    duplicate: Type.Optional(
      Type.Enum(["return", "replace", "refuse"], {
        description:
          "The answer to a second job: the first one (default), the first one with the new payload and time, or a refusal.",
      }),
    ),
  },
  { ...closed, description: "At most one job of the type has this key." },
);

/** A job as its sender describes it. */
export const jobRequestMembers = {
  type: jobType,
  id: Type.Optional(jobId),
  payload: Type.Optional(Type.Unknown({ description: "Any JSON value of at most 256 KiB." })),
  project: Type.Optional(jobProject),
  priority: Type.Optional(priority),
  run_at: Type.Optional(runAt),
  delay_seconds: Type.Optional(delaySeconds),
  locks: Type.Optional(
    Type.Array(paths.items, {
      minItems: 1,
      maxItems: 100,
      description: "Locks that the job holds while it runs. They are taken in the entry that starts it.",
    }),
  ),
  after: Type.Optional(
    Type.Array(jobId, { minItems: 1, maxItems: 100, description: "Jobs that must be completed before." }),
  ),
  unique: Type.Optional(unique),
  root: Type.Optional(jobRoot),
  max_attempts: Type.Optional(maxAttempts),
  timeout_seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 604_800, description: "Maximum duration of an attempt." }),
  ),
  cost: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "The share of its project that a start uses; 1 by default.",
    }),
  ),
};

export const jobError = Type.Object(
  { code: Type.Optional(Type.String({ maxLength: 128 })), message: Type.String({ maxLength: 2_000 }) },
  closed,
);

export const percent = Type.Number({ minimum: 0, maximum: 100 });

/** A job as reads show it. */
export const jobView = Type.Object(
  {
    id: jobId,
    type: jobType,
    project: jobProject,
    root: Type.Optional(jobRoot),
    state: Type.Enum([...jobStates, ...jobEnds]),
    priority: Type.Optional(priority),
    attempt: count,
    max_attempts: Type.Optional(maxAttempts),
    crashes: Type.Optional(count),
    cost: Type.Optional(count),
    submitted_at: Type.Optional(isoTime),
    run_at: Type.Optional(isoTime),
    payload: Type.Optional(Type.Unknown()),
    locks: Type.Optional(Type.Array(lockedPath)),
    map_job: Type.Optional(Type.Boolean()),
    waits_for: Type.Optional(Type.Integer({ description: "Number of jobs that must be completed before." })),
    worker: Type.Optional(ownerId),
    claim: Type.Optional(claim),
    fence: Type.Optional(fence),
    started_at: Type.Optional(isoTime),
    lease_until: Type.Optional(isoTime),
    cancel_requested: Type.Optional(Type.String({ description: "Why the attempt must end." })),
    percent: Type.Optional(percent),
    message: Type.Optional(line),
    checkpoint: Type.Optional(Type.Unknown()),
    error: Type.Optional(jobError),
    result: Type.Optional(Type.Unknown()),
    ended_at: Type.Optional(isoTime),
  },
  closed,
);

/** A started job as its worker gets it. */
export const startedJob = Type.Object(
  {
    id: jobId,
    type: jobType,
    project: jobProject,
    root: Type.Optional(jobRoot),
    claim,
    fence: Type.Optional(fence),
    attempt: count,
    payload: Type.Optional(Type.Unknown()),
    omitted: Type.Optional(
      Type.Literal(true, {
        description:
          "Payload and checkpoint are left out, because the reply would be too large. Read them by `jobs.get`.",
      }),
    ),
    checkpoint: Type.Optional(Type.Unknown()),
    lease_ms: count,
  },
  closed,
);

/** The caps of jobs and the settings of their types and projects. Only operators change them. */
import Type from "typebox";
import { line } from "../../agents.ts";
import { operation } from "../../operation.ts";
import { ofWholeSpace } from "../../rights.ts";
import { post } from "../../routes.ts";
import { jobProject, jobType, maxAttempts } from "./job-view.ts";

const closed = { additionalProperties: false } as const;
const cap = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const className = Type.String({ pattern: "^[a-z][a-z0-9_-]{0,31}$" });

const jobTypeSettings = Type.Object(
  {
    class: Type.Optional(className),
    max_attempts: Type.Optional(maxAttempts),
    backoff_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 3_600_000 })),
    lease_ms: Type.Optional(Type.Integer({ minimum: 30_000, maximum: 60_000 })),
    lock_tries: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        description: "Maximum tries to lock the paths of a job before the attempt fails; 5 by default.",
      }),
    ),
    lock_patience_ms: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 600_000,
        description:
          "Maximum wait in the queue of its locks. By default it is the length of the tries: 100 ms, doubled up to 2 s.",
      }),
    ),
    adopt: Type.Optional(
      Type.Boolean({
        description:
          "False: the next attempt does not take over the locks of a lost one. It starts after their recovery. For effects that cannot check a fence.",
      }),
    ),
    map_job: Type.Optional(Type.Boolean()),
  },
  closed,
);

const jobProjectSettings = Type.Object(
  {
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    max_jobs: Type.Optional(cap),
    backlog_max: Type.Optional(cap),
  },
  closed,
);

const caps = {
  max_global_jobs: cap,
  max_jobs_per_project: cap,
  max_concurrent_map_jobs_per_project: cap,
};

const operators = [{ verbs: ["operate"], touches: ofWholeSpace }] as const;

const configure = operation({
  name: "jobs.configure",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes caps, classes, and the settings of types and projects. A lower cap stops no running job.",
  input: Type.Object(
    {
      max_global_jobs: Type.Optional(cap),
      max_jobs_per_project: Type.Optional(cap),
      max_concurrent_map_jobs_per_project: Type.Optional(cap),
      classes: Type.Optional(Type.Record(className, cap, { maxProperties: 32 })),
      types: Type.Optional(
        Type.Record(jobType, Type.Union([jobTypeSettings, Type.Null()]), {
          maxProperties: 1_000,
          description: "The whole settings of each type, or null for the defaults.",
        }),
      ),
      projects: Type.Optional(
        Type.Record(jobProject, Type.Union([jobProjectSettings, Type.Null()]), {
          maxProperties: 1_000,
          description: "The whole settings of each project, or null for the defaults.",
        }),
      ),
    },
    { ...closed, minProperties: 1 },
  ),
  output: Type.Object({ ...caps, classes: Type.Record(Type.String(), cap) }, closed),
  problems: [],
  rights: operators,
  routes: [post("/v1/jobs/configure")],
  example: { max_jobs_per_project: 20, types: { "mail.send": { class: "io", max_attempts: 3 } } },
});

const pauseInput = Type.Object({ type: Type.Optional(jobType), project: Type.Optional(jobProject) }, closed);
const pauseOutput = Type.Object({ paused: Type.Boolean() }, closed);

const pause = operation({
  name: "jobs.pause",
  kind: "write",
  hasOpenReply: true,
  summary: "Stops the start of jobs of a type or of a project. Running jobs continue.",
  input: Type.Object({ ...pauseInput.properties, reason: Type.Optional(line) }, closed),
  output: pauseOutput,
  problems: ["jobs.selection_invalid"],
  rights: operators,
  routes: [post("/v1/jobs/pause")],
  example: { type: "mail.send", reason: "the mail server moves" },
});

const resume = operation({
  name: "jobs.resume",
  kind: "write",
  hasOpenReply: true,
  summary: "Lets the jobs of a paused type or project start again.",
  input: pauseInput,
  output: pauseOutput,
  problems: ["jobs.selection_invalid"],
  rights: operators,
  routes: [post("/v1/jobs/resume")],
  example: { type: "mail.send" },
});

export const jobsSettingsOperations = [configure, pause, resume];

/** Schedules: a cron expression in a time zone, and the job that is submitted at each of its times. */
import Type from "typebox";
import { isoTime } from "../../agents.ts";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get, post, put, remove } from "../../routes.ts";
import { jobId, jobRequestMembers, jobType } from "./job-view.ts";
import { hasTerm, pathsOfLocks } from "./jobs-operations.ts";

const closed = { additionalProperties: false } as const;
const nextAt = Type.Union([isoTime, Type.Null()], {
  description: "The time of the next run. Null while the schedule is paused.",
});

const scheduleId = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$",
  description: "The id of a schedule: up to 40 letters, digits, dots, hyphens and underscores.",
});

const cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    "Five fields: minute, hour, day of the month, month, day of the week. Or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
});

const timeZone = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9+_-]*(/[A-Za-z0-9+_-]+){0,2}$",
  maxLength: 64,
  description: "The name of an IANA time zone, such as `Europe/Berlin`; `UTC` by default.",
});

const overlap = Type.Enum(["skip", "queue"], {
  description: "A run whose predecessor has not ended is left out (default), or is submitted and waits its turn.",
});

const catchUp = Type.Enum(["last", "none"], {
  description:
    "After an outage the last missed run is submitted once (default), or missed runs are left out. A run is missed after 60 seconds.",
});

const { id: _id, run_at: _runAt, delay_seconds: _delay, after: _after, ...templateMembers } = jobRequestMembers;
const jobTemplate = Type.Object(templateMembers, {
  ...closed,
  description: "The job of each run. Its id is the id of the schedule, a dot and the time of the run.",
});

/** A schedule as reads show it. */
const scheduleView = Type.Object(
  {
    id: scheduleId,
    cron,
    time_zone: timeZone,
    overlap,
    catch_up: catchUp,
    paused: Type.Boolean(),
    next_at: nextAt,
    last_at: Type.Optional(
      Type.String({ ...isoTime, description: "The time of the last run, submitted or left out." }),
    ),
    last_job: Type.Optional(jobId),
    last_skipped: Type.Optional(
      Type.String({
        description: "Why the last run was left out: `overlap`, `missed`, `duplicate` or a problem code.",
      }),
    ),
    job: Type.Object(templateMembers, closed),
  },
  closed,
);

interface TemplateTouch {
  readonly type: string;
  readonly locks?: readonly (string | { readonly path: string })[];
}

const ofSchedule = ({ id }: { readonly id: string }): Touch => ({ refs: [{ kind: "schedule", id }] });

const putSchedule = operation({
  name: "jobs.put-schedule",
  kind: "write",
  hasOpenReply: true,
  summary: "Creates a schedule, or replaces one. It needs the rights that its job needs.",
  input: Type.Object(
    {
      id: scheduleId,
      cron,
      time_zone: Type.Optional(timeZone),
      overlap: Type.Optional(overlap),
      catch_up: Type.Optional(catchUp),
      paused: Type.Optional(Type.Boolean()),
      job: jobTemplate,
    },
    closed,
  ),
  output: Type.Object({ id: scheduleId, created: Type.Boolean(), next_at: nextAt }, closed),
  problems: [
    "jobs.cron_invalid",
    "jobs.time_zone_unknown",
    "jobs.schedules_full",
    "jobs.schedule_unknown",
    "jobs.payload_too_large",
    "jobs.project_mismatch",
    "locks_off",
    "path_invalid",
    "space_full",
    "check_contended",
  ],
  rights: [
    {
      verbs: ["write"],
      touches: ({ id, job }: { readonly id: string; readonly job: TemplateTouch }) => ({
        ...ofSchedule({ id }),
        paths: [`job/${job.type}`],
      }),
    },
    {
      verbs: ["lock"],
      isNeeded: ({ job }: { readonly job: unknown }) => hasTerm(job, "locks"),
      touches: ({ job }: { readonly job: TemplateTouch }) => ({ paths: pathsOfLocks(job.locks) }),
    },
  ],
  routes: [put("/v1/schedules/{id}")],
  example: { id: "nightly", cron: "30 2 * * *", time_zone: "Europe/Berlin", job: { type: "report.build" } },
});

const changeRights = [{ verbs: ["write"], touches: ofSchedule }] as const;
const changed = Type.Object({ id: scheduleId, next_at: nextAt }, closed);

const pauseSchedule = operation({
  name: "jobs.pause-schedule",
  kind: "write",
  hasOpenReply: true,
  summary: "Pauses a schedule. Its times pass without a run, and they are not caught up.",
  input: Type.Object({ id: scheduleId }, closed),
  output: changed,
  problems: ["jobs.schedule_unknown"],
  rights: changeRights,
  routes: [post("/v1/schedules/{id}/pause")],
  example: { id: "nightly" },
});

const resumeSchedule = operation({
  name: "jobs.resume-schedule",
  kind: "write",
  hasOpenReply: true,
  summary: "Resumes a paused schedule with its next time.",
  input: Type.Object({ id: scheduleId }, closed),
  output: changed,
  problems: ["jobs.schedule_unknown"],
  rights: changeRights,
  routes: [post("/v1/schedules/{id}/resume")],
  example: { id: "nightly" },
});

const deleteSchedule = operation({
  name: "jobs.delete-schedule",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a schedule. Jobs that it submitted stay.",
  input: Type.Object({ id: scheduleId }, closed),
  output: Type.Object({ id: scheduleId }, closed),
  problems: ["jobs.schedule_unknown"],
  rights: changeRights,
  routes: [remove("/v1/schedules/{id}")],
  example: { id: "nightly" },
});

const getSchedule = operation({
  name: "jobs.get-schedule",
  kind: "read",
  summary: "Reads a schedule with its next time and its last run.",
  input: Type.Object({ id: scheduleId }, closed),
  output: scheduleView,
  problems: ["jobs.schedule_unknown"],
  rights: [{ verbs: ["read"], touches: ofSchedule }],
  routes: [get("/v1/schedules/{id}")],
  example: { id: "nightly" },
});

const listSchedules = operation({
  name: "jobs.list-schedules",
  kind: "read",
  summary: "Lists the schedules, ordered by their ids.",
  input: Type.Object(
    { type: Type.Optional(jobType), after: Type.Optional(scheduleId), limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object({ items: Type.Array(scheduleView), next: Type.Union([scheduleId, Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ({ type }) => ({ paths: [type === undefined ? "job" : `job/${type}`] }) }],
  routes: [get("/v1/schedules")],
  example: { limit: 50 },
});

export const jobsScheduleOperations = [
  putSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  deleteSchedule,
];

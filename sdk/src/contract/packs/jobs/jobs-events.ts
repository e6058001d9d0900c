/**
 * The events of jobs. Each event about a job names its type, so callers that may read `job/<type>` see it. Results of
 * the dispatcher, such as virtual times, are in the events. Folds never compute them.
 */
import Type from "typebox";
import type { TProperties } from "typebox";
import { withoutPath } from "../../event-type.ts";
import type { EventType, RecordedEvent } from "../../event-type.ts";
import { claim, jobError, jobType, jobWork } from "./job-view.ts";

/** Events also carry members that only a fold needs. */
const open = { additionalProperties: true } as const;
const text = Type.String();
const number = Type.Number();
const worker = Type.Optional(text);

interface JobEventData {
  readonly type?: string;
  readonly worker?: string;
}

const dataOf = ({ data }: RecordedEvent): JobEventData => data ?? {};

const ofJob = (summary: string, members: TProperties = {}): EventType => ({
  summary,
  data: Type.Object({ type: jobType, ...members }, open),
  paths: (event) => {
    const { type } = dataOf(event);
    return type === undefined ? undefined : [`job/${type}`];
  },
  owners: (event) => {
    const { worker: owner } = dataOf(event);
    return owner === undefined ? [] : [owner];
  },
});

const ofWorker = (summary: string, members: TProperties): EventType => ({
  summary,
  data: Type.Object(members, open),
  paths: withoutPath,
  owners: ({ subject }) => [subject.slice("worker/".length)],
});

const ofSpace = (summary: string, members: TProperties): EventType => ({
  summary,
  data: Type.Object(members, open),
  paths: withoutPath,
});

export const jobsEvents = {
  "jobs.submitted": ofJob("A job was submitted.", { state: text, project: text, payload: Type.Unknown() }),
  "jobs.replaced": ofJob("A job that had not started got a new payload and time.", { payload: Type.Unknown() }),
  "jobs.readied": ofJob("A job may start.", { why: text }),
  "jobs.blocked": ofJob("Locks of a job are held by others. It waits in their queue.", { holders: Type.Array(text) }),
  "jobs.started": ofJob("An attempt at a job began.", {
    worker: text,
    claim,
    attempt: number,
    waited_ms: number,
    vt: number,
    v: number,
  }),
  "jobs.progressed": ofJob("A worker reported progress.", {
    percent: Type.Optional(number),
    message: Type.Optional(text),
    checkpoint: Type.Optional(Type.Unknown()),
    paced_until: Type.Optional(number),
  }),
  "jobs.released": ofJob("A worker returned a job.", { worker, next_at: Type.Optional(number) }),
  "jobs.delayed": ofJob("A job waits for the next try to lock its paths.", { next_at: number }),
  "jobs.attempt_failed": ofJob("An attempt failed. The job is tried again.", {
    worker,
    error: jobError,
    next_at: number,
  }),
  "jobs.lost": ofJob("The worker of a job sent no heartbeat. The job is tried again.", { worker, next_at: number }),
  "jobs.locked": ofJob("A running job acquired more locks.", { fence: text }),
  "jobs.unlocked": ofJob("A running job released locks.", { fence: Type.Union([text, Type.Null()]) }),
  "jobs.completed": ofJob("A job was completed.", {
    worker,
    duration_ms: number,
    result: Type.Optional(Type.Unknown()),
  }),
  "jobs.failed": ofJob("A job failed permanently.", { worker, error: jobError }),
  "jobs.cancel_requested": ofJob("A running job must end.", { worker, why: text }),
  "jobs.cancelled": ofJob("A job was cancelled.", { worker, why: text }),
  "jobs.discarded": ofJob("A failed job was removed."),
  "jobs.changed": ofJob("Priority, time or maximum attempts of a job changed."),
  "jobs.offered": ofWorker("A worker offers slots.", { types: Type.Array(jobWork), slots: number }),
  "jobs.withdrawn": ofWorker("The offer of a worker ended.", { why: text }),
  "jobs.configured": ofSpace("An operator changed the settings of jobs.", {
    settings: Type.Record(text, Type.Unknown()),
  }),
  "jobs.paused": ofSpace("An operator paused a type or a project.", { type: Type.Optional(text) }),
  "jobs.resumed": ofSpace("An operator resumed a type or a project.", { type: Type.Optional(text) }),
  "jobs.rechecked": ofSpace("Lanes were compared with the caps.", { project: Type.Optional(text) }),
  "jobs.fill_left": ofSpace("More jobs may start than fit into one entry.", {}),
  "jobs.fill_done": ofSpace("The rest of the jobs is started.", {}),
  "jobs.schedule_put": ofJob("A schedule was created or replaced.", { cron: text, time_zone: text }),
  "jobs.schedule_fired": ofJob("A schedule submitted its job, or left out a run.", {
    at: number,
    job: Type.Optional(text),
    skipped: Type.Optional(text),
  }),
  "jobs.schedule_timed": ofJob("The next time of a schedule changed with its time zone."),
  "jobs.schedule_paused": ofJob("A schedule was paused."),
  "jobs.schedule_resumed": ofJob("A schedule was resumed."),
  "jobs.schedule_deleted": ofJob("A schedule was deleted."),
  "jobs.zone_set": ofSpace("The offsets of a time zone became known.", { zone: text, version: text }),
  "jobs.keys_dropped": ofSpace("The time of unique keys is over.", { keys: Type.Array(text) }),
} as const satisfies Record<string, EventType>;

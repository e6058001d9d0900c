/** Creates or replaces a schedule. A bad expression and an unknown time zone are refused here, never by a timer. */
import { defined } from "@holdfast/sdk/base/defined";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refused } from "../../features/locks/rules/owner.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { spaceFull } from "../../features/space/space-full.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { nextCronTime } from "./next-cron-time.ts";
import { parseCron } from "./parse-cron.ts";
import type { CronTimes } from "./parse-cron.ts";
import { offsetsOf, scheduleLimits, scheduleSubject, scheduleTable, utc, zoneTable } from "./schedule-tables.ts";
import type { ZoneRow } from "./schedule-tables.ts";
import { setZone } from "./set-zone.ts";
import { requestFault } from "./submit.ts";
import type { JobRequest } from "./submit.ts";

interface ScheduleInput {
  readonly id: string;
  readonly cron: string;
  readonly time_zone?: string;
  readonly overlap?: "skip" | "queue";
  readonly catch_up?: "last" | "none";
  readonly paused?: boolean;
  readonly job: JobRequest;
}

/** The findings of the application layer about a time zone. Its database does not have an unknown one. */
export type ZoneEvidence = ZoneRow | { readonly zone: string; readonly isUnknown: true };

export function putSchedule(input: ScheduleInput, context: DecideContext): Decision {
  const { state, time, emit } = context;
  const { id, cron: text, time_zone: zone = utc, overlap = "skip", catch_up: catchUp = "last", job } = input;
  const { paused: isPaused = false } = input;
  const cron = parseCron(text);
  if ("reason" in cron) return refused("jobs.cron_invalid", { cron: text, reason: cron.reason });
  const isNew = state.rows(scheduleTable).get(id) === undefined;
  const fault = requestFault(context, job) ?? (isNew ? limitFault(context) : undefined) ?? zoneFault(context, zone);
  if (fault !== undefined) return fault;
  const next = nextCronTime(cron, offsetsOf(state, zone), time);
  if (next === undefined) return refused("jobs.cron_invalid", { cron: text, reason: "no date matches it" });
  const nextAt = isPaused ? undefined : next;
  const data = defined({
    ...{ type: job.type, cron: text, time_zone: zone, overlap, catch_up: catchUp, paused: isPaused },
    job: job as unknown as JsonObject,
    next_at: nextAt,
  });
  emit({ type: "jobs.schedule_put", subject: scheduleSubject(id), data });
  return reply(id, nextAt, { created: isNew });
}

function reply(id: string, nextAt: number | undefined, more: JsonObject = {}): Decision {
  const shown = nextAt === undefined ? null : iso(nextAt);
  return { outcome: done({ id, ...more, next_at: shown }), events: [], attachment: {} };
}

function limitFault(context: DecideContext): Decision | undefined {
  const limit = scheduleLimits.schedulesMax;
  if (context.state.rows(scheduleTable).size >= limit) return refused("jobs.schedules_full", { limit });
  return spaceFull(context);
}

/** Takes the offsets of an unknown zone from the evidence of the command, or asks for it. */
function zoneFault(context: DecideContext, zone: string): Decision | undefined {
  const { state, time, command } = context;
  if (zone === utc) return undefined;
  const evidence = zoneEvidence(command.evidence, zone);
  const known = state.rows(zoneTable).get(zone);
  if (evidence === undefined) {
    if (known !== undefined && known.until > time + scheduleLimits.zoneAheadMs) return undefined;
    return { outcome: refusal("check_stale"), events: [], again: true };
  }
  if ("isUnknown" in evidence) return refused("jobs.time_zone_unknown", { time_zone: zone });
  // The offsets of a zone stay in the state, also after its last schedule.
  const full = known === undefined ? spaceFull(context) : undefined;
  if (full !== undefined) return full;
  setZone(evidence, context);
  return undefined;
}

function zoneEvidence(evidence: Json | undefined, zone: string): ZoneEvidence | undefined {
  return isObject(evidence) && evidence["zone"] === zone ? (evidence as unknown as ZoneEvidence) : undefined;
}

/** Pauses a schedule, or resumes it with its next time. Times during the pause are not caught up. */
export const changeSchedulePause =
  (isPaused: boolean) =>
  ({ id }: { readonly id: string }, context: DecideContext): Decision => {
    const { state, time, emit } = context;
    const row = state.rows(scheduleTable).get(id);
    if (row === undefined) return refused("jobs.schedule_unknown", { id });
    if ((row.isPaused === true) === isPaused) return reply(id, row.nextAt);
    const { type, zone } = row;
    const nextAt = isPaused ? undefined : nextCronTime(parsedCron(row.cron), offsetsOf(state, zone), time);
    const event = isPaused ? "jobs.schedule_paused" : "jobs.schedule_resumed";
    emit({ type: event, subject: scheduleSubject(id), data: defined({ type, next_at: nextAt }) });
    return reply(id, nextAt);
  };

export function deleteSchedule({ id }: { readonly id: string }, { state, emit }: DecideContext): Decision {
  const row = state.rows(scheduleTable).get(id);
  if (row === undefined) return refused("jobs.schedule_unknown", { id });
  emit({ type: "jobs.schedule_deleted", subject: scheduleSubject(id), data: { type: row.type } });
  return { outcome: done({ id }), events: [], attachment: {} };
}

/** The times of an expression that was accepted. */
export function parsedCron(text: string): CronTimes {
  const cron = parseCron(text);
  if ("reason" in cron) throw new Error(`an accepted schedule has the expression ${text}: ${cron.reason}`);
  return cron;
}

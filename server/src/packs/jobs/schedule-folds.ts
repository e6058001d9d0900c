/** The folds of schedules and time zones. Times are in the events, so a fold computes none. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Event } from "../../machine/entry.ts";
import type { Fold } from "../../machine/feature.ts";
import { scheduleSubject, scheduleTable, zoneTable } from "./schedule-tables.ts";
import type { ScheduleRow, ZoneRow } from "./schedule-tables.ts";

const subjectStart = scheduleSubject("");
const idOf = ({ subject }: Event): string => subject.slice(subjectStart.length);

interface PutData {
  readonly type: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly overlap: ScheduleRow["overlap"];
  readonly catch_up: ScheduleRow["catchUp"];
  readonly paused: boolean;
  readonly job: JsonObject;
  readonly next_at?: number;
}

/** A replaced schedule keeps its last run, so its overlap is still detected. */
const put: Fold = (state, event) => {
  const data = event.data as unknown as PutData;
  const id = idOf(event);
  const rows = state.rows(scheduleTable);
  const { lastAt, lastJob, lastSkipped } = rows.get(id) ?? {};
  const { type, cron, time_zone: zone, overlap, catch_up: catchUp, job, next_at: nextAt } = data;
  rows.put({
    ...{ id, type, cron, zone, overlap, catchUp, job, size: JSON.stringify(job).length },
    ...defined({ isPaused: data.paused ? (true as const) : undefined, nextAt, lastAt, lastJob, lastSkipped }),
  });
};

/** Changes a schedule by its event, which has the next time unless there is none. */
const changing =
  (change: (row: ScheduleRow, data: JsonObject) => ScheduleRow): Fold =>
  (state, event) => {
    const row = state.rows(scheduleTable).get(idOf(event));
    if (row === undefined) throw new Error(`${event.type} of ${event.subject}, which is not a schedule`);
    const { nextAt: _next, ...rest } = row;
    const next = event.data["next_at"];
    const changed = change(rest, event.data);
    state.rows(scheduleTable).put(next === undefined ? changed : { ...changed, nextAt: next as number });
  };

const fired = changing((row, data) => {
  const { lastSkipped: _skipped, ...rest } = row;
  const { at, job, skipped } = data as { at: number; job?: string; skipped?: string };
  return { ...rest, lastAt: at, ...defined({ lastJob: job, lastSkipped: skipped }) };
});

export const scheduleFolds: Readonly<Record<string, Fold>> = {
  "jobs.schedule_put": put,
  "jobs.schedule_fired": fired,
  "jobs.schedule_timed": changing((row) => row),
  "jobs.schedule_paused": changing((row) => ({ ...row, isPaused: true })),
  "jobs.schedule_resumed": changing(({ isPaused: _paused, ...row }) => row),
  "jobs.schedule_deleted": (state, event) => {
    state.rows(scheduleTable).delete(idOf(event));
  },
  "jobs.zone_set": (state, { data }) => {
    const { zone, version, offsets, until } = data as unknown as ZoneRow;
    state.rows(zoneTable).put({ zone, version, offsets, until });
  },
};

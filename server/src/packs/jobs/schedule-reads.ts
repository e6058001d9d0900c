import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { PureRead } from "../pack-rules.ts";
import { scheduleLimits, scheduleTable } from "./schedule-tables.ts";
import type { ScheduleRow } from "./schedule-tables.ts";
import { viewsThatFit } from "./views-that-fit.ts";

function scheduleViewOf(row: ScheduleRow): JsonObject {
  const { id, cron, zone, overlap, catchUp, nextAt, lastAt, lastJob, lastSkipped, job, isPaused = false } = row;
  return defined({
    ...{ id, cron, time_zone: zone, overlap, catch_up: catchUp, paused: isPaused },
    next_at: nextAt === undefined ? null : iso(nextAt),
    last_at: lastAt === undefined ? undefined : iso(lastAt),
    ...{ last_job: lastJob, last_skipped: lastSkipped, job },
  });
}

const readSchedule: PureRead = {
  view: "keys",
  run({ id }: { readonly id: string }, { state }) {
    const row = state.rows(scheduleTable).get(id);
    return row === undefined ? refusal("jobs.schedule_unknown", { id }) : done(scheduleViewOf(row));
  },
};

interface SchedulesPage {
  readonly type?: string;
  readonly after?: string;
  readonly limit?: number;
}

const listSchedules: PureRead = {
  view: "scan",
  run({ type, after, limit = 100 }: SchedulesPage, { state }) {
    const rows = state
      .rows(scheduleTable)
      .scan("id", { after, limit: scheduleLimits.schedulesMax })
      .filter((row) => type === undefined || row.type === type);
    const [items, last] = viewsThatFit(rows.slice(0, limit), scheduleViewOf);
    return done({ items, next: items.length < rows.length ? (last?.id ?? null) : null });
  },
};

export const scheduleReads: Readonly<Record<string, PureRead>> = {
  "jobs.get-schedule": readSchedule,
  "jobs.list-schedules": listSchedules,
};

/** The reads of jobs that need only the state. */
import { jobEnds } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { done } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import type { PureRead } from "../pack-rules.ts";
import { jobTotals } from "./change-job.ts";
import { countOfClass } from "./count-of-class.ts";
import { jobCursor } from "./job-cursor.ts";
import { classCapacity, isPaused, jobCaps, typeKey } from "./job-settings-table.ts";
import {
  endedJobTable,
  endPlace,
  endPlaceTable,
  jobLimits,
  jobTable,
  jobTypeTable,
  workerTable,
} from "./job-tables.ts";
import type { JobTypeRow } from "./job-tables.ts";
import { endedJobView, jobViewOf } from "./job-view.ts";
import { oldestReadyAt } from "./oldest-ready-at.ts";
import { viewsThatFit } from "./views-that-fit.ts";

interface JobsPage {
  readonly state: string;
  readonly type?: string;
  readonly project?: string;
  readonly after?: string;
  readonly limit?: number;
}

const pageDefault = 100;

/** A page examines a bounded number of rows. So it may be short although others match. */
export const listJobs: PureRead = {
  view: "scan",
  run(page: JobsPage, { state }) {
    const { state: from, type, project, after, limit = pageDefault } = page;
    if (jobEnds.some((end) => end === from)) return listEnded(state, page);
    const prefix = type === undefined ? `${from}${gap}` : `${from}${gap}${type}${gap}`;
    const examined = project === undefined ? limit + 1 : jobLimits.examinedMax;
    const rows = state.rows(jobTable).scan("state", { prefix, after: jobCursor.keyOf(after), limit: examined });
    const matching = project === undefined ? rows : rows.filter((row) => row.project === project);
    const [items, shown] = viewsThatFit(matching.slice(0, limit), jobViewOf);
    const isWhole = rows.length < examined && items.length === matching.length;
    const last = items.length < matching.length ? shown : rows.at(-1);
    const next = isWhole || last === undefined ? null : jobCursor.of(last);
    return done({ items, next });
  },
};

/** The most recently ended jobs come first. The cursor is the number of jobs that ended before the last one shown. */
function listEnded(
  state: StateReader,
  { state: end, type, project, after, limit = pageDefault }: JobsPage,
): ReturnType<typeof done> {
  const { ended } = jobTotals(state);
  const first = Math.max(0, ended - jobLimits.endedMax);
  const items: JsonObject[] = [];
  let number = Math.min(ended, after === undefined ? Infinity : Math.trunc(Number(after)) || 0);
  while (number > first && items.length < limit) {
    number -= 1;
    const id = state.rows(endPlaceTable).get(endPlace(number))?.id ?? "";
    const row = state.rows(endedJobTable).get(id);
    const isWanted = row?.state === end && (type ?? row.type) === row.type && (project ?? row.project) === row.project;
    if (isWanted) items.push(endedJobView(row));
  }
  return done({ items, next: number > first ? String(number) : null });
}

export const readStats: PureRead = {
  view: "scan",
  run({ after, limit = pageDefault }: { readonly after?: string; readonly limit?: number }, { state }) {
    const rows = state.rows(jobTypeTable).scan("type", { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const { running, classes } = jobTotals(state);
    const caps = jobCaps(state);
    const names = new Set([...Object.keys(caps.classes), ...Object.keys(classes)]);
    return done({
      types: page.map((row) => typeView(state, row)),
      next: rows.length > limit ? (page.at(-1)?.type ?? null) : null,
      running,
      max_global_jobs: caps.max_global_jobs,
      max_jobs_per_project: caps.max_jobs_per_project,
      max_concurrent_map_jobs_per_project: caps.max_concurrent_map_jobs_per_project,
      classes: Object.fromEntries(
        [...names]
          .sort()
          .map((name) => [name, { running: countOfClass(classes, name) ?? 0, capacity: classCapacity(state, name) }]),
      ),
      workers: state.rows(workerTable).size,
    });
  },
};

function typeView(state: StateReader, { type, counts }: JobTypeRow): JsonObject {
  const oldest = oldestReadyAt(state, type);
  const oldestAt = oldest === undefined ? null : iso(oldest);
  return { type, ...counts, paused: isPaused(state, typeKey(type)), oldest_ready_at: oldestAt };
}

export const listWorkers: PureRead = {
  view: "scan",
  run({ after, limit = pageDefault }: { readonly after?: string; readonly limit?: number }, { state }) {
    const rows = state.rows(workerTable).scan("worker", { after, limit: limit + 1 });
    const [items, last] = viewsThatFit(rows.slice(0, limit), ({ worker, works, slots, running, until }) => {
      return { worker, types: [...works], slots, running, until: iso(until) };
    });
    return done({ items, next: items.length < rows.length ? (last?.worker ?? null) : null });
  },
};

/** The folds of offers, heartbeats and settings. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { Fold, FoldedEntry } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { jobTotals } from "./change-job.ts";
import { capsKey, jobSettingsTable, projectKey, typeKey } from "./job-settings-table.ts";
import { projectRow } from "./project-row.ts";
import { putWorker } from "./put-worker.ts";
import { refreshLanes } from "./refresh-lanes.ts";
import { jobLimits, jobTable, jobTotalsTable, laneTable, uniqueTable, workerTable } from "./job-tables.ts";

const workerOf = (subject: string): string => subject.slice("worker/".length);

const offered: Fold = (state, { subject, data }, { time }) => {
  const worker = workerOf(subject);
  const { types: works, slots } = data as { types: readonly string[]; slots: number };
  const old = state.rows(workerTable).get(worker);
  const { running = 0, last = 0 } = old ?? {};
  putWorker(state, { worker, works, slots, running, last, until: time + jobLimits.offerMs });
};

/** The worker gets no more jobs. It keeps those that run. */
function withdraw(state: StateWriter, worker: string): void {
  const row = state.rows(workerTable).get(worker);
  if (row !== undefined) putWorker(state, { ...row, works: [], slots: 0 });
}

/** A heartbeat renews the offer and the leases of a worker. A late heartbeat revives nothing. */
export const foldJobBeats: Fold = (state, { data }, { time }) => {
  const { ids, grace = false } = data as { ids: readonly string[]; grace?: boolean };
  for (const worker of ids) {
    const row = state.rows(workerTable).get(worker);
    if (row === undefined) continue;
    if (row.works.length > 0 && (row.until > time || grace))
      state.rows(workerTable).put({ ...row, until: time + jobLimits.offerMs });
    for (const job of state.rows(jobTable).scan("worker", { prefix: `${worker}${gap}`, limit: Infinity })) {
      const { attemptRow } = job;
      if (attemptRow === undefined || (attemptRow.leaseUntil <= time && !grace)) continue;
      state.rows(jobTable).put({ ...job, attemptRow: { ...attemptRow, leaseUntil: time + attemptRow.leaseMs } });
    }
  }
};

export const foldWorkerEnded: Fold = (state, { subject }) => {
  withdraw(state, subject.slice("agent/".length));
};

/** The settings of each named row. Null restores the defaults. */
const configured: Fold = (state, { data }, entry) => {
  const {
    caps,
    types = {},
    projects = {},
  } = data["settings"] as {
    caps?: JsonObject;
    types?: Readonly<Record<string, JsonObject | null>>;
    projects?: Readonly<Record<string, JsonObject | null>>;
  };
  if (caps !== undefined) putSettings(state, capsKey, caps);
  for (const [type, settings] of Object.entries(types)) putSettings(state, typeKey(type), settings);
  for (const [project, settings] of Object.entries(projects)) putSettings(state, projectKey(project), settings);
  recheckAll(state, entry);
};

function putSettings(state: StateWriter, key: string, settings: JsonObject | null): void {
  const rows = state.rows(jobSettingsTable);
  const old = rows.get(key);
  if (settings === null && old?.isPaused !== true) rows.delete(key);
  else rows.put({ ...old, key, settings: settings ?? {} });
}

const paused =
  (isPaused: boolean): Fold =>
  (state, { data }, entry) => {
    const { type, project } = data as { type?: string; project?: string };
    const rows = state.rows(jobSettingsTable);
    const key = type === undefined ? projectKey(project ?? "") : typeKey(type);
    const { isPaused: _paused, ...row } = rows.get(key) ?? { key, settings: {} };
    if (isPaused) rows.put({ ...row, isPaused });
    else if (Object.keys(row.settings).length === 0) rows.delete(key);
    else rows.put(row);
    recheckAll(state, entry);
  };

/** The lanes are compared with the changed settings some at a time, the first of them in this entry. */
function recheckAll(state: StateWriter, { position }: FoldedEntry): void {
  if (state.rows(laneTable).size === 0) return;
  state.rows(jobTotalsTable).put({ ...jobTotals(state), recheckAfter: "", recheckAt: position });
}

/** The lanes of one project, or the next lanes in order. */
const rechecked: Fold = (state, { data }, { position }) => {
  const { project, after } = data as { project?: string; after?: string };
  if (project !== undefined) {
    refreshLanes(state, projectRow(state, project));
    return;
  }
  const lanes = state.rows(laneTable).scan("lane", { after, limit: jobLimits.recheckedMax });
  for (const each of new Set(lanes.map((lane) => lane.project))) refreshLanes(state, projectRow(state, each));
  const { recheckAfter: _after, recheckAt: _at, ...totals } = jobTotals(state);
  const next = lanes.length < jobLimits.recheckedMax ? undefined : lanes.at(-1)?.lane;
  const rest = next === undefined ? {} : { recheckAfter: next, recheckAt: position };
  state.rows(jobTotalsTable).put({ ...totals, ...rest });
};

export const workerFolds: Readonly<Record<string, Fold>> = {
  "jobs.offered": offered,
  "jobs.withdrawn": (state, { subject }) => {
    withdraw(state, workerOf(subject));
  },
  "jobs.configured": configured,
  "jobs.paused": paused(true),
  "jobs.resumed": paused(false),
  "jobs.rechecked": rechecked,
  "jobs.fill_left": (state, _event, { position }) => {
    state.rows(jobTotalsTable).put({ ...jobTotals(state), left: position });
  },
  "jobs.fill_done": (state) => {
    const { left: _left, ...totals } = jobTotals(state);
    state.rows(jobTotalsTable).put(totals);
  },
  "jobs.keys_dropped": (state, { data }) => {
    for (const key of data["keys"] as readonly string[]) state.rows(uniqueTable).delete(key);
  },
};

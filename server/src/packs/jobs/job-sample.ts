import type { JobState } from "@holdfast/sdk/contract";
import type { StateReader } from "../../machine/state.ts";
import { jobTotals } from "./change-job.ts";
import { classCapacity, jobCaps } from "./job-settings-table.ts";
import { jobTypeTable, workerTable } from "./job-tables.ts";
import { oldestReadyAt } from "./oldest-ready-at.ts";

/** Maximum types with figures of their own. Users choose these names, and each is a series of metrics. */
const typesMax = 100;

/** The figures of the queue for metrics. */
export function jobSample(state: StateReader): {
  readonly states: Readonly<Record<JobState, number>>;
  /** The states of the first types by name. */
  readonly types: Readonly<Record<string, Readonly<Record<JobState, number>>>>;
  /** The time since which the oldest ready job waits. */
  readonly oldestAt: number | undefined;
  readonly workers: number;
  readonly running: number;
  readonly maxRunning: number;
  readonly classes: Readonly<Record<string, { readonly running: number; readonly capacity: number }>>;
} {
  const states = { waiting: 0, scheduled: 0, ready: 0, locking: 0, running: 0, failed: 0 };
  let oldestAt: number | undefined;
  const rows = state.rows(jobTypeTable).scan("type", { limit: Infinity });
  for (const { type, counts } of rows) {
    for (const name of Object.keys(states) as JobState[]) states[name] += counts[name];
    const readyAt = oldestReadyAt(state, type);
    if (readyAt !== undefined) oldestAt = Math.min(oldestAt ?? Infinity, readyAt);
  }
  const { running, classes } = jobTotals(state);
  const caps = jobCaps(state);
  const names = [...new Set([...Object.keys(caps.classes), ...Object.keys(classes)])];
  return {
    states,
    types: Object.fromEntries(rows.slice(0, typesMax).map(({ type, counts }) => [type, counts])),
    oldestAt,
    workers: state.rows(workerTable).size,
    running,
    maxRunning: caps.max_global_jobs,
    classes: Object.fromEntries(
      names.map((name) => [name, { running: classes[name] ?? 0, capacity: classCapacity(state, name) }]),
    ),
  };
}

import type { JobState } from "@holdfast/sdk/contract";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { jobTotals } from "./change-job.ts";
import { classCapacity, jobCaps } from "./job-settings-table.ts";
import { jobTable, jobTypeTable, workerTable } from "./job-tables.ts";

/** Maximum types whose oldest ready job is compared. */
const typesMax = 1_000;

/** The figures of the queue for metrics. */
export function jobSample(state: StateReader): {
  readonly states: Readonly<Record<JobState, number>>;
  readonly oldestReadyAt: number | undefined;
  readonly workers: number;
  readonly running: number;
  readonly maxRunning: number;
  readonly classes: Readonly<Record<string, { readonly running: number; readonly capacity: number }>>;
} {
  const states = { waiting: 0, scheduled: 0, ready: 0, locking: 0, running: 0, failed: 0 };
  let oldestReadyAt: number | undefined;
  for (const { type, counts } of state.rows(jobTypeTable).scan("type", { limit: typesMax })) {
    for (const name of Object.keys(states) as JobState[]) states[name] += counts[name];
    const [oldest] = state.rows(jobTable).scan("state", { prefix: `ready${gap}${type}${gap}`, limit: 1 });
    if (oldest !== undefined) oldestReadyAt = Math.min(oldestReadyAt ?? Infinity, oldest.submittedAt);
  }
  const { running, classes } = jobTotals(state);
  const caps = jobCaps(state);
  const names = [...new Set([...Object.keys(caps.classes), ...Object.keys(classes)])];
  return {
    states,
    oldestReadyAt,
    workers: state.rows(workerTable).size,
    running,
    maxRunning: caps.max_global_jobs,
    classes: Object.fromEntries(
      names.map((name) => [name, { running: classes[name] ?? 0, capacity: classCapacity(state, name) }]),
    ),
  };
}

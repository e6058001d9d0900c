/** The caps of jobs, and the settings of types and projects. Entries set them, so every node reads the same. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { countOfClass } from "./count-of-class.ts";

interface JobCaps {
  readonly max_global_jobs: number;
  readonly max_jobs_per_project: number;
  readonly max_concurrent_map_jobs_per_project: number;
  readonly classes: Readonly<Record<string, number>>;
}

interface JobTypeSettings {
  readonly class: string;
  readonly max_attempts: number;
  readonly backoff_ms: number;
  readonly lease_ms: number;
  readonly lock_tries: number;
  readonly lock_patience_ms?: number;
  readonly adopt: boolean;
  readonly map_job: boolean;
}

interface JobProjectSettings {
  readonly weight: number;
  readonly max_jobs?: number;
  readonly backlog_max: number;
}

/** One row: the caps, a type or a project. */
interface JobSettingsRow {
  readonly key: string;
  readonly settings: JsonObject;
  readonly isPaused?: true;
}

export const jobSettingsTable: TableSpec<JobSettingsRow, never> = {
  name: "job-settings",
  boundedBy: "operators",
  key: (row) => row.key,
  sorts: {},
};

const defaultCaps: JobCaps = {
  max_global_jobs: 1_000,
  max_jobs_per_project: 50,
  max_concurrent_map_jobs_per_project: 2,
  classes: { cpu: 4, io: 1_000 },
};

export const jobTypeDefaults: JobTypeSettings = {
  class: "io",
  max_attempts: 5,
  backoff_ms: 1_000,
  lease_ms: 45_000,
  lock_tries: 5,
  adopt: true,
  map_job: false,
};

const defaultProject: JobProjectSettings = { weight: 1, backlog_max: 100_000 };

export const capsKey = "caps";
export const typeKey = (type: string): string => `type ${type}`;
export const projectKey = (project: string): string => `project ${project}`;

function settingsAt(state: StateReader, key: string): JobSettingsRow | undefined {
  const rows = state.rows(jobSettingsTable);
  return rows.size === 0 ? undefined : rows.get(key);
}

/** The settings of rows with the defaults of the others. Rows are immutable, and every start reads several of them. */
const merged = new WeakMap<JobSettingsRow, object>();

/** The settings with these defaults. A key always has the same defaults. */
function settingsOf<Settings extends object>(state: StateReader, key: string, defaults: Settings): Settings {
  const row = settingsAt(state, key);
  if (row === undefined) return defaults;
  const known = merged.get(row) as Settings | undefined;
  if (known !== undefined) return known;
  const settings = { ...defaults, ...row.settings };
  merged.set(row, settings);
  return settings;
}

export function jobCaps(state: StateReader): JobCaps {
  return settingsOf(state, capsKey, defaultCaps);
}

export function jobTypeSettings(state: StateReader, type: string): JobTypeSettings {
  return settingsOf(state, typeKey(type), jobTypeDefaults);
}

/** Pause after the first try to lock the paths of a job. Each later pause is twice as long. */
const lockPauseMs = 100;

/** Maximum pause between two tries. */
const lockPauseMaxMs = 2_000;

/** The pause after a try, counted from 1. */
export function lockPause(tries: number): number {
  return Math.min(lockPauseMs * 2 ** (tries - 1), lockPauseMaxMs);
}

/** Maximum time in the queue of its locks: the length of its tries. Five tries take 100 + 200 + 400 + 800 + 1,600 ms. */
export function lockPatience({ lock_tries: tries, lock_patience_ms: given }: JobTypeSettings): number {
  if (given !== undefined) return given;
  let patienceMs = 0;
  for (let count = 1; count <= tries; count += 1) patienceMs += lockPause(count);
  return patienceMs;
}

export function jobProjectSettings(state: StateReader, project: string): JobProjectSettings {
  return settingsOf(state, projectKey(project), defaultProject);
}

export function isPaused(state: StateReader, key: string): boolean {
  return settingsAt(state, key)?.isPaused === true;
}

/** Maximum running jobs of a project. Jobs without a project share the global cap only. */
export function projectCap(state: StateReader, project: string): number {
  if (isPaused(state, projectKey(project))) return 0;
  const own = jobProjectSettings(state, project).max_jobs;
  if (own !== undefined) return own;
  return project === "" ? Infinity : jobCaps(state).max_jobs_per_project;
}

/** Maximum running map jobs of a project. */
export function mapCap(state: StateReader, project: string): number {
  return project === "" ? Infinity : jobCaps(state).max_concurrent_map_jobs_per_project;
}

/** Maximum jobs of a project that wait in queues of locks. */
export function lockingCap(state: StateReader, project: string): number {
  return Math.min(projectCap(state, project), 50);
}

/** Maximum running jobs of a class. A class without a capacity has the one of `io`. */
export function classCapacity(state: StateReader, name: string): number {
  const { classes } = jobCaps(state);
  return countOfClass(classes, name) ?? classes["io"] ?? 0;
}

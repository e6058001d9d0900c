/** Submits jobs: one, or many in one entry. */
import { defined } from "@holdfast/sdk/base/defined";
import { measure } from "@holdfast/sdk/json/measure";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isRefused, refused } from "../../features/locks/rules/owner.ts";
import { wantedPaths } from "../../features/locks/rules/wanted-paths.ts";
import type { PathLock } from "../../features/locks/tables/lock-tables.ts";
import { kindAt, lockSettings } from "../../features/locks/tables/settings.ts";
import { spaceFull } from "../../features/space/space-full.ts";
import { currentEpoch } from "../../features/space/space-table.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import { projectRow } from "./project-row.ts";
import { fill } from "./fill.ts";
import { jobProjectSettings, jobTypeSettings } from "./job-settings-table.ts";
import { edgeTable, endedJobTable, jobLimits, jobSubject, jobTable, uniqueKey, uniqueTable } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";
import { parseUtcTime } from "./parse-utc-time.ts";
import { orderOf } from "./start-job.ts";

export interface JobRequest {
  readonly type: string;
  readonly id?: string;
  readonly payload?: Json;
  readonly project?: string;
  readonly priority?: number;
  readonly run_at?: string;
  readonly delay_seconds?: number;
  readonly locks?: readonly (string | Partial<PathLock>)[];
  readonly after?: readonly string[];
  readonly unique?: {
    readonly key: string;
    readonly until?: "started" | "finished" | number;
    readonly duplicate?: "return" | "replace" | "refuse";
  };
  readonly root?: string;
  readonly max_attempts?: number;
  readonly timeout_seconds?: number;
  readonly cost?: number;
}

const priorityDefault = 50;

export function submitJob(input: JobRequest, context: DecideContext): Decision {
  const submitted = submitOne(context, input);
  if (isRefused(submitted)) return submitted;
  fill(context);
  return { outcome: done(submitted), events: [], attachment: {} };
}

/** All jobs, or the refusal of the first that cannot be submitted, with its index. */
export function submitManyJobs({ jobs }: { readonly jobs: readonly JobRequest[] }, context: DecideContext): Decision {
  const submitted: JsonObject[] = [];
  const dependents = new Map<string, number>();
  const refusal = context.attempt(
    () => {
      for (const [index, job] of jobs.entries()) {
        const result = submitOne(context, job, dependents);
        if (!isRefused(result)) submitted.push(result);
        else if (result.outcome.kind === "refusal")
          return refused(result.outcome.code, { ...result.outcome.data, index });
      }
      return undefined;
    },
    (result) => result === undefined,
  );
  if (refusal !== undefined) return refusal;
  fill(context);
  return { outcome: done({ jobs: submitted }), events: [], attachment: {} };
}

/**
 * Submits a job without starting others: the caller calls `fill`. `dependents` has the counts that earlier jobs of the
 * command needed. A thousand jobs that wait for the same hundred would otherwise count fifty million rows.
 */
export function submitOne(
  context: DecideContext,
  request: JobRequest,
  dependents = new Map<string, number>(),
): JsonObject | Decision {
  const { emit } = context;
  const known = knownDuplicate(context, request);
  if (known !== undefined) return known;
  const locks = requestedLocks(context, request);
  if ("outcome" in locks) return locks;
  const project = projectOf(request, locks);
  if (typeof project !== "string") return project;
  const id = request.id ?? newJobId(context);
  const fault = submitFault(context, request, { id, project });
  if (fault !== undefined) return fault;
  const after = openDependencies(context, request.after ?? [], dependents);
  if ("outcome" in after) return after;
  const data = submittedData(context, request, { project, locks, after });
  emit({ type: "jobs.submitted", subject: jobSubject(id), data });
  return { id, state: data["state"] ?? "", duplicate: false };
}

/** The refusal of a job that could not be submitted at any time: of its locks, its project or its payload. */
export function requestFault(context: DecideContext, request: JobRequest): Decision | undefined {
  const locks = requestedLocks(context, request);
  if ("outcome" in locks) return locks;
  const project = projectOf(request, locks);
  return typeof project === "string" ? payloadFault(request) : project;
}

interface CheckedRequest {
  readonly project: string;
  readonly locks: readonly PathLock[];
  readonly after: readonly string[];
}

/** The data of a new job, with the defaults of its type. */
function submittedData(context: DecideContext, request: JobRequest, checked: CheckedRequest): JsonObject {
  const { state } = context;
  const { project, locks, after } = checked;
  const { type, root, unique, timeout_seconds: timeout } = request;
  const { max_attempts: attemptsDefault, map_job: isMapType } = jobTypeSettings(state, type);
  const isMap = isMapType || locks.some(({ path }) => kindAt(state, path).name === "map");
  const at = timeOf(context, request);
  const { priority = priorityDefault, payload = null, max_attempts = attemptsDefault, cost = 1 } = request;
  return defined({
    ...{ type, project, root, priority, payload, max_attempts, cost, at },
    state: after.length > 0 ? "waiting" : at === undefined ? "ready" : "scheduled",
    seq: orderOf(context),
    is_map: isMap ? true : undefined,
    locks: locks.length === 0 ? undefined : (locks as unknown as JsonObject[]),
    timeout_ms: timeout === undefined ? undefined : timeout * 1000,
    after: after.length === 0 ? undefined : after,
    unique: unique === undefined ? undefined : uniqueData(context, type, unique),
  });
}

/** The time of the start, if it is in the future. */
function timeOf(
  { time }: DecideContext,
  { run_at: runAt, delay_seconds: delay = 0 }: Pick<JobRequest, "run_at" | "delay_seconds">,
): number | undefined {
  const at = runAt === undefined ? time + delay * 1000 : parseUtcTime(runAt);
  return at > time ? at : undefined;
}

function uniqueData(
  { time }: DecideContext,
  type: string,
  { key, until = "finished" }: NonNullable<JobRequest["unique"]>,
): JsonObject {
  return { key: uniqueKey(type, key), until: typeof until === "number" ? time + until * 1000 : until };
}

/** The answer if a job has the unique key already. */
function knownDuplicate(context: DecideContext, request: JobRequest): JsonObject | Decision | undefined {
  const { state, time } = context;
  const { unique, type } = request;
  if (unique === undefined) return undefined;
  const held = state.rows(uniqueTable).get(uniqueKey(type, unique.key));
  if (held === undefined || (held.until ?? Infinity) <= time) return undefined;
  const { duplicate = "return", key } = unique;
  if (duplicate === "refuse") return refused("jobs.duplicate", { id: held.id, key });
  const row = state.rows(jobTable).get(held.id);
  const isWaiting = row !== undefined && row.attemptRow === undefined && row.state !== "failed";
  if (duplicate === "replace" && isWaiting) return replaceJob(context, row, request);
  return { id: held.id, state: shownState(state, held.id), duplicate: true };
}

/** The state of a job, or how it ended. A key may outlive the record of the end. */
function shownState(state: StateReader, id: string): string {
  return (state.rows(jobTable).get(id) ?? state.rows(endedJobTable).get(id))?.state ?? "completed";
}

/** A job that has not started gets the payload and the time of the newer request. */
function replaceJob(context: DecideContext, row: JobRow, request: JobRequest): JsonObject | Decision {
  // A larger payload needs room, although the job is not new.
  const fault = payloadFault(request) ?? spaceFull(context);
  if (fault !== undefined) return fault;
  const at = timeOf(context, request);
  const waits = row.state === "waiting" || row.state === "locking";
  const to = waits ? row.state : at === undefined ? "ready" : "scheduled";
  const data = defined({ type: row.type, payload: request.payload ?? null, state: to, at });
  context.emit({ type: "jobs.replaced", subject: jobSubject(row.id), data });
  return { id: row.id, state: to, duplicate: true };
}

function payloadFault({ payload }: JobRequest): Decision | undefined {
  return payload === undefined ? undefined : sizeFault(payload, jobLimits.payloadBytesMax, "jobs.payload_too_large");
}

/** The refusal of a value with too many bytes of JSON. */
export function sizeFault(value: Json, limit: number, code: string): Decision | undefined {
  const isSmall = measure(value, { bytesMax: limit, depthMax: Infinity, membersMax: Infinity }).ok;
  return isSmall ? undefined : refused(code, { limit });
}

/** The locks of a job, sorted and without repeats, or the refusal. */
function requestedLocks(context: DecideContext, { locks = [] }: JobRequest): readonly PathLock[] | Decision {
  if (locks.length === 0) return [];
  if (!lockSettings(context.state).isOn) return refused("locks_off", { toggle: "component_toggles.lock_manager" });
  const wanted = wantedPaths({ paths: locks as never }, context);
  return isRefused(wanted) ? wanted : wanted.map(({ path, mode, scope }) => ({ path, mode, scope }));
}

/** The projects in which paths lie. */
export function projectsOf(paths: readonly { readonly path: string }[]): readonly string[] {
  const projects = paths.flatMap(({ path }) => {
    const [kind, project] = path.split("/");
    return kind === "project" && project !== undefined ? [project] : [];
  });
  return [...new Set(projects)];
}

/** A job whose locks lie in a project belongs to that project. Otherwise it could evade its caps. */
function projectOf({ project }: JobRequest, locks: readonly PathLock[]): string | Decision {
  const projects = projectsOf(locks);
  const [only] = projects;
  if (only === undefined) return project ?? "";
  if (project === undefined && projects.length === 1) return only;
  if (project !== undefined && projects.includes(project)) return project;
  return refused("jobs.project_mismatch", { project: project ?? "", projects: [...projects] });
}

function submitFault(
  context: DecideContext,
  request: JobRequest,
  { id, project }: { readonly id: string; readonly project: string },
): Decision | undefined {
  const { state } = context;
  if (isKnown(state, id)) return refused("jobs.exists", { id });
  const { backlog_max: limit } = jobProjectSettings(state, project);
  if (projectRow(state, project).backlog >= limit)
    return refused("jobs.backlog_full", { project, limit, retry_after_ms: 1_000 });
  return payloadFault(request) ?? spaceFull(context);
}

function isKnown(state: StateReader, id: string): boolean {
  return state.rows(jobTable).get(id) !== undefined || state.rows(endedJobTable).get(id) !== undefined;
}

/** An id that contains the position of the entry, so it is unique and short. */
function newJobId(context: DecideContext): string {
  const { state, position, events } = context;
  const epoch = currentEpoch(state);
  const base = `job-${position}${epoch === 1 ? "" : `-${epoch}`}`;
  for (let number = events.length; ; number += 1) {
    const id = number === 0 ? base : `${base}.${number}`;
    // A caller may have chosen this id.
    if (!isKnown(state, id)) return id;
  }
}

/** The jobs that are not completed yet, or the refusal of one that does not exist or ended in another way. */
function openDependencies(
  { state }: DecideContext,
  ids: readonly string[],
  dependents: Map<string, number>,
): readonly string[] | Decision {
  const open: string[] = [];
  for (const id of new Set(ids)) {
    if (state.rows(jobTable).get(id) === undefined) {
      const ended = state.rows(endedJobTable).get(id);
      if (ended === undefined) return refused("jobs.unknown", { id });
      if (ended.state !== "completed") return refused("jobs.not_waiting", { id, state: ended.state });
      continue;
    }
    const limit = jobLimits.dependentsMax;
    const count = dependents.get(id) ?? state.rows(edgeTable).scan("on", { prefix: `${id}${gap}`, limit }).length;
    if (count >= limit) return refused("jobs.dependents_full", { id, limit });
    dependents.set(id, count + 1);
    open.push(id);
  }
  return open;
}

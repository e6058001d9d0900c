/** The writes of the workers of the pack's jobs. Each is refused without the fence of such a job. */
import { defined } from "@holdfast/sdk/base/defined";
import { workspaceMap, workspaceObject, workspaceProject, workspaceSketch } from "@holdfast/sdk/contract";
import { recordsPerCommand } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { missing } from "../../features/entities/change.ts";
import { entityTable, findEntity } from "../../features/entities/entity-table.ts";
import type { Kind } from "../../features/entities/kind.ts";
import { writeAllByKind, writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import { holdsLock } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import type { Refusal } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { refusedBy } from "./access.ts";
import { emitOfProject } from "./emit-of-project.ts";
import { findRule, locksOfRule } from "./find-rule.ts";
import { removeRecords } from "./purge.ts";
import { jobOfFence, projectValue } from "./roles.ts";
import { mapKind, objectKind, projectKind, sketchKind } from "./workspace-kinds.ts";
import { jobTable } from "../jobs/job-tables.ts";
import { workspaceJobTable } from "./workspace-tables.ts";
import type { ProjectValue } from "./record-place.ts";

interface WorkInput {
  readonly project: string;
  readonly fence: string;
}

interface FoundWork {
  readonly job: string;
  readonly value: ProjectValue;
}

/** The job of the caller and the record of its project. The fence covers the lock of the rule, or the call is refused. */
export function workOfFence(
  context: LockContext,
  operation: string,
  { project, fence }: WorkInput,
): FoundWork | Refusal {
  const target = { type: workspaceProject.type, id: project };
  const value = projectValue(context.state, project);
  if (value === undefined) return missing(findEntity(context.state, target), target).outcome as Refusal;
  const job = jobOfFence(context, project, fence);
  const isCovered = locksOfRule(findRule(operation), { project }).every(({ path, mode, scope }) =>
    holdsLock(context, path, { mode, scope, fence }),
  );
  if (job === undefined || !isCovered) {
    const reason =
      job === undefined ? "the fence is not of a running job of the workspace" : "the lock of the job is not enough";
    return refusal("workspace.job_required", { project, reason });
  }
  return { job: job.job, value };
}

type Work = (context: DecideContext, found: FoundWork) => Decision;

function decideWork(context: DecideContext, operation: string, input: WorkInput, work: Work): Decision {
  const found = workOfFence(context, operation, input);
  return "kind" in found ? refusedBy(context, found) : work(context, found);
}

interface TotalsInput extends WorkInput {
  readonly map: string;
  readonly sketch?: string;
  readonly totals: JsonObject;
}

function setTotals(input: TotalsInput, context: DecideContext): Decision {
  const { project, map, sketch, totals } = input;
  return decideWork(context, "workspace.set-totals", input, () => {
    const [kind, id] =
      sketch === undefined ? [mapKind, `${project}/${map}`] : [sketchKind, `${project}/${map}/${sketch}`];
    // The totals are replaced as a whole: a merge would keep members of the totals before.
    const update = (current: Json): Json => ({ ...(current as JsonObject), totals });
    const written = writeByKind(kind, { target: { id }, name: "totals-set", change: { update } }, context);
    if ("outcome" in written) return written;
    const { version = 0, changed = false } = written.data;
    return { outcome: done({ version, changed }), events: [], attachment: {} };
  });
}

/** A restore that another job has begun and not ended is taken over only after that job has ended or failed. */
function beginRestore(input: WorkInput, context: DecideContext): Decision {
  const { project } = input;
  return decideWork(context, "workspace.begin-restore", input, (_context, { job, value }) => {
    const { restoring } = value;
    const isOther = restoring !== undefined && restoring !== job;
    if (isOther && mayContinue(context, restoring))
      return refusedBy(context, refusal("workspace.restoring", { project, job: restoring, retry_after_ms: 1_000 }));
    const merge: JsonObject = { restoring: job };
    const written = writeByKind(
      projectKind,
      { target: { id: project }, name: "restoring", change: { merge } },
      context,
    );
    if ("outcome" in written) return written;
    if (written.data["changed"] === true) emitOfProject(context, project, "workspace.restore_began", { job });
    return { outcome: done({ project }), events: [], attachment: {} };
  });
}

/** A failed job runs again only if an operator retries it. It must not keep the project closed until then. */
function mayContinue({ state }: DecideContext, job: string): boolean {
  const isKnown = state.rows(workspaceJobTable).get(job) !== undefined;
  return isKnown && state.rows(jobTable).get(job)?.state !== "failed";
}

/** The job that marked the project, and no other one. */
function decideRestore(context: DecideContext, operation: string, input: WorkInput, work: Work): Decision {
  return decideWork(context, operation, input, (_context, found) => {
    if (found.value.restoring === found.job) return work(context, found);
    const reason = "the job has not begun to restore the project";
    return refusedBy(context, refusal("workspace.job_required", { project: input.project, reason }));
  });
}

const cleared = [workspaceObject, workspaceSketch, workspaceMap].map(({ type }) => type);

function clearRecords(input: WorkInput, context: DecideContext): Decision {
  const { project } = input;
  return decideRestore(context, "workspace.clear-records", input, () => {
    const removed = removeRecords(context, project, recordsPerCommand, cleared);
    const isEmpty = cleared.every((type) => {
      return context.state.rows(entityTable).scan("subject", { prefix: `${type}/${project}/`, limit: 1 }).length === 0;
    });
    return { outcome: done({ project, removed, is_empty: isEmpty }), events: [], attachment: {} };
  });
}

interface WriteInput extends WorkInput {
  readonly records: readonly { readonly type: string; readonly id: string; readonly value: Json }[];
}

const kindsOf: ReadonlyMap<string, Kind> = new Map([mapKind, sketchKind, objectKind].map((kind) => [kind.type, kind]));

/** The same record twice is written once, so a chunk can be repeated. */
function writeRecords(input: WriteInput, context: DecideContext): Decision {
  const { project, records } = input;
  return decideRestore(context, "workspace.write-records", input, () => {
    const writes = records.flatMap(({ type, id, value }): readonly (readonly [Kind, KindWrite])[] => {
      const kind = kindsOf.get(type);
      return kind === undefined
        ? []
        : [[kind, { target: { id: `${project}/${id}` }, name: "restored", change: { value } }]];
    });
    const written = writeAllByKind(writes, context);
    if ("outcome" in written) return written;
    return { outcome: done({ project, written: written.length }), events: [], attachment: {} };
  });
}

interface EndInput extends WorkInput {
  readonly value: Pick<ProjectValue, "name" | "description" | "layers" | "roles">;
}

/** The mark goes in the entry that writes the record, so no reader sees a project that is half restored. */
function endRestore(input: EndInput, context: DecideContext): Decision {
  const { project, value } = input;
  return decideRestore(context, "workspace.end-restore", input, (_context, { job, value: current }) => {
    if (!Object.values(value.roles).includes("owner"))
      return refusedBy(context, refusal("workspace.last_owner", { project, principal_name: "" }));
    const root = defined({ root: current.root });
    const next = { ...(value as unknown as JsonObject), ...root };
    const write = { target: { id: project }, name: "restored", change: { value: next } };
    const written = writeByKind(projectKind, write, context);
    if ("outcome" in written) return written;
    emitOfProject(context, project, "workspace.restore_ended", { job });
    return { outcome: done({ project }), events: [], attachment: {} };
  });
}

export const workRecords = { setTotals, beginRestore, clearRecords, writeRecords, endRestore };

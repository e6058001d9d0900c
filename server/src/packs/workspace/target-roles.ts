/**
 * Roles, restores and deletions hold for published files too: for those in a project, its uploads, its exports and its backups.
 */
import { guardOf, workspaceMap, workspaceSketch } from "@holdfast/sdk/contract";
import type { WorkspacePlace, WorkspaceRole } from "@holdfast/sdk/contract";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import { callerOf } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import { versionsOf } from "../files/find-version.ts";
import type { TargetRule, TargetUse } from "../files/target-rule.ts";
import { purgingData } from "./access.ts";
import { recordId } from "./record-place.ts";
import { isAtLeast, jobOfFence, projectValue, roleIn } from "./roles.ts";

interface TargetNeeds {
  readonly read: WorkspaceRole;
  readonly write: WorkspaceRole;
}

/** The role of readers and of publishers, by the first name of the target. The second name is the project. */
const needs: Readonly<Record<string, TargetNeeds>> = {
  project: { read: "viewer", write: "manager" },
  export: { read: "viewer", write: "manager" },
  import: { read: "editor", write: "editor" },
  backup: { read: "manager", write: "owner" },
};

/** A name without a project of the workspace is free: others may use such targets. */
function targetRefusal(context: LockContext, use: TargetUse): KindRefusal | undefined {
  const place = placeOfTarget(use.target);
  const purging = purgingData(context, place);
  if (purging !== undefined)
    return isKeptForCaller(context, use)
      ? undefined
      : refuse("workspace.purging", purging, { audited: isAudited(context, use) });
  const value = projectValue(context.state, place.project);
  if (value === undefined) return undefined;
  return roleRefusal(context, use, place) ?? parentRefusal(context, use, place);
}

/** The record that a target is in, by its names. */
function placeOfTarget(target: string): WorkspacePlace {
  const [kind, project = "", ...rest] = target.split("/");
  if (kind === "export") return { project, map: rest[0] };
  const [, , , map, , sketch] = kind === "project" ? guardOf(target).split("/") : [];
  return { project, map, sketch };
}

/** A reader that has pinned a version of a deleted place reads it until its pin ends. */
function isKeptForCaller(context: LockContext, { use, target }: TargetUse): boolean {
  if (isWrite(use)) return false;
  const { agent, principal } = callerOf(context);
  const owner = agent ?? principal;
  return versionsOf(context.state, target).some(({ pins = [] }) => pins.some((pin) => pin.owner === owner));
}

function roleRefusal(context: LockContext, use: TargetUse, { project }: WorkspacePlace): KindRefusal | undefined {
  const value = projectValue(context.state, project);
  const need = needs[use.target.slice(0, use.target.indexOf("/"))];
  if (value === undefined || need === undefined) return undefined;
  const job = jobOfFence(context, project, use.fence);
  const { restoring } = value;
  if (restoring !== undefined && restoring !== job?.job)
    return refuse("workspace.restoring", { project, job: restoring, retry_after_ms: 1_000 });
  if (job !== undefined) return undefined;
  const needed = isWrite(use.use) ? need.write : need.read;
  const role = roleIn(value, callerOf(context).principal);
  if (isAtLeast(role, needed)) return undefined;
  const data = { project, needs: needed, role: role ?? null };
  return refuse("workspace.role_missing", data, { audited: isAudited(context, use) });
}

/**
 * Files are published only into maps and sketches that exist. Otherwise a later record of the same name would own them.
 */
function parentRefusal(
  { state }: LockContext,
  { use }: TargetUse,
  { project, map, sketch }: WorkspacePlace,
): KindRefusal | undefined {
  if (use !== "open" && use !== "commit") return undefined;
  const parents = [
    ...(map === undefined ? [] : [{ type: workspaceMap.type, id: recordId({ project, map }) }]),
    ...(sketch === undefined ? [] : [{ type: workspaceSketch.type, id: recordId({ project, map, sketch }) }]),
  ];
  const absent = parents.find((parent) => !isLive(findEntity(state, parent)));
  return absent === undefined ? undefined : refuse("workspace.parent_not_found", absent);
}

function isWrite(use: TargetUse["use"]): boolean {
  return use !== "read" && use !== "list";
}

/** A refused write of an agent may be an attempt to bypass a rule. */
function isAudited(context: LockContext, { use }: TargetUse): boolean {
  return isWrite(use) && callerOf(context).agent !== undefined;
}

export const targetRoles: readonly TargetRule[] = Object.keys(needs).map((prefix) => ({ prefix, rule: targetRefusal }));

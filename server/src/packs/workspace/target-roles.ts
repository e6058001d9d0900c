/** Roles and restores hold for published files too: for those in a project, its uploads, its exports and its backups. */
import type { WorkspaceRole } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import { callerOf } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import type { TargetRule, TargetUse } from "../files/target-rule.ts";
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
function roleRefusal(context: LockContext, { use, target, fence }: TargetUse): KindRefusal | undefined {
  const [kind = "", project = ""] = target.split("/");
  const value = projectValue(context.state, project);
  const need = needs[kind];
  if (value === undefined || need === undefined) return undefined;
  const job = jobOfFence(context, project, fence);
  const { restoring } = value;
  if (restoring !== undefined && restoring !== job?.job)
    return refuse("workspace.restoring", { project, job: restoring, retry_after_ms: 1_000 });
  if (job !== undefined) return undefined;
  const { principal, agent } = callerOf(context);
  const needed = use === "read" || use === "list" ? need.read : need.write;
  const role = roleIn(value, principal);
  if (isAtLeast(role, needed)) return undefined;
  const audited = agent !== undefined && use !== "read" && use !== "list";
  return refuse("workspace.role_missing", { project, needs: needed, role: role ?? null }, { audited });
}

export const targetRoles: readonly TargetRule[] = Object.keys(needs).map((prefix) => ({ prefix, rule: roleRefusal }));

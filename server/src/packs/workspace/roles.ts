/** The roles of principals in projects, and the jobs that act in place of a role. */
import { workspaceProject, workspaceRoles } from "@holdfast/sdk/contract";
import type { WorkspaceRole } from "@holdfast/sdk/contract";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { foreignFault, grantNow } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import type { StateReader } from "../../machine/state.ts";
import { workspaceJobTable } from "./workspace-tables.ts";
import type { WorkspaceJobRow } from "./workspace-tables.ts";
import type { ProjectValue } from "./record-place.ts";

/** The principal of the operator's token. No other token has it. */
const operatorPrincipal = "operator";

export function projectValue(state: StateReader, project: string): ProjectValue | undefined {
  const row = findEntity(state, { type: workspaceProject.type, id: project });
  return isLive(row) ? (row.value as unknown as ProjectValue) : undefined;
}

/** The role of a principal in a project. The operator acts as an owner of every project. */
export function roleIn(value: ProjectValue, principal: string): WorkspaceRole | undefined {
  if (isOperatorPrincipal(principal)) return "owner";
  return Object.hasOwn(value.roles, principal) ? value.roles[principal] : undefined;
}

function isOperatorPrincipal(principal: string): boolean {
  return principal === operatorPrincipal;
}

export function isAtLeast(role: WorkspaceRole | undefined, needed: WorkspaceRole): boolean {
  return role !== undefined && workspaceRoles.indexOf(role) >= workspaceRoles.indexOf(needed);
}

/**
 * The job whose lock the caller proves by a fence, if an operation of the pack submitted it for the project. Its sender
 * had the role. A job that was submitted in another way has no role.
 */
export function jobOfFence(
  context: LockContext,
  project: string,
  fence: string | undefined,
): WorkspaceJobRow | undefined {
  const grant = fence === undefined ? undefined : grantNow(context, fence);
  if (grant?.job === undefined || grant.keeper === undefined) return undefined;
  if (foreignFault(context, grant) !== undefined) return undefined;
  const row = context.state.rows(workspaceJobTable).get(grant.job);
  return row?.project === project ? row : undefined;
}

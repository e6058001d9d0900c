// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { workspaceProblemData } from "../../contract/packs/workspace-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof workspaceProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isWorkspaceOff: Guard<"workspace.off"> = problemGuard("workspace.off");
export const isWorkspaceOwnOperations: Guard<"workspace.own_operations"> = problemGuard("workspace.own_operations");
export const isWorkspaceScopeAmbiguous: Guard<"workspace.scope_ambiguous"> = problemGuard("workspace.scope_ambiguous");
export const isWorkspaceRootAmbiguous: Guard<"workspace.root_ambiguous"> = problemGuard("workspace.root_ambiguous");
export const isWorkspaceApprovalRequired: Guard<"workspace.approval_required"> = problemGuard("workspace.approval_required");
export const isWorkspaceLockRequired: Guard<"workspace.lock_required"> = problemGuard("workspace.lock_required");
export const isWorkspaceRoleMissing: Guard<"workspace.role_missing"> = problemGuard("workspace.role_missing");
export const isWorkspaceApprovalInvalid: Guard<"workspace.approval_invalid"> = problemGuard("workspace.approval_invalid");
export const isWorkspaceJobRequired: Guard<"workspace.job_required"> = problemGuard("workspace.job_required");
export const isWorkspaceRestoring: Guard<"workspace.restoring"> = problemGuard("workspace.restoring");
export const isWorkspacePurging: Guard<"workspace.purging"> = problemGuard("workspace.purging");
export const isWorkspaceParentNotFound: Guard<"workspace.parent_not_found"> = problemGuard("workspace.parent_not_found");
export const isWorkspaceGeometryInvalid: Guard<"workspace.geometry_invalid"> = problemGuard("workspace.geometry_invalid");
export const isWorkspaceTooMany: Guard<"workspace.too_many"> = problemGuard("workspace.too_many");
export const isWorkspaceLastOwner: Guard<"workspace.last_owner"> = problemGuard("workspace.last_owner");
export const isWorkspaceIndexBusy: Guard<"workspace.index_busy"> = problemGuard("workspace.index_busy");

// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { workspaceProblemData } from "../../contract/packs/workspace-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof workspaceProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isWorkspaceOff: Guard<"workspace.off"> = /* @__PURE__ */ problemGuard("workspace.off");
export const isWorkspaceOwnOperations: Guard<"workspace.own_operations"> = /* @__PURE__ */ problemGuard("workspace.own_operations");
export const isWorkspaceScopeAmbiguous: Guard<"workspace.scope_ambiguous"> = /* @__PURE__ */ problemGuard("workspace.scope_ambiguous");
export const isWorkspaceRootAmbiguous: Guard<"workspace.root_ambiguous"> = /* @__PURE__ */ problemGuard("workspace.root_ambiguous");
export const isWorkspaceApprovalRequired: Guard<"workspace.approval_required"> = /* @__PURE__ */ problemGuard("workspace.approval_required");
export const isWorkspaceLockRequired: Guard<"workspace.lock_required"> = /* @__PURE__ */ problemGuard("workspace.lock_required");
export const isWorkspaceRoleMissing: Guard<"workspace.role_missing"> = /* @__PURE__ */ problemGuard("workspace.role_missing");
export const isWorkspaceApprovalInvalid: Guard<"workspace.approval_invalid"> = /* @__PURE__ */ problemGuard("workspace.approval_invalid");
export const isWorkspaceJobRequired: Guard<"workspace.job_required"> = /* @__PURE__ */ problemGuard("workspace.job_required");
export const isWorkspaceRestoring: Guard<"workspace.restoring"> = /* @__PURE__ */ problemGuard("workspace.restoring");
export const isWorkspacePurging: Guard<"workspace.purging"> = /* @__PURE__ */ problemGuard("workspace.purging");
export const isWorkspaceParentNotFound: Guard<"workspace.parent_not_found"> = /* @__PURE__ */ problemGuard("workspace.parent_not_found");
export const isWorkspaceGeometryInvalid: Guard<"workspace.geometry_invalid"> = /* @__PURE__ */ problemGuard("workspace.geometry_invalid");
export const isWorkspaceTooMany: Guard<"workspace.too_many"> = /* @__PURE__ */ problemGuard("workspace.too_many");
export const isWorkspaceInUse: Guard<"workspace.in_use"> = /* @__PURE__ */ problemGuard("workspace.in_use");
export const isWorkspaceLastOwner: Guard<"workspace.last_owner"> = /* @__PURE__ */ problemGuard("workspace.last_owner");
export const isWorkspaceIndexBusy: Guard<"workspace.index_busy"> = /* @__PURE__ */ problemGuard("workspace.index_busy");

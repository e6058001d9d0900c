/**
 * Approvals by a second person. An approval is valid for a day, once, for exactly one action with its parameters, and is
 * used in the entry that acts.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { workspaceApproval } from "@holdfast/sdk/contract";
import { canonicalText } from "@holdfast/sdk/json/canonical-text";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { missing } from "../../features/entities/change.ts";
import { entityTable, findEntity, isLive } from "../../features/entities/entity-table.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import { currentEpoch } from "../../features/space/space-table.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { decideUnder, refusedBy } from "./access.ts";
import { emitOfProject } from "./emit-of-project.ts";
import { approvalKind } from "./workspace-kinds.ts";
import { approvalMs, workspaceLimits } from "./record-place.ts";
import type { ApprovalValue } from "./record-place.ts";
import { accessOf } from "./write-record.ts";

interface ApprovalRequest {
  readonly project: string;
  readonly action: ApprovalValue["action"];
  readonly parameters?: JsonObject;
}

export function requestApproval(input: ApprovalRequest, context: DecideContext): Decision {
  const { project, action, parameters = {} } = input;
  const { command, time, position, state } = context;
  const access = accessOf("workspace.request-approval", { project }, { isRestorable: true });
  return decideUnder(context, access, () => {
    const full = makeRoom(context, project);
    if (full !== undefined) return full;
    const epoch = currentEpoch(state);
    const approval = `a${String(position)}${epoch === 1 ? "" : `-${String(epoch)}`}`;
    const value: ApprovalValue = {
      ...{ action, parameters: canonicalText(parameters), requester: command.principal },
      ...{ requested_at: time, state: "requested" },
    };
    const create = value as unknown as JsonObject;
    const written = writeByKind(
      approvalKind,
      { target: { id: `${project}/${approval}` }, change: { create } },
      context,
    );
    if ("outcome" in written) return written;
    emitOfProject(context, project, "workspace.approval_requested", { approval, action });
    return { outcome: done(approvalView(`${project}/${approval}`, value)), events: [], attachment: {} };
  });
}

/** At the limit, approvals that are over make room. One that is still open is never removed. */
function makeRoom(context: DecideContext, project: string): Decision | undefined {
  const limit = workspaceLimits.approvalsPerProject;
  const prefix = `${workspaceApproval.type}/${project}/`;
  const rows = context.state.rows(entityTable).scan("subject", { prefix, limit });
  if (rows.length < limit) return undefined;
  const over = rows.filter(({ value }) => isOver(value as unknown as ApprovalValue, context.time));
  for (const { id } of over) writeByKind(approvalKind, { target: { id }, change: { delete: true } }, context);
  return over.length > 0
    ? undefined
    : refusedBy(context, refusal("workspace.too_many", { counted: "approvals of a project", limit }));
}

function isOver(value: ApprovalValue, time: number): boolean {
  return value.state === "used" || value.state === "rejected" || validUntil(value) <= time;
}

function validUntil({ requested_at: requested, decided_at: decided }: ApprovalValue): number {
  return (decided ?? requested) + approvalMs;
}

interface ApprovalDecision {
  readonly project: string;
  readonly approval: string;
  readonly decision: "approve" | "reject";
  readonly note?: string;
}

/** The decider is another principal with the role, or the operator, and a person: an agent is refused and audited. */
export function decideApproval(input: ApprovalDecision, context: DecideContext): Decision {
  const { project, approval, decision, note } = input;
  const { command, time } = context;
  const ofAgent = operatorOnly(context);
  if (ofAgent !== undefined) return ofAgent;
  const access = accessOf("workspace.decide-approval", { project }, { isRestorable: true });
  return decideUnder(context, access, () => {
    const found = findApproval(context, project, approval);
    if ("outcome" in found) return found;
    const { value } = found;
    if (value.requester === command.principal) return invalidApproval(context, approval, "the requester cannot decide");
    if (value.state !== "requested") return invalidApproval(context, approval, `it is ${value.state} already`);
    if (validUntil(value) <= time) return invalidApproval(context, approval, "the request is older than a day");
    const state = decision === "approve" ? "approved" : "rejected";
    const decided = { state, decider: command.principal, decided_at: time, ...defined({ note }) };
    const merge: JsonObject = decided;
    const write = { target: { id: found.id }, name: state, change: { merge } };
    const written = writeByKind(approvalKind, write, context);
    if ("outcome" in written) return written;
    emitOfProject(context, project, "workspace.approval_decided", { approval, action: value.action, state });
    const next = { ...value, ...decided } as ApprovalValue;
    return { outcome: done(approvalView(found.id, next)), events: [], attachment: {} };
  });
}

interface FoundApproval {
  readonly id: string;
  readonly value: ApprovalValue;
}

function findApproval({ state }: DecideContext, project: string, approval: string): FoundApproval | Decision {
  const target = { type: workspaceApproval.type, id: `${project}/${approval}` };
  const row = findEntity(state, target);
  if (!isLive(row)) return missing(row, target);
  return { id: target.id, value: row.value as unknown as ApprovalValue };
}

function invalidApproval(context: DecideContext, approval: string, reason: string): Decision {
  return refusedBy(context, refusal("workspace.approval_invalid", { approval, reason }));
}

interface ApprovedAction {
  readonly project: string;
  readonly approval: string | undefined;
  readonly action: ApprovalValue["action"];
  readonly parameters: JsonObject;
}

/** The refusal of an action without a valid approval of exactly this. */
export function approvalFault(context: DecideContext, approved: ApprovedAction): Decision | undefined {
  const { project, approval, action, parameters } = approved;
  if (approval === undefined) return approvalRequired(context, approved);
  const found = findApproval(context, project, approval);
  if ("outcome" in found) return invalidApproval(context, approval, "it does not exist");
  const { value } = found;
  const fault = [
    value.state === "approved" ? undefined : `it is ${value.state}`,
    value.action === action ? undefined : `it is for ${value.action}`,
    value.parameters === canonicalText(parameters) ? undefined : "it is for other parameters",
    validUntil(value) > context.time ? undefined : "it is older than a day",
  ].find((each) => each !== undefined);
  return fault === undefined ? undefined : invalidApproval(context, approval, fault);
}

function approvalRequired(context: DecideContext, { project, action, parameters }: ApprovedAction): Decision {
  const question = `May ${action} of the project ${project} be carried out? Another person than the requester must approve it.`;
  const choices = [{ operation: "workspace.request-approval", input: { project, action, parameters } }];
  return refusedBy(context, refusal("workspace.approval_required", { question, choices, action, project }));
}

/** The approval is used up in the entry that acts. */
export function useApproval(context: DecideContext, { project, approval = "", action }: ApprovedAction): void {
  const merge: JsonObject = { state: "used" };
  writeByKind(approvalKind, { target: { id: `${project}/${approval}` }, name: "used", change: { merge } }, context);
  emitOfProject(context, project, "workspace.approval_used", { approval, action });
}

/** An approval as operations show it. */
export function approvalView(id: string, value: ApprovalValue): JsonObject {
  const { parameters, requested_at: requested, decided_at: decided, ...rest } = value;
  const [project = "", approval = ""] = id.split("/");
  return {
    ...{ project, approval, ...rest },
    parameters: JSON.parse(parameters) as Json,
    requested_at: iso(requested),
    expires_at: iso(validUntil(value)),
    ...defined({ decided_at: decided === undefined ? undefined : iso(decided) }),
  };
}

/** Approvals by a second person, and the table of rules. */
import Type from "typebox";
import { isoTime } from "../../agents.ts";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { ofCaller } from "../../rights.ts";
import { get, post } from "../../routes.ts";
import {
  inProject,
  lockProblems,
  readsPlace,
  underLock,
  workspaceMembers,
  workspacePage,
  workspaceText,
  ofPlace,
} from "./workspace-members.ts";
import { approvalStates, approvedActions, workspaceRole } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const { approval } = workspaceMembers;
const inApproval = { ...inProject, approval };
const action = Type.Enum([...approvedActions]);
const parameters = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  maxProperties: 20,
  description: "The inputs of the action besides the project, the approval, the lock and the expected version.",
});

const shownApproval = Type.Object(
  {
    ...inApproval,
    action,
    parameters,
    state: Type.Enum([...approvalStates]),
    requester: Type.String(),
    requested_at: isoTime,
    expires_at: isoTime,
    decider: Type.Optional(Type.String()),
    decided_at: Type.Optional(isoTime),
    note: Type.Optional(workspaceText),
  },
  closed,
);

const requestApproval = operation({
  name: "workspace.request-approval",
  kind: "write",
  hasOpenReply: true,
  summary: "Requests the approval of another person for one action with exactly these parameters.",
  input: Type.Object({ ...inProject, action, parameters: Type.Optional(parameters) }, closed),
  output: shownApproval,
  problems: ["workspace.role_missing", "workspace.too_many", "entity_not_found", "entity_deleted", "space_full"],
  rights: [{ verbs: ["write"], touches: ofPlace }],
  routes: [post("/v1/workspace/projects/{project}/approvals", { status: 201 })],
  example: { project: "p1", action: "delete-project" },
});

const decideApproval = operation({
  name: "workspace.decide-approval",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Approves or rejects a request. The decider is another principal, manager or owner, or the operator, and no agent.",
  input: Type.Object(
    { ...inApproval, decision: Type.Enum(["approve", "reject"]), note: Type.Optional(workspaceText) },
    closed,
  ),
  output: shownApproval,
  problems: [
    "workspace.role_missing",
    "workspace.approval_invalid",
    "not_allowed",
    "entity_not_found",
    "entity_deleted",
    "space_full",
  ],
  rights: [{ verbs: ["write"], touches: ofPlace }],
  routes: [post("/v1/workspace/projects/{project}/approvals/{approval}/decide")],
  example: { project: "p1", approval: "a7", decision: "approve" },
});

const listApprovals = operation({
  name: "workspace.list-approvals",
  kind: "read",
  summary: "Lists the approvals of a project, ordered by id.",
  input: Type.Object(
    { ...inProject, after: Type.Optional(approval), limit: Type.Optional(limit), ...underLock },
    closed,
  ),
  output: workspacePage(shownApproval),
  problems: lockProblems,
  rights: readsPlace,
  routes: [get("/v1/workspace/projects/{project}/approvals")],
  example: { project: "p1", lock: "take" },
});

const count = Type.Integer({ minimum: 0 });
const shownRule = Type.Object(
  {
    operation: Type.String(),
    case: Type.Optional(
      Type.Object({ of: Type.Enum(["sketch", "map"]), min: count, max: Type.Union([count, Type.Null()]) }, closed),
    ),
    lock: Type.Union([
      Type.Object(
        {
          level: Type.Enum(["project", "map", "sketch"]),
          mode: Type.Enum(["read", "write"]),
          scope: Type.Enum(["self", "tree"]),
        },
        closed,
      ),
      Type.Null(),
    ]),
    role: Type.Union([workspaceRole, Type.Null()]),
    approval: Type.Boolean(),
    job: Type.Boolean({ description: "The operation submits a job, and the job holds the lock." }),
  },
  closed,
);

const listRules = operation({
  name: "workspace.list-rules",
  kind: "read",
  summary: "Lists which operation needs which lock, role and approval, so that a caller can look before it acts.",
  input: Type.Object({}, closed),
  output: Type.Object({ items: Type.Array(shownRule) }, closed),
  problems: [],
  rights: [{ verbs: ["read", "write"], touches: ofCaller }],
  routes: [get("/v1/workspace/rules")],
  example: {},
});

export const workspaceApprovals = [requestApproval, decideApproval, listApprovals, listRules] as const;

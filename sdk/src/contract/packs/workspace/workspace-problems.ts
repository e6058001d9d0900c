import type { Problem } from "../../problem.ts";
import { ownedProblems } from "../owned-problems.ts";

const { "workspace.lock_required": lockRequired, ...owned } = ownedProblems("workspace");

/**
 * Where only a person can decide, `retry` is `never`. The data then has `question`, one sentence for that person, and
 * `choices`, what to send for each answer.
 */
const questions = {
  "workspace.scope_ambiguous": {
    status: 422,
    retry: "never",
    title: "The objects lie in several sketches",
    next: "Answer `question`: send one of `choices`.",
    visibleToWriters: ["question", "choices", "sketches"],
  },
  "workspace.root_ambiguous": {
    status: 422,
    retry: "never",
    title: "There are several storage roots",
    next: "Answer `question`: send one of `choices`.",
    visibleToWriters: ["question", "choices", "roots"],
  },
  "workspace.approval_required": {
    status: 403,
    retry: "never",
    title: "Another person must approve this",
    next: "Answer `question`. After the approval, send the request with its id in `approval`.",
    visibleToWriters: ["question", "choices", "action"],
  },
} as const satisfies Record<string, Problem>;

export const workspaceProblems = {
  ...owned,
  ...questions,
  "workspace.lock_required": {
    ...(lockRequired as Problem),
    visibleToWriters: [...["path", "mode", "scope"].map((name) => `missing.${name}`), "acquire"],
  },
  "workspace.role_missing": {
    status: 403,
    retry: "never",
    title: "The caller lacks a role in the project",
    next: "An owner of the project can give it with workspace.set-role. `needs` is the role.",
    visibleToWriters: ["project", "needs", "role"],
  },
  "workspace.approval_invalid": {
    status: 409,
    retry: "never",
    title: "The approval does not allow this",
    next: "See `reason`. Request a new approval with workspace.request-approval.",
    visibleToWriters: ["approval", "reason"],
  },
  "workspace.job_required": {
    status: 403,
    retry: "never",
    title: "Only the worker of a job of the workspace sends this",
    next: "See `reason`. The operations that submit jobs are in workspace.list-rules.",
    visibleToWriters: ["project", "reason"],
  },
  "workspace.restoring": {
    status: 409,
    retry: "later",
    title: "The project is being restored",
    next: "Send the request again after the job in `job` has ended.",
    visibleToWriters: ["project", "job", "retry_after_ms"],
  },
  "workspace.purging": {
    status: 409,
    retry: "later",
    title: "A deleted record of this id is still being removed",
    next: "Send the request again after `retry_after_ms`.",
    visibleToWriters: ["place", "retry_after_ms"],
  },
  "workspace.parent_not_found": {
    status: 422,
    retry: "never",
    title: "The map or the sketch of the record does not exist",
    next: "Create `type` `id` first.",
    visibleToWriters: ["type", "id"],
  },
  "workspace.geometry_invalid": {
    status: 422,
    retry: "never",
    title: "The geometry is not valid",
    next: "See `reason`, and `object` if an object is concerned.",
    visibleToWriters: ["reason", "object"],
  },
  "workspace.too_many": {
    status: 409,
    retry: "never",
    title: "The limit of the workspace is reached",
    next: "`counted` and `limit` name the bound.",
    visibleToWriters: ["counted", "limit"],
  },
  "workspace.in_use": {
    status: 409,
    retry: "never",
    title: "Files were published there before the project",
    next: "Delete `target` with files.delete first, or choose another id.",
    visibleToWriters: ["target"],
  },
  "workspace.last_owner": {
    status: 409,
    retry: "never",
    title: "The project would have no owner",
    next: "Give another principal the role `owner` first.",
    visibleToWriters: ["project", "principal_name"],
  },
  "workspace.list_closed": {
    status: 403,
    retry: "never",
    title: "Only operators list the records of all projects",
    next: "Use the lists of the workspace, such as workspace.list-maps.",
  },
  "workspace.index_busy": {
    status: 503,
    retry: "later",
    title: "The objects of the sketch change faster than its index is loaded",
    next: "Send the request again after `retry_after_ms`.",
  },
} as const satisfies Record<string, Problem>;

/**
 * The operations of the workers of the pack's jobs. This is the border between the pack and `server/src/workers/`.
 *
 * - Each needs the fence of the lock of a running job, from the agent that runs it. An operation of the pack must have
 *   submitted the job for this project. A job that was submitted otherwise is refused.
 * - With the same fence a worker sends the other operations too, without a role: `create-map`, `create-sketch`,
 *   `change-objects` in chunks of 200, and every read. It publishes files with `files.open` and the same fence.
 * - An import and a recalculation also need `set-totals`. A backup reads pages of `list-records`.
 * - A restore sends `begin-restore`, `clear-records` until nothing is left, `write-records` in chunks, `end-restore`.
 *   Each can be repeated, so an attempt continues where the one before ended.
 */
import Type from "typebox";
import { limit, version } from "../../conditions.ts";
import { fence } from "../../grant.ts";
import { operation } from "../../operation.ts";
import { post } from "../../routes.ts";
import {
  inMap,
  inProject,
  ofPlace,
  workspaceMembers,
  workspaceName,
  workspacePage,
  workspaceText,
} from "./workspace-members.ts";
import { workspaceLayers, workspaceRoleTable, workspaceTotals } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const ofProject = "/v1/workspace/projects/{project}";
const ofJob = { fence } as const;
const count = Type.Integer({ minimum: 0 });
const workProblems = [
  "workspace.job_required",
  "workspace.purging",
  "entity_not_found",
  "entity_deleted",
  "space_full",
] as const;
const writes = [
  { verbs: ["write"], touches: ({ project }: { readonly project: string }) => ofPlace({ project }) },
] as const;

/** Maximum records that one command writes or removes. */
export const recordsPerCommand = 200;

const recordType = Type.Enum(["workspace-map", "workspace-sketch", "workspace-object"]);

const setTotals = operation({
  name: "workspace.set-totals",
  kind: "write",
  hasOpenReply: true,
  summary: "Writes the totals of a map, or of one of its sketches. Only the worker of a job sends it.",
  input: Type.Object(
    { ...inMap, sketch: Type.Optional(workspaceMembers.sketch), totals: workspaceTotals, ...ofJob },
    closed,
  ),
  output: Type.Object({ version, changed: Type.Boolean() }, closed),
  problems: workProblems,
  rights: writes,
  routes: [post(`${ofProject}/maps/{map}/totals`)],
  example: {
    ...{ project: "p1", map: "m1", sketch: "s1" },
    totals: { objects: 1, box: [3, 4, 3, 4], length: 0, area: 0 },
    fence: "1.90",
  },
});

const beginRestore = operation({
  name: "workspace.begin-restore",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Marks a project as being restored: everything else is refused there. Only the worker of a restore sends it.",
  input: Type.Object({ ...inProject, ...ofJob }, closed),
  output: Type.Object(inProject, closed),
  problems: [...workProblems, "workspace.restoring"],
  rights: writes,
  routes: [post(`${ofProject}/restore/begin`)],
  example: { project: "p1", fence: "1.90" },
});

const clearRecords = operation({
  name: "workspace.clear-records",
  kind: "write",
  hasOpenReply: true,
  summary: "Removes up to 200 maps, sketches and objects of a project that is being restored.",
  input: Type.Object({ ...inProject, ...ofJob }, closed),
  output: Type.Object({ ...inProject, removed: count, is_empty: Type.Boolean() }, closed),
  problems: workProblems,
  rights: writes,
  routes: [post(`${ofProject}/restore/clear`)],
  example: { project: "p1", fence: "1.90" },
});

const recordId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "The ids below the project: `m1`, `m1/s1` or `m1/s1/o1`.",
});

const writeRecords = operation({
  name: "workspace.write-records",
  kind: "write",
  hasOpenReply: true,
  summary: "Writes up to 200 records of a project that is being restored. A parent comes before its children.",
  input: Type.Object(
    {
      ...inProject,
      records: Type.Array(Type.Object({ type: recordType, id: recordId, value: Type.Unknown() }, closed), {
        minItems: 1,
        maxItems: recordsPerCommand,
      }),
      ...ofJob,
    },
    closed,
  ),
  output: Type.Object({ ...inProject, written: count }, closed),
  problems: [
    ...workProblems,
    "kind_violated",
    "value_too_large",
    "workspace.parent_not_found",
    "workspace.geometry_invalid",
  ],
  rights: writes,
  routes: [post(`${ofProject}/restore/write`)],
  example: {
    project: "p1",
    records: [{ type: "workspace-map", id: "m1", value: { name: "Ground floor" } }],
    fence: "1.90",
  },
});

const endRestore = operation({
  name: "workspace.end-restore",
  kind: "write",
  hasOpenReply: true,
  summary: "Writes the record of the project and removes the mark, in one entry.",
  input: Type.Object(
    {
      ...inProject,
      value: Type.Object(
        {
          name: workspaceName,
          description: Type.Optional(workspaceText),
          layers: Type.Optional(workspaceLayers),
          roles: workspaceRoleTable,
        },
        closed,
      ),
      ...ofJob,
    },
    closed,
  ),
  output: Type.Object(inProject, closed),
  problems: [...workProblems, "workspace.last_owner"],
  rights: writes,
  routes: [post(`${ofProject}/restore/end`)],
  example: { project: "p1", value: { name: "Main building", roles: { ann: "owner" } }, fence: "1.90" },
});

const listRecords = operation({
  name: "workspace.list-records",
  kind: "read",
  summary:
    "Lists all records of a project in the order in which they can be written again. Only the worker of a job reads it.",
  input: Type.Object(
    {
      ...inProject,
      after: Type.Optional(Type.String({ maxLength: 300, description: "The `next` of the page before." })),
      limit: Type.Optional(limit),
      ...ofJob,
    },
    closed,
  ),
  output: workspacePage(
    Type.Object(
      { type: Type.String(), id: Type.String(), version, value: Type.Unknown() },
      { ...closed, description: "The first is the project itself, with an empty id." },
    ),
  ),
  problems: ["workspace.job_required", "entity_not_found", "entity_deleted"],
  rights: [{ verbs: ["read"], touches: ({ project }) => ofPlace({ project }) }],
  routes: [post(`${ofProject}/records`)],
  example: { project: "p1", limit: 1_000, fence: "1.90" },
});

export const workspaceWork = [setTotals, beginRestore, clearRecords, writeRecords, endRestore, listRecords] as const;

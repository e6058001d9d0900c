/** The operations on projects and on the roles of principals in them. */
import Type from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { ofCaller } from "../../rights.ts";
import { get, ifMatch, put, remove } from "../../routes.ts";
import { storageRoot } from "../files/file-version.ts";
import {
  describedChanges,
  inProject,
  lockedRights,
  lockProblems,
  recordConditions,
  recordProblems,
  takenLock,
  underLock,
  workspaceMembers,
  workspacePage,
  writesPlace,
  writtenRecord,
} from "./workspace-members.ts";
import { recordOperations } from "./record-operations.ts";
import { principalName, workspaceLayers, workspaceProject, workspaceRole } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const { project } = workspaceMembers;
const one = "/v1/workspace/projects/{project}";

const projects = recordOperations({
  name: "project",
  ids: inProject,
  created: { ...workspaceProject.fields, root: Type.Optional(storageRoot) },
  changes: { ...describedChanges, layers: Type.Optional(Type.Union([workspaceLayers, Type.Null()])) },
  shown: {
    ...workspaceProject.fields,
    ...workspaceProject.shown,
    maps: Type.Integer({ minimum: 0, description: "Number of its maps." }),
  },
  proof: underLock,
  deleted: { approval: Type.Optional(workspaceMembers.approval) },
  routes: { all: "/v1/workspace/projects", one },
  summaries: {
    create: "Creates a project. Its creator becomes its owner.",
    update: "Changes the name, the description or the layers of a project",
    delete: "Deletes a project with everything in it, after another person approved it.",
    get: "Reads a project with its roles.",
  },
  problems: {
    create: [...recordProblems, "entity_exists", "workspace.root_ambiguous", "workspace.in_use", "files.root_unknown"],
    update: recordProblems,
    delete: [...recordProblems, "workspace.approval_required", "workspace.approval_invalid"],
    get: lockProblems,
  },
  rights: lockedRights,
  examples: {
    ids: { project: "p1" },
    created: { name: "Main building" },
    changes: { name: "Main building" },
    proof: takenLock,
    deleted: { approval: "a7" },
  },
});

const listProjects = operation({
  name: "workspace.list-projects",
  kind: "read",
  summary: "Lists the ids of the projects in which the caller has a role. An operator sees all. A page may be short.",
  input: Type.Object({ after: Type.Optional(project), limit: Type.Optional(limit) }, closed),
  output: workspacePage(Type.Object(inProject, closed)),
  problems: [],
  rights: [{ verbs: ["read", "write"], touches: ofCaller }],
  routes: [get("/v1/workspace/projects")],
  example: { limit: 50 },
});

const principal = { ...inProject, principal: principalName };

const setRole = operation({
  name: "workspace.set-role",
  kind: "write",
  hasOpenReply: true,
  summary: "Gives a principal a role in a project, in place of the role that it has.",
  input: Type.Object({ ...principal, role: workspaceRole, ...underLock, ...recordConditions }, closed),
  output: writtenRecord(inProject),
  problems: [...recordProblems, "workspace.last_owner", "workspace.too_many"],
  rights: writesPlace,
  routes: [put(`${one}/roles/{principal}`, ifMatch)],
  example: { project: "p1", principal: "ann", role: "editor", lock: "take", expected_revision: "1.1" },
});

const removeRole = operation({
  name: "workspace.remove-role",
  kind: "write",
  hasOpenReply: true,
  summary: "Removes the role of a principal in a project. The last owner stays.",
  input: Type.Object({ ...principal, ...underLock, ...recordConditions }, closed),
  output: writtenRecord(inProject),
  problems: [...recordProblems, "workspace.last_owner"],
  rights: writesPlace,
  routes: [remove(`${one}/roles/{principal}`, ifMatch)],
  example: { project: "p1", principal: "ann", lock: "take", expected_revision: "1.2" },
});

export const workspaceProjects = [
  projects.create,
  projects.update,
  projects.remove,
  projects.get,
  listProjects,
  setRole,
  removeRole,
] as const;

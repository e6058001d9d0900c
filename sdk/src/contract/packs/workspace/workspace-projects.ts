/** The operations on projects and on the roles of principals in them. */
import Type from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { ofCaller } from "../../rights.ts";
import { get, ifMatch, patch, post, put, remove } from "../../routes.ts";
import { storageRoot } from "../files/file-version.ts";
import {
  inProject,
  lockProblems,
  readsPlace,
  recordConditions,
  recordFacts,
  recordProblems,
  underLock,
  workspaceMembers,
  workspaceName,
  workspacePage,
  workspaceText,
  writesPlace,
  writtenRecord,
} from "./workspace-members.ts";
import { principalName, workspaceLayers, workspaceProject, workspaceRole } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const { project } = workspaceMembers;
const one = "/v1/workspace/projects/{project}";

const createProject = operation({
  name: "workspace.create-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Creates a project. Its creator becomes its owner.",
  input: Type.Object(
    {
      ...inProject,
      name: workspaceName,
      description: Type.Optional(workspaceText),
      layers: Type.Optional(workspaceLayers),
      root: Type.Optional(storageRoot),
      ...underLock,
    },
    closed,
  ),
  output: writtenRecord(inProject),
  problems: [...recordProblems, "entity_exists", "workspace.root_ambiguous", "files.root_unknown"],
  rights: writesPlace,
  routes: [post("/v1/workspace/projects", { status: 201 })],
  example: { project: "p1", name: "Main building", lock: "take" },
});

const updateProject = operation({
  name: "workspace.update-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes the name, the description or the layers of a project: `changes` is a merge patch.",
  input: Type.Object(
    {
      ...inProject,
      changes: Type.Object(
        {
          name: Type.Optional(workspaceName),
          description: Type.Optional(Type.Union([workspaceText, Type.Null()])),
          layers: Type.Optional(Type.Union([workspaceLayers, Type.Null()])),
        },
        { ...closed, minProperties: 1 },
      ),
      ...underLock,
      ...recordConditions,
    },
    closed,
  ),
  output: writtenRecord(inProject),
  problems: recordProblems,
  rights: writesPlace,
  routes: [patch(one, { ...ifMatch, patches: "changes" })],
  example: { project: "p1", changes: { name: "Main building" }, lock: "take", expected_revision: "1.1" },
});

const deleteProject = operation({
  name: "workspace.delete-project",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a project with everything in it, after another person approved it.",
  input: Type.Object(
    { ...inProject, approval: Type.Optional(workspaceMembers.approval), ...underLock, ...recordConditions },
    closed,
  ),
  output: writtenRecord(inProject),
  problems: [...recordProblems, "workspace.approval_required", "workspace.approval_invalid"],
  rights: writesPlace,
  routes: [remove(one, ifMatch)],
  example: { project: "p1", approval: "a7", lock: "take", expected_revision: "1.1" },
});

const shownProject = Type.Object(
  {
    ...inProject,
    ...workspaceProject.fields,
    ...workspaceProject.shown,
    maps: Type.Integer({ minimum: 0, description: "Number of its maps." }),
    ...recordFacts,
  },
  closed,
);

const getProject = operation({
  name: "workspace.get-project",
  kind: "read",
  summary: "Reads a project with its roles.",
  input: Type.Object({ ...inProject, ...underLock }, closed),
  output: shownProject,
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(one)],
  example: { project: "p1", lock: "take" },
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
  createProject,
  updateProject,
  deleteProject,
  getProject,
  listProjects,
  setRole,
  removeRole,
] as const;

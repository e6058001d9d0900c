/** The operations on sketches. */
import Type from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { get, ifMatch, patch, post, remove } from "../../routes.ts";
import {
  inMap,
  inSketch,
  lockProblems,
  objectCount,
  readsPlace,
  recordConditions,
  recordFacts,
  recordProblems,
  underLock,
  workspaceLayer,
  workspaceMembers,
  workspaceName,
  workspacePage,
  workspaceText,
  writesPlace,
  writtenRecord,
} from "./workspace-members.ts";
import { workspaceSketch } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const all = "/v1/workspace/projects/{project}/maps/{map}/sketches";
const one = `${all}/{sketch}`;

const createSketch = operation({
  name: "workspace.create-sketch",
  kind: "write",
  hasOpenReply: true,
  summary: "Creates a sketch on a map. The lock is that of the new sketch.",
  input: Type.Object(
    {
      ...inSketch,
      name: workspaceName,
      description: Type.Optional(workspaceText),
      layer: Type.Optional(workspaceLayer),
      ...underLock,
    },
    closed,
  ),
  output: writtenRecord(inSketch),
  problems: [...recordProblems, "entity_exists", "workspace.parent_not_found", "workspace.too_many"],
  rights: writesPlace,
  routes: [post(all, { status: 201 })],
  example: { project: "p1", map: "m1", sketch: "s1", name: "Doors", lock: "take" },
});

const updateSketch = operation({
  name: "workspace.update-sketch",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes the name, the description or the layer of a sketch: `changes` is a merge patch.",
  input: Type.Object(
    {
      ...inSketch,
      changes: Type.Object(
        {
          name: Type.Optional(workspaceName),
          description: Type.Optional(Type.Union([workspaceText, Type.Null()])),
          layer: Type.Optional(Type.Union([workspaceLayer, Type.Null()])),
        },
        { ...closed, minProperties: 1 },
      ),
      ...underLock,
      ...recordConditions,
    },
    closed,
  ),
  output: writtenRecord(inSketch),
  problems: recordProblems,
  rights: writesPlace,
  routes: [patch(one, { ...ifMatch, patches: "changes" })],
  example: { project: "p1", map: "m1", sketch: "s1", changes: { name: "Doors" }, lock: "take", expected_version: 1 },
});

const deleteSketch = operation({
  name: "workspace.delete-sketch",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a sketch with its objects and files. Everything below it is removed in the next entries.",
  input: Type.Object({ ...inSketch, ...underLock, ...recordConditions }, closed),
  output: writtenRecord(inSketch),
  problems: recordProblems,
  rights: writesPlace,
  routes: [remove(one, ifMatch)],
  example: { project: "p1", map: "m1", sketch: "s1", lock: "take", expected_revision: "1.1" },
});

const shownSketch = Type.Object(
  { ...inSketch, ...workspaceSketch.fields, ...workspaceSketch.shown, objects: objectCount, ...recordFacts },
  closed,
);

const getSketch = operation({
  name: "workspace.get-sketch",
  kind: "read",
  summary: "Reads a sketch with the number of its objects.",
  input: Type.Object({ ...inSketch, ...underLock }, closed),
  output: shownSketch,
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(one)],
  example: { project: "p1", map: "m1", sketch: "s1", lock: "take" },
});

const listSketches = operation({
  name: "workspace.list-sketches",
  kind: "read",
  summary: "Lists the sketches of a map, ordered by id. The lock is that of the project.",
  input: Type.Object(
    { ...inMap, after: Type.Optional(workspaceMembers.sketch), limit: Type.Optional(limit), ...underLock },
    closed,
  ),
  output: workspacePage(shownSketch),
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(all)],
  example: { project: "p1", map: "m1", lock: "take" },
});

export const workspaceSketches = [createSketch, updateSketch, deleteSketch, getSketch, listSketches] as const;

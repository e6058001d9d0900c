/** The operations on sketches. */
import Type from "typebox";
import {
  describedChanges,
  inMap,
  inSketch,
  lockedRights,
  lockProblems,
  objectCount,
  recordProblems,
  takenLock,
  underLock,
  workspaceLayer,
  workspaceMembers,
} from "./workspace-members.ts";
import { recordList, recordOperations } from "./record-operations.ts";
import { workspaceSketch } from "./workspace-resources.ts";

const all = "/v1/workspace/projects/{project}/maps/{map}/sketches";

const sketches = recordOperations({
  name: "sketch",
  ids: inSketch,
  created: workspaceSketch.fields,
  changes: { ...describedChanges, layer: Type.Optional(Type.Union([workspaceLayer, Type.Null()])) },
  shown: { ...workspaceSketch.fields, ...workspaceSketch.shown, objects: objectCount },
  proof: underLock,
  deleted: {},
  routes: { all, one: `${all}/{sketch}` },
  summaries: {
    create: "Creates a sketch on a map. The lock is that of the new sketch.",
    update: "Changes the name, the description or the layer of a sketch",
    delete: "Deletes a sketch with its objects and files. Everything below it is removed in the next entries.",
    get: "Reads a sketch with the number of its objects.",
  },
  problems: {
    create: [...recordProblems, "entity_exists", "workspace.parent_not_found", "workspace.too_many"],
    update: recordProblems,
    delete: recordProblems,
    get: lockProblems,
  },
  rights: lockedRights,
  examples: {
    ids: { project: "p1", map: "m1", sketch: "s1" },
    created: { name: "Doors" },
    changes: { name: "Doors" },
    proof: takenLock,
    deleted: {},
  },
});

const listSketches = recordList({
  name: "sketches",
  summary: "Lists the sketches of a map, ordered by id. The lock is that of the project.",
  parent: inMap,
  after: workspaceMembers.sketch,
  item: sketches.shown,
  proof: underLock,
  route: all,
  problems: lockProblems,
  rights: lockedRights.read,
  example: { project: "p1", map: "m1", ...takenLock },
});

export const workspaceSketches = [
  sketches.create,
  sketches.update,
  sketches.remove,
  sketches.get,
  listSketches,
] as const;

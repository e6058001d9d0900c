/** The operations on objects: changes of many at once, moves, and lists. */
import Type from "typebox";
import { limit, revision, version } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { get, post } from "../../routes.ts";
import {
  inMap,
  inObject,
  lockProblems,
  readsPlace,
  recordFacts,
  recordProblems,
  underLock,
  workspaceMembers,
  workspacePage,
  writesPlace,
} from "./workspace-members.ts";
import { objectFields } from "./workspace-resources.ts";
import { objectThresholds } from "./workspace-rules.ts";

const closed = { additionalProperties: false } as const;
const { sketch, object } = workspaceMembers;
const ofMap = "/v1/workspace/projects/{project}/maps/{map}";
const ofSketch = `${ofMap}/sketches/{sketch}`;
const sketchObjects = `${ofSketch}/objects`;
const count = Type.Integer({ minimum: 0 });
const { command: commandMax } = objectThresholds;

const objectPatch = Type.Partial(
  Type.Object(
    Object.fromEntries(
      Object.entries(objectFields).map(([name, field]) => [name, Type.Union([field as Type.TSchema, Type.Null()])]),
    ),
  ),
  closed,
);

const sketchOfChange = Type.Optional(
  Type.String({ ...sketch, description: "The sketch of the object; that of the request by default." }),
);

const objectChange = Type.Union([
  Type.Object(
    {
      op: Type.Literal("put"),
      sketch: sketchOfChange,
      object,
      value: Type.Object(objectFields, closed),
      expected_version: Type.Optional(version),
    },
    closed,
  ),
  Type.Object(
    {
      op: Type.Literal("merge"),
      sketch: sketchOfChange,
      object,
      value: objectPatch,
      expected_version: Type.Optional(version),
    },
    closed,
  ),
  Type.Object(
    { op: Type.Literal("delete"), sketch: sketchOfChange, object, expected_version: Type.Optional(version) },
    closed,
  ),
]);

/**
 * The job types `workspace.import` sends it too: in chunks of 200, with the fence of the lock on the whole project that
 * its job holds. The fence covers every sketch of the project, so the chunks need no lock of their own.
 */
const changeObjects = operation({
  name: "workspace.change-objects",
  kind: "write",
  hasOpenReply: true,
  summary: "Puts, merges and deletes up to 2,000 objects of a map, all or none.",
  input: Type.Object(
    {
      ...inMap,
      sketch: Type.Optional(sketch),
      level: Type.Optional(
        Type.Enum(["sketch", "map"], {
          description: "For objects of several sketches: the lock of each sketch, or that of the map.",
        }),
      ),
      changes: Type.Array(objectChange, { minItems: 1, maxItems: commandMax }),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object(
    {
      ...inMap,
      objects: Type.Array(Type.Object({ sketch, object, version, revision, changed: Type.Boolean() }, closed), {
        description: "In the order of the changes.",
      }),
    },
    closed,
  ),
  problems: [
    ...recordProblems,
    "workspace.scope_ambiguous",
    "workspace.parent_not_found",
    "workspace.geometry_invalid",
    "workspace.too_many",
  ],
  rights: writesPlace,
  routes: [post(`${ofMap}/objects`), post(sketchObjects)],
  example: {
    project: "p1",
    map: "m1",
    sketch: "s1",
    changes: [{ op: "put", object: "o1", value: { shape: "point", points: [3, 4] } }],
    lock: "take",
  },
});

const sketchPlace = Type.Object({ map: workspaceMembers.map, sketch }, closed);

const reassignObjects = operation({
  name: "workspace.reassign-objects",
  kind: "write",
  hasOpenReply: true,
  summary: "Moves objects from one sketch of a project to another, all or none. Both locks are needed.",
  input: Type.Object(
    {
      project: workspaceMembers.project,
      from: sketchPlace,
      to: sketchPlace,
      objects: Type.Array(object, { minItems: 1, maxItems: commandMax, uniqueItems: true }),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object({ project: workspaceMembers.project, from: sketchPlace, to: sketchPlace, moved: count }, closed),
  problems: [...recordProblems, "entity_exists", "workspace.parent_not_found", "workspace.too_many"],
  rights: [
    {
      verbs: ["write"],
      touches: ({ project, from, to }) => ({
        paths: [from, to].map((place) => `project/${project}/map/${place.map}/sketch/${place.sketch}`),
      }),
    },
    {
      verbs: ["lock"],
      touches: ({ project, from, to }) => ({
        paths: [from, to].map((place) => `project/${project}/map/${place.map}/sketch/${place.sketch}`),
      }),
      isNeeded: ({ lock }) => lock !== undefined,
    },
  ],
  routes: [post("/v1/workspace/projects/{project}/reassign-objects")],
  example: {
    project: "p1",
    from: { map: "m1", sketch: "s1" },
    to: { map: "m1", sketch: "s2" },
    objects: ["o1"],
    lock: "take",
  },
});

export const shownObject = Type.Object({ ...inObject, ...objectFields, ...recordFacts }, closed);

const getObject = operation({
  name: "workspace.get-object",
  kind: "read",
  summary: "Reads an object.",
  input: Type.Object({ ...inObject, ...underLock }, closed),
  output: shownObject,
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(`${sketchObjects}/{object}`)],
  example: { project: "p1", map: "m1", sketch: "s1", object: "o1", lock: "take" },
});

const listObjects = operation({
  name: "workspace.list-objects",
  kind: "read",
  summary: "Lists the objects of a sketch, or of a map without a sketch, ordered by sketch and id.",
  input: Type.Object(
    {
      ...inMap,
      sketch: Type.Optional(sketch),
      after: Type.Optional(Type.String({ maxLength: 200, description: "The `next` of the page before." })),
      limit: Type.Optional(limit),
      ...underLock,
    },
    closed,
  ),
  output: workspacePage(shownObject),
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(`${ofMap}/objects`), get(sketchObjects)],
  example: { ...{ project: "p1", map: "m1", sketch: "s1" }, limit: 100, lock: "take" },
});

export const workspaceObjects = [changeObjects, reassignObjects, getObject, listObjects] as const;

/** Reads over the geometry of a sketch. */
import Type from "typebox";
import { operation } from "../../operation.ts";
import { get, post } from "../../routes.ts";
import {
  coordinate,
  inSketch,
  lockProblems,
  readsPlace,
  underLock,
  workspaceMembers,
  workspacePage,
} from "./workspace-members.ts";
import { shownObject } from "./workspace-objects.ts";
import { coordinatesMax } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const ofSketch = "/v1/workspace/projects/{project}/maps/{map}/sketches/{sketch}";
const { object } = workspaceMembers;
const example = { project: "p1", map: "m1", sketch: "s1", lock: "take" } as const;
const distance = Type.Number({ minimum: 0, maximum: 1e9 });
const queryProblems = [...lockProblems, "workspace.geometry_invalid", "workspace.index_busy"] as const;

const hitTest = operation({
  name: "workspace.hit-test",
  kind: "read",
  summary: "Finds the objects at a point, nearest first. Coordinates are those of the objects.",
  input: Type.Object(
    {
      ...inSketch,
      x: coordinate,
      y: coordinate,
      tolerance: Type.Optional(Type.Number({ ...distance, description: "Maximum distance; 0 by default." })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Maximum objects; 10 by default." })),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object(
    { items: Type.Array(Type.Object({ ...shownObject.properties, distance: Type.Number() }, closed)) },
    closed,
  ),
  problems: queryProblems,
  rights: readsPlace,
  routes: [get(`${ofSketch}/hit-test`)],
  example: { ...example, x: 3, y: 4, tolerance: 0.5 },
});

/** Maximum numbers in the coordinates of an area. Each of its sides is compared with each side of the objects in it. */
const areaCoordinatesMax = 2_000;

const selectObjects = operation({
  name: "workspace.select-objects",
  kind: "read",
  summary: "Finds the objects that are inside a box or a polygon, or that touch it, ordered by id.",
  input: Type.Object(
    {
      ...inSketch,
      box: Type.Optional(
        Type.Array(coordinate, { minItems: 4, maxItems: 4, description: "Least x, least y, greatest x, greatest y." }),
      ),
      polygon: Type.Optional(
        Type.Array(coordinate, {
          ...{ minItems: 6, maxItems: areaCoordinatesMax },
          description: "x, y, x, y and so on; 1,000 points at most.",
        }),
      ),
      mode: Type.Enum(["inside", "touching"]),
      after: Type.Optional(object),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000, description: "Maximum objects; 100 by default." }),
      ),
      ...underLock,
    },
    closed,
  ),
  output: workspacePage(shownObject),
  problems: queryProblems,
  rights: readsPlace,
  routes: [post(`${ofSketch}/select`)],
  example: { ...example, box: [0, 0, 10, 10], mode: "touching" },
});

const measured = {
  length: Type.Number({ description: "The length of a line, or the outline of an area." }),
  area: Type.Number({ description: "The area without its holes." }),
  crosses_itself: Type.Boolean({ description: "The outline crosses itself, so its area is not that of a shape." }),
};

const measure = operation({
  name: "workspace.measure",
  kind: "read",
  summary: "Measures objects, or the way along points, in the unit of the map. Without calibration the unit is `px`.",
  input: Type.Object(
    {
      ...inSketch,
      objects: Type.Optional(Type.Array(object, { minItems: 1, maxItems: 1_000, uniqueItems: true })),
      points: Type.Optional(Type.Array(coordinate, { minItems: 4, maxItems: coordinatesMax })),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object(
    {
      unit: Type.String(),
      length: Type.Number(),
      area: Type.Number(),
      objects: Type.Array(Type.Object({ object, ...measured }, closed)),
    },
    closed,
  ),
  problems: queryProblems,
  rights: readsPlace,
  routes: [post(`${ofSketch}/measure`)],
  example: { ...example, objects: ["o1"] },
});

export const workspaceQueries = [hitTest, selectObjects, measure] as const;

/** The records of the workspace as entity types. Their operations are defined one by one, since most need a lock. */
import Type from "typebox";
import type { TProperties } from "typebox";
import type { OwnOperations } from "../own-operations.ts";
import type { Resource } from "../resource.ts";
import { coordinate, objectCount, workspaceLayer, workspaceName, workspaceText } from "./workspace-members.ts";
import { workspaceRoles } from "./workspace-rules.ts";

const closed = { additionalProperties: false } as const;

const described = { name: workspaceName, description: Type.Optional(workspaceText) };

export const workspaceRole = Type.Enum([...workspaceRoles], { description: "The right of a principal in a project." });

export const workspaceLayers = Type.Array(workspaceLayer, { maxItems: 100, description: "The names of its layers." });

export const principalName = Type.String({ minLength: 1, maxLength: 128 });

export const workspaceRoleTable = Type.Record(principalName, workspaceRole, {
  maxProperties: 1_000,
  description: "The role of each principal.",
});

/** Figures of a sketch or a map. The job `workspace.recalculate` writes them. */
export const workspaceTotals = Type.Object(
  {
    objects: objectCount,
    box: Type.Union([
      Type.Array(coordinate, { minItems: 4, maxItems: 4, description: "Least x, least y, greatest x, greatest y." }),
      Type.Null(),
    ]),
    length: Type.Number({ minimum: 0, description: "The sum of all lines, in the unit of the map." }),
    area: Type.Number({ minimum: 0, description: "The sum of all areas, in the square of the unit of the map." }),
  },
  closed,
);

/** A point of the floorplan in pixels, and where it is in units. */
const calibrationPoint = Type.Object({ x: coordinate, y: coordinate, u: coordinate, v: coordinate }, closed);

export const calibrationPoints = Type.Array(calibrationPoint, {
  minItems: 2,
  maxItems: 100,
  description: "Two points give a similarity, three and more the affine map with the least squares.",
});

export const workspaceUnit = Type.String({ minLength: 1, maxLength: 20, description: "The unit, such as `m`." });

export const calibration = Type.Object(
  {
    unit: workspaceUnit,
    points: calibrationPoints,
    matrix: Type.Array(Type.Number(), {
      minItems: 6,
      maxItems: 6,
      description: "a, b, c, d, e, f: u = a·x + b·y + c and v = d·x + e·y + f.",
    }),
    residual: Type.Number({ minimum: 0, description: "The root of the mean square of the distances, in units." }),
  },
  closed,
);

/** Maximum numbers in the coordinates of an object. */
export const coordinatesMax = 10_000;

const flat = Type.Array(coordinate, { maxItems: coordinatesMax, description: "x, y, x, y and so on." });

/** The value of an object. */
export const objectFields = {
  shape: Type.Enum(["point", "line", "polygon", "circle"]),
  points: flat,
  holes: Type.Optional(
    Type.Array(flat, { maxItems: 1_000, description: "Rings that are cut out of a polygon. Each is closed." }),
  ),
  radius: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9, description: "The radius of a circle." })),
  properties: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      maxProperties: 200,
      description: "Data of the caller, at most 16 KiB of JSON.",
    }),
  ),
} as const;

export const templateMaps = Type.Array(
  Type.Object(
    {
      map: Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{0,39}$" }),
      name: workspaceName,
      sketches: Type.Optional(
        Type.Array(
          Type.Object(
            {
              sketch: Type.String({ pattern: "^(?!tmp$)(?!v\\.)[a-z0-9][a-z0-9._-]{0,63}$" }),
              name: workspaceName,
              layer: Type.Optional(workspaceLayer),
            },
            closed,
          ),
          { maxItems: 100 },
        ),
      ),
    },
    closed,
  ),
  { minItems: 1, maxItems: 100, description: "The maps that it makes, each with its sketches; 500 records at most." },
);

export const approvedActions = ["delete-project", "restore-project"] as const;
export const approvalStates = ["requested", "approved", "rejected", "used"] as const;

const resource = <const Name extends string, const Fields extends TProperties>(
  name: Name,
  path: string,
  members: {
    readonly id: string;
    readonly fields: Fields;
    readonly shown?: TProperties;
    readonly own?: OwnOperations;
    readonly summary: string;
  },
) => ({
  pack: "workspace",
  name: `workspace-${name}` as const,
  plural: `workspace-${name}s` as const,
  type: `workspace-${name}`,
  path,
  verbs: [],
  own: members.own ?? { create: `workspace.create-${name}`, change: `workspace.update-${name}` },
  summary: members.summary,
  fixed: {},
  fields: members.fields,
  shown: members.shown ?? {},
  filters: {},
  example: { created: { id: members.id }, changes: {}, filters: {} },
});

export const workspaceProject = resource("project", "project/{0}", {
  id: "p1",
  fields: { ...described, layers: Type.Optional(workspaceLayers) },
  shown: {
    root: Type.Optional(Type.String()),
    roles: workspaceRoleTable,
    restoring: Type.Optional(Type.String({ description: "The job that restores it." })),
  },
  summary: "A project: its name, its layers and the roles of principals.",
});

export const workspaceMap = resource("map", "project/{0}/map/{1}", {
  id: "p1/m1",
  fields: described,
  shown: { calibration: Type.Optional(calibration), totals: Type.Optional(workspaceTotals) },
  summary: "A map of a project. Its id is the project, a slash and a name.",
});

export const workspaceSketch = resource("sketch", "project/{0}/map/{1}/sketch/{2}", {
  id: "p1/m1/s1",
  fields: { ...described, layer: Type.Optional(workspaceLayer) },
  shown: { totals: Type.Optional(workspaceTotals) },
  summary: "A sketch on a map: a set of objects.",
});

export const workspaceObject = resource("object", "project/{0}/map/{1}/sketch/{2}", {
  id: "p1/m1/s1/o1",
  fields: objectFields,
  own: { create: "workspace.change-objects", change: "workspace.change-objects" },
  summary: "An object of a sketch: a point, a line, a polygon or a circle with properties.",
});

export const workspaceTemplate = resource("template", "template/{0}", {
  id: "floor",
  fields: { ...described, maps: templateMaps },
  summary: "Maps and sketches that are made together.",
});

export const workspaceApproval = resource("approval", "project/{0}", {
  id: "p1/a7",
  fields: {},
  shown: {
    action: Type.Enum([...approvedActions]),
    parameters: Type.String({ description: "The canonical JSON text of the parameters." }),
    requester: Type.String(),
    requested_at: Type.Integer(),
    state: Type.Enum([...approvalStates]),
    decider: Type.Optional(Type.String()),
    decided_at: Type.Optional(Type.Integer()),
    note: Type.Optional(workspaceText),
  },
  own: { create: "workspace.request-approval", change: "workspace.decide-approval" },
  summary: "The request for an action that needs a second person, and the decision.",
});

export const workspaceResources: readonly Resource[] = [
  workspaceProject,
  workspaceMap,
  workspaceSketch,
  workspaceObject,
  workspaceTemplate,
  workspaceApproval,
];

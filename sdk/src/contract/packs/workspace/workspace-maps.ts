/** The operations on maps, and the tiles of the viewer. */
import Type from "typebox";
import { operation } from "../../operation.ts";
import { get, ifMatch, post } from "../../routes.ts";
import { versionNumber } from "../files/file-version.ts";
import {
  describedChanges,
  inMap,
  inProject,
  lockedRights,
  lockProblems,
  objectCount,
  readsPlace,
  recordConditions,
  recordProblems,
  takenLock,
  underLock,
  workspaceMembers,
  writesPlace,
  writtenRecord,
} from "./workspace-members.ts";
import { recordList, recordOperations } from "./record-operations.ts";
import { calibration, calibrationPoints, workspaceMap, workspaceUnit } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const all = "/v1/workspace/projects/{project}/maps";
const one = `${all}/{map}`;

const maps = recordOperations({
  name: "map",
  ids: inMap,
  created: workspaceMap.fields,
  changes: describedChanges,
  shown: { ...workspaceMap.fields, ...workspaceMap.shown, sketches: objectCount },
  proof: underLock,
  deleted: {},
  routes: { all, one },
  summaries: {
    create: "Creates a map in a project. The lock is that of the new map.",
    update: "Changes the name or the description of a map",
    delete: "Deletes a map with its sketches, objects and files. Everything below it is removed in the next entries.",
    get: "Reads a map with its calibration.",
  },
  problems: {
    create: [...recordProblems, "entity_exists", "workspace.parent_not_found", "workspace.too_many"],
    update: recordProblems,
    delete: recordProblems,
    get: lockProblems,
  },
  rights: lockedRights,
  examples: {
    ids: { project: "p1", map: "m1" },
    created: { name: "Ground floor" },
    changes: { name: "Ground floor" },
    proof: takenLock,
    deleted: {},
  },
});

const listMaps = recordList({
  name: "maps",
  summary: "Lists the maps of a project, ordered by id.",
  parent: inProject,
  after: workspaceMembers.map,
  item: maps.shown,
  proof: underLock,
  route: all,
  problems: lockProblems,
  rights: lockedRights.read,
  example: { project: "p1", ...takenLock },
});

const calibrateMap = operation({
  name: "workspace.calibrate-map",
  kind: "write",
  hasOpenReply: true,
  summary: "Computes from known points how pixels of the floorplan become units. Sketches stay editable meanwhile.",
  input: Type.Object(
    { ...inMap, points: calibrationPoints, unit: workspaceUnit, ...underLock, ...recordConditions },
    closed,
  ),
  output: Type.Object({ ...writtenRecord(inMap).properties, calibration }, closed),
  problems: [...recordProblems, "workspace.geometry_invalid"],
  rights: writesPlace,
  routes: [post(`${one}/calibration`, ifMatch)],
  example: {
    project: "p1",
    map: "m1",
    points: [
      { x: 0, y: 0, u: 0, v: 0 },
      { x: 100, y: 0, u: 5, v: 0 },
    ],
    unit: "m",
    lock: "take",
    expected_revision: "1.1",
  },
});

const number = Type.Integer({ minimum: 0, maximum: 1_000_000 });

/** The tile `z/x/y.png` of the target `project/<p>/map/<m>/tiles`. The job `workspace.generate-tiles` publishes it. */
const getTile = operation({
  name: "workspace.get-tile",
  kind: "read",
  summary: "Reads a tile of a map as PNG. With a version it never changes, so it can be cached.",
  input: Type.Object(
    {
      ...inMap,
      z: Type.Integer({ minimum: 0, maximum: 30, description: "The zoom level; 0 is the whole floorplan." }),
      x: number,
      y: number,
      version: Type.Optional(versionNumber),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object({}, closed),
  problems: [
    ...lockProblems,
    "files.version_unknown",
    "files.file_unknown",
    "files.root_elsewhere",
    "files.damaged",
    "files.storage_busy",
  ],
  rights: readsPlace,
  routes: [get(`${one}/tiles/{z}/{x}/{y}`)],
  example: { project: "p1", map: "m1", z: 2, x: 1, y: 3, lock: "take" },
  answer: "stream",
});

export const workspaceMaps = [
  maps.create,
  maps.update,
  calibrateMap,
  maps.remove,
  maps.get,
  listMaps,
  getTile,
] as const;

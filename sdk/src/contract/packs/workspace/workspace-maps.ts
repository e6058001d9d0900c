/** The operations on maps, and the tiles of the viewer. */
import Type from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { get, ifMatch, patch, post, remove } from "../../routes.ts";
import { versionNumber } from "../files/file-version.ts";
import {
  inMap,
  inProject,
  lockProblems,
  objectCount,
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
import { calibration, calibrationPoints, workspaceMap, workspaceUnit } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const all = "/v1/workspace/projects/{project}/maps";
const one = `${all}/{map}`;

const createMap = operation({
  name: "workspace.create-map",
  kind: "write",
  hasOpenReply: true,
  summary: "Creates a map in a project. The lock is that of the new map.",
  input: Type.Object(
    { ...inMap, name: workspaceName, description: Type.Optional(workspaceText), ...underLock },
    closed,
  ),
  output: writtenRecord(inMap),
  problems: [...recordProblems, "entity_exists", "workspace.parent_not_found", "workspace.too_many"],
  rights: writesPlace,
  routes: [post(all, { status: 201 })],
  example: { project: "p1", map: "m1", name: "Ground floor", lock: "take" },
});

const updateMap = operation({
  name: "workspace.update-map",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes the name or the description of a map: `changes` is a merge patch.",
  input: Type.Object(
    {
      ...inMap,
      changes: Type.Object(
        {
          name: Type.Optional(workspaceName),
          description: Type.Optional(Type.Union([workspaceText, Type.Null()])),
        },
        { ...closed, minProperties: 1 },
      ),
      ...underLock,
      ...recordConditions,
    },
    closed,
  ),
  output: writtenRecord(inMap),
  problems: recordProblems,
  rights: writesPlace,
  routes: [patch(one, { ...ifMatch, patches: "changes" })],
  example: { project: "p1", map: "m1", changes: { name: "Ground floor" }, lock: "take", expected_revision: "1.1" },
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

const deleteMap = operation({
  name: "workspace.delete-map",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a map with its sketches, objects and files. Everything below it is removed in the next entries.",
  input: Type.Object({ ...inMap, ...underLock, ...recordConditions }, closed),
  output: writtenRecord(inMap),
  problems: recordProblems,
  rights: writesPlace,
  routes: [remove(one, ifMatch)],
  example: { project: "p1", map: "m1", lock: "take", expected_revision: "1.1" },
});

const shownMap = Type.Object(
  { ...inMap, ...workspaceMap.fields, ...workspaceMap.shown, sketches: objectCount, ...recordFacts },
  closed,
);

const getMap = operation({
  name: "workspace.get-map",
  kind: "read",
  summary: "Reads a map with its calibration.",
  input: Type.Object({ ...inMap, ...underLock }, closed),
  output: shownMap,
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(one)],
  example: { project: "p1", map: "m1", lock: "take" },
});

const listMaps = operation({
  name: "workspace.list-maps",
  kind: "read",
  summary: "Lists the maps of a project, ordered by id.",
  input: Type.Object(
    { ...inProject, after: Type.Optional(workspaceMembers.map), limit: Type.Optional(limit), ...underLock },
    closed,
  ),
  output: workspacePage(shownMap),
  problems: lockProblems,
  rights: readsPlace,
  routes: [get(all)],
  example: { project: "p1", lock: "take" },
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

export const workspaceMaps = [createMap, updateMap, calibrateMap, deleteMap, getMap, listMaps, getTile] as const;

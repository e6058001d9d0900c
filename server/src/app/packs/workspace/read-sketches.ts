/** Reads over the geometry of a sketch. The lock is checked at the moment of the state that is read. */
import { workspaceObject } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { EngineServices } from "../../engine-services.ts";
import { missing } from "../../../features/entities/change.ts";
import { findEntity, isLive } from "../../../features/entities/entity-table.ts";
import type { LiveEntityRow } from "../../../features/entities/entity-table.ts";
import type { Outcome } from "../../../machine/entry.ts";
import { done, refusal } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import { lockReadRefusal } from "../../../packs/workspace/access.ts";
import type { LockProof } from "../../../packs/workspace/access.ts";
import { measureObject, measurePath } from "../../../packs/workspace/geometry/measure-object.ts";
import { boxOfObject, objectDistance } from "../../../packs/workspace/geometry/object-distance.ts";
import { isObjectInArea } from "../../../packs/workspace/geometry/object-in-area.ts";
import { calibrationAt, recordView } from "../../../packs/workspace/record-reads.ts";
import { recordId } from "../../../packs/workspace/record-place.ts";
import type { ObjectValue } from "../../../packs/workspace/record-place.ts";
import { accessOf } from "../../../packs/workspace/write-record.ts";
import type { AppRead, AppReadContext } from "../../reads/app-read.ts";
import type { SketchBoxes } from "./sketch-boxes.ts";
import { SketchIndex } from "./sketch-index.ts";

interface SketchInput extends LockProof {
  readonly project: string;
  readonly map: string;
  readonly sketch: string;
}

/** One index for each engine. */
const indexes = new WeakMap<EngineServices, SketchIndex>();

function indexOf(services: EngineServices): SketchIndex {
  const known = indexes.get(services) ?? new SketchIndex(services.engine);
  indexes.set(services, known);
  return known;
}

/** Maximum loads for one query. Only more than thousands of entries during a load need another one. */
const loadsMax = 3;

type Answer<Input> = (input: Input, state: StateReader, boxes: SketchBoxes) => Outcome;

/** A read that needs the index. If it must be loaded first, the lock is checked again with the state of the answer. */
function indexedRead<Input extends SketchInput>(operation: string, answer: Answer<Input>): AppRead {
  const attempt = (input: Input, context: AppReadContext): Outcome | undefined => {
    const refused = lockReadRefusal(context, accessOf(operation, input));
    if (refused !== undefined) return refused;
    const boxes = indexOf(context.services).boxesOf(context.state, recordId(input));
    return boxes === undefined ? undefined : answer(input, context.state, boxes);
  };
  return {
    view: "scan",
    async run(input: Input, context) {
      let outcome = attempt(input, context);
      const { engine } = context.services;
      for (let loads = 0; outcome === undefined && loads < loadsMax; loads += 1) {
        await indexOf(context.services).load(recordId(input));
        outcome = await engine.scan((state) => attempt(input, { ...context, state, time: engine.now() }));
      }
      return outcome ?? refusal("workspace.index_busy", { retry_after_ms: 1_000 });
    },
  };
}

function rowsOf(state: StateReader, ids: readonly string[]): readonly LiveEntityRow[] {
  return ids.map((id) => findEntity(state, { type: workspaceObject.type, id })).filter(isLive);
}

const valueOfRow = ({ value }: LiveEntityRow): ObjectValue => value as unknown as ObjectValue;

/** Maximum coordinates with which a point is compared, and maximum pairs of segments that one query compares. */
const queryLimits = { coordinates: 1_000_000, pairs: 5_000_000 } as const;

const coordinatesOf = ({ points, holes = [] }: ObjectValue): number =>
  holes.reduce((sum, { length }) => sum + length, points.length);

function tooLarge(what: string): Outcome {
  return refusal("workspace.geometry_invalid", { reason: what });
}

interface HitInput extends SketchInput {
  readonly x: number;
  readonly y: number;
  readonly tolerance?: number;
  readonly limit?: number;
}

const hitTest = indexedRead<HitInput>("workspace.hit-test", ({ x, y, tolerance = 0, limit = 10 }, state, boxes) => {
  const box = { minX: x - tolerance, minY: y - tolerance, maxX: x + tolerance, maxY: y + tolerance };
  const rows = rowsOf(state, boxes.search(box));
  const coordinates = rows.reduce((sum, row) => sum + coordinatesOf(valueOfRow(row)), 0);
  if (coordinates > queryLimits.coordinates)
    return tooLarge(`objects with ${String(coordinates)} coordinates lie within the tolerance: send a smaller one`);
  const hits = rows
    .map((row) => ({ row, distance: objectDistance(valueOfRow(row), x, y) }))
    .filter(({ distance }) => distance <= tolerance)
    .toSorted((a, b) => a.distance - b.distance || (a.row.id < b.row.id ? -1 : 1));
  const items = hits.slice(0, limit).map(({ row, distance }): JsonObject => ({ ...recordView(state, row), distance }));
  return done({ items });
});

interface SelectInput extends SketchInput {
  readonly box?: readonly number[];
  readonly polygon?: readonly number[];
  readonly mode: "inside" | "touching";
  readonly after?: string;
  readonly limit?: number;
}

/** Maximum objects that one page examines, so that a query stays short. The page may be short then. */
const examinedMax = 10_000;

const selectObjects = indexedRead<SelectInput>("workspace.select-objects", (input, state, boxes) => {
  const { mode, after, limit = 100 } = input;
  const ring = ringOf(input);
  if (typeof ring === "string") return refusal("workspace.geometry_invalid", { reason: ring });
  const prefix = `${recordId(input)}/`;
  const start = after === undefined ? "" : prefix + after;
  const found = boxes.search(boxOfObject({ shape: "polygon", points: ring }));
  const ids = found.filter((id) => id > start).toSorted((a, b) => (a < b ? -1 : 1));
  const items: JsonObject[] = [];
  let examined = 0;
  let pairs = 0;
  for (const row of rowsOf(state, ids.slice(0, examinedMax))) {
    pairs += (coordinatesOf(valueOfRow(row)) / 2) * (ring.length / 2);
    // Each page examines one object at least, so that the next page is another one.
    if (items.length >= limit || (examined > 0 && pairs > queryLimits.pairs)) break;
    examined += 1;
    if (isObjectInArea(valueOfRow(row), ring, mode)) items.push(recordView(state, row));
  }
  const last = ids[examined - 1];
  return done({ items, next: examined < ids.length && last !== undefined ? last.slice(prefix.length) : null });
});

/** The closed ring of the area, or the reason why it is not valid. */
function ringOf({ box, polygon }: SelectInput): readonly number[] | string {
  if ((box === undefined) === (polygon === undefined)) return "send a box or a polygon";
  if (box !== undefined) {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = box;
    if (minX > maxX || minY > maxY) return "the box has its least coordinates first";
    return [minX, minY, maxX, minY, maxX, maxY, minX, maxY, minX, minY];
  }
  const points = polygon ?? [];
  if (points.length % 2 === 1) return "the coordinates are pairs of x and y";
  const isClosed = points[0] === points.at(-2) && points[1] === points.at(-1);
  return isClosed ? points : [...points, ...points.slice(0, 2)];
}

/** Maximum pairs of segments that one measurement compares: four of the largest polygons, or 1,000 of 300 points. */
const measuredPairsMax = 50_000_000;

interface MeasureInput extends SketchInput {
  readonly objects?: readonly string[];
  readonly points?: readonly number[];
}

const measure: AppRead = {
  view: "scan",
  run(input: MeasureInput, context) {
    const refused = lockReadRefusal(context, accessOf("workspace.measure", input));
    if (refused !== undefined) return refused;
    const { objects = [], points } = input;
    if (objects.length > 0 === (points !== undefined))
      return refusal("workspace.geometry_invalid", { reason: "send objects or points" });
    const { unit, matrix } = calibrationAt(context.state, input);
    if (points !== undefined && points.length % 2 === 1)
      return refusal("workspace.geometry_invalid", { reason: "the coordinates are pairs of x and y" });
    let pairs = 0;
    const measured: (JsonObject & { readonly length: number; readonly area: number })[] = [];
    for (const object of objects) {
      const target = { type: workspaceObject.type, id: recordId({ ...input, object }) };
      const row = findEntity(context.state, target);
      if (!isLive(row)) return missing(row, target).outcome;
      const { shape, points: outline } = valueOfRow(row);
      // The outline of a polygon is compared with itself.
      if (shape === "polygon") pairs += (outline.length / 2) ** 2 / 2;
      if (pairs > measuredPairsMax)
        return tooLarge(`the outlines have too many points: send fewer than ${String(objects.length)} objects`);
      measured.push({ object, ...measureObject(valueOfRow(row), matrix) });
    }
    const sum = (of: "length" | "area"): number => measured.reduce((total, each) => total + each[of], 0);
    const length = points === undefined ? sum("length") : measurePath(points, matrix);
    return done({ unit, length, area: sum("area"), objects: measured });
  },
};

export const readSketches: Readonly<Record<string, AppRead>> = {
  "workspace.hit-test": hitTest,
  "workspace.select-objects": selectObjects,
  "workspace.measure": measure,
};

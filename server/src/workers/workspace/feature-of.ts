/** Objects of sketches as GeoJSON features, and back. A circle is a point with a radius in its properties. */
import { defined } from "@holdfast/sdk/base/defined";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { WorkInputFault } from "./workspace-job.ts";

/** The geometry of an object: its points are x, y, x, y and so on. */
export interface Shape {
  readonly shape: "point" | "line" | "polygon" | "circle";
  readonly points: readonly number[];
  readonly holes?: readonly (readonly number[])[];
  readonly radius?: number;
  readonly properties?: JsonObject;
}

/** How pixels become units: u = a·x + b·y + c and v = d·x + e·y + f. */
export type CalibrationMatrix = readonly number[];

const identity: CalibrationMatrix = [1, 0, 0, 0, 1, 0];

type Position = readonly [number, number];

function positions(points: readonly number[], matrix: CalibrationMatrix): readonly Position[] {
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0] = matrix;
  const pairs: Position[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x, y] = [points[at] ?? 0, points[at + 1] ?? 0];
    pairs.push([a * x + b * y + c, d * x + e * y + f]);
  }
  return pairs;
}

/** The factor by which the matrix enlarges lengths on average: the root of that of areas. */
export function scaleOf([a = 1, b = 0, , d = 0, e = 1]: CalibrationMatrix): number {
  return Math.sqrt(Math.abs(a * e - b * d));
}

/** The name under which the radius of a circle is a property of its feature. */
const radiusName = "holdfast:radius";

interface FeatureFacts {
  readonly id: string;
  /** Members that are added to the properties: the sketch and its layer. */
  readonly added: JsonObject;
}

/** The feature of an object, in calibrated units. */
export function featureOf(
  object: Shape,
  { id, added }: FeatureFacts,
  matrix: CalibrationMatrix = identity,
): JsonObject {
  const { shape, points, holes = [], radius, properties = {} } = object;
  const radiusInUnits = radius === undefined ? {} : { [radiusName]: radius * scaleOf(matrix) };
  const geometry = geometryOf(
    shape,
    [points, ...holes].map((ring) => positions(ring, matrix)),
  );
  return { type: "Feature", id, geometry, properties: { ...properties, ...added, ...radiusInUnits } };
}

function geometryOf(shape: Shape["shape"], rings: readonly (readonly Position[])[]): JsonObject {
  const [first = []] = rings;
  const nested = (pairs: readonly Position[]): Json[] => pairs.map((pair) => [...pair]);
  if (shape === "polygon") return { type: "Polygon", coordinates: rings.map(nested) };
  if (shape === "line") return { type: "LineString", coordinates: nested(first) };
  return { type: "Point", coordinates: [...(first[0] ?? [])] };
}

/** The object of a feature. Its coordinates are taken as they are. */
export function shapeOfFeature(feature: Json, what: string): Shape {
  if (!isObject(feature) || feature["type"] !== "Feature") throw new WorkInputFault(`${what} is not a GeoJSON feature`);
  const geometry = objectOrEmpty(feature["geometry"]);
  const { [radiusName]: radius, ...rest } = objectOrEmpty(feature["properties"]);
  const more = Object.keys(rest).length === 0 ? {} : { properties: rest };
  const shape = shapeOfGeometry(geometry, what);
  const isCircle = geometry["type"] === "Point" && typeof radius === "number";
  return isCircle ? { ...shape, shape: "circle", radius, ...more } : { ...shape, ...more };
}

function objectOrEmpty(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

function shapeOfGeometry({ type = null, coordinates = null }: JsonObject, what: string): Shape {
  if (type === "Point") return { shape: "point", points: flat([coordinates], what) };
  if (type === "LineString") return { shape: "line", points: flat(coordinates, what) };
  const rings = type === "Polygon" ? listOf(coordinates) : undefined;
  if (rings === undefined)
    throw new WorkInputFault(
      `${what} has the geometry ${JSON.stringify(type)}: Point, LineString and Polygon are imported`,
    );
  const [points = [], ...holes] = rings.map((ring) => flat(ring, what));
  return { shape: "polygon", points, ...defined({ holes: holes.length === 0 ? undefined : holes }) };
}

function listOf(value: Json): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}

function flat(coordinates: Json, what: string): readonly number[] {
  const pairs = listOf(coordinates);
  if (pairs === undefined) throw new WorkInputFault(`${what} has coordinates that are not a list`);
  return pairs.flatMap((pair) => {
    const [x, y] = listOf(pair) ?? [];
    if (typeof x !== "number" || typeof y !== "number")
      throw new WorkInputFault(`${what} has a position without x and y`);
    return [x, y];
  });
}

/** Lengths and areas of objects in the unit of their map. */
import type { ObjectValue } from "../record-place.ts";
import { isCrossing, isNear, segmentsOf } from "./segments.ts";
import type { LineSegment } from "./segments.ts";

interface MeasuredObject {
  readonly length: number;
  readonly area: number;
  readonly crosses_itself: boolean;
}

const pixels: readonly number[] = [1, 0, 0, 0, 1, 0];

/** Measures an object. `matrix` maps its coordinates to units. */
export function measureObject(value: ObjectValue, matrix: readonly number[] = pixels): MeasuredObject {
  const { shape, points, holes = [], radius = 0 } = value;
  if (shape === "point") return { length: 0, area: 0, crosses_itself: false };
  if (shape === "circle") return { ...measureCircle(radius, matrix), crosses_itself: false };
  const rings = [points, ...holes].map((ring) => inUnits(ring, matrix));
  const length = rings.reduce((sum, ring) => sum + pathLength(ring), 0);
  const isPolygon = shape === "polygon";
  const [outline = 0, ...cut] = rings.map(ringArea);
  const area = isPolygon
    ? Math.max(
        0,
        cut.reduce((left, hole) => left - hole, outline),
      )
    : 0;
  return { length, area, crosses_itself: isPolygon && crossesItself(points) };
}

/** The length of the way along points. */
export function measurePath(points: readonly number[], matrix: readonly number[] = pixels): number {
  return pathLength(inUnits(points, matrix));
}

function inUnits(
  points: readonly number[],
  [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0]: readonly number[],
): readonly number[] {
  return points.map((each, index) => {
    const isX = index % 2 === 0;
    const [x = 0, y = 0] = isX ? [each, points[index + 1]] : [points[index - 1], each];
    return isX ? a * x + b * y + c : d * x + e * y + f;
  });
}

function pathLength(points: readonly number[]): number {
  return segmentsOf(points).reduce((sum, { ax, ay, bx, by }) => sum + Math.hypot(bx - ax, by - ay), 0);
}

/** By the sum of cross products, relative to the first point, so that large coordinates lose no digits. */
function ringArea(ring: readonly number[]): number {
  const [x = 0, y = 0] = ring;
  const twice = segmentsOf(ring).reduce(
    (sum, { ax, ay, bx, by }) => sum + ((ax - x) * (by - y) - (bx - x) * (ay - y)),
    0,
  );
  return Math.abs(twice) / 2;
}

/** A circle becomes an ellipse, whose outline is Ramanujan's second approximation. */
function measureCircle(
  radius: number,
  [a = 1, b = 0, , d = 0, e = 1]: readonly number[],
): { length: number; area: number } {
  const determinant = Math.abs(a * e - b * d);
  const squares = a * a + b * b + d * d + e * e;
  const root = Math.sqrt(Math.max(0, squares * squares - 4 * determinant * determinant));
  const [long, short] = [
    Math.sqrt((squares + root) / 2) * radius,
    Math.sqrt(Math.max(0, (squares - root) / 2)) * radius,
  ];
  const h = long + short === 0 ? 0 : ((long - short) / (long + short)) ** 2;
  const length = Math.PI * (long + short) * (1 + (3 * h) / (10 + Math.sqrt(4 - 3 * h)));
  return { length, area: Math.PI * radius * radius * determinant };
}

/** Compares each segment with those whose x overlaps, from left to right. */
function crossesItself(ring: readonly number[]): boolean {
  const left = ({ ax, bx }: LineSegment): number => Math.min(ax, bx);
  const right = ({ ax, bx }: LineSegment): number => Math.max(ax, bx);
  const sorted = segmentsOf(ring).toSorted((one, other) => left(one) - left(other));
  return sorted.some((segment, index) => {
    for (let at = index + 1; at < sorted.length; at += 1) {
      const other = sorted[at];
      if (other === undefined || left(other) > right(segment)) return false;
      if (isNear(segment, other) && isCrossing(segment, other)) return true;
    }
    return false;
  });
}

import type { ObjectValue } from "../record-place.ts";
import { objectDistance } from "./object-distance.ts";
import { distanceToPath, isCrossing, isInRing, isTouching, segmentsOf } from "./segments.ts";

/** Whether an object is inside a closed ring, or touches it. The border belongs to the area. */
export function isObjectInArea(value: ObjectValue, ring: readonly number[], mode: "inside" | "touching"): boolean {
  return mode === "inside" ? isInside(value, ring) : isTouchingArea(value, ring);
}

function isInside({ shape, points, radius = 0 }: ObjectValue, ring: readonly number[]): boolean {
  const [x = 0, y = 0] = points;
  if (shape === "point") return isInRing(x, y, ring);
  if (shape === "circle") return isInRing(x, y, ring) && distanceToPath(x, y, ring) >= radius;
  const border = segmentsOf(ring);
  // The middle of a segment finds one whose ends are on the border of a notch.
  return segmentsOf(points).every((segment) => {
    const { ax, ay, bx, by } = segment;
    const isEachIn = isInRing(ax, ay, ring) && isInRing(bx, by, ring) && isInRing((ax + bx) / 2, (ay + by) / 2, ring);
    return isEachIn && !border.some((each) => isCrossing(segment, each));
  });
}

function isTouchingArea(value: ObjectValue, ring: readonly number[]): boolean {
  const { shape, points, radius = 0 } = value;
  const [x = 0, y = 0] = points;
  if (isInRing(x, y, ring)) return true;
  if (shape === "point") return false;
  if (shape === "circle") return distanceToPath(x, y, ring) <= radius;
  const border = segmentsOf(ring);
  if (segmentsOf(points).some((segment) => border.some((each) => isTouching(segment, each)))) return true;
  // The area may lie in a polygon as a whole.
  const [rx = 0, ry = 0] = ring;
  return shape === "polygon" && objectDistance(value, rx, ry) === 0;
}

import type { ObjectValue } from "../record-place.ts";
import { objectDistance } from "./object-distance.ts";
import type { LineSegment } from "./segments.ts";
import { distanceToPath, isCrossing, isInRing, isNear, isTouching, segmentsOf } from "./segments.ts";

/** Whether an object is inside a closed ring, or touches it. The border belongs to the area. */
export function isObjectInArea(value: ObjectValue, ring: readonly number[], mode: "inside" | "touching"): boolean {
  return mode === "inside" ? isInside(value, ring) : isTouchingArea(value, ring);
}

function isInside({ shape, points, radius = 0 }: ObjectValue, ring: readonly number[]): boolean {
  const [x = 0, y = 0] = points;
  if (shape === "point") return isInRing(x, y, ring);
  if (shape === "circle") return isInRing(x, y, ring) && distanceToPath(x, y, ring) >= radius;
  if (!isInRing(x, y, ring)) return false;
  const border = segmentsOf(ring);
  // A segment that does not touch the border stays on its side. So the end of each one is the start of the next.
  return segmentsOf(points).every((segment) => {
    const { ax, ay, bx, by } = segment;
    let isFree = true;
    for (const each of border) {
      if (!isNear(segment, each)) continue;
      if (isCrossing(segment, each)) return false;
      isFree &&= !isTouching(segment, each);
    }
    // The middle of a segment finds one whose ends are on the border of a notch.
    return isFree || (isInRing(bx, by, ring) && isInRing((ax + bx) / 2, (ay + by) / 2, ring));
  });
}

function isTouchingArea(value: ObjectValue, ring: readonly number[]): boolean {
  const { shape, points, radius = 0 } = value;
  const [x = 0, y = 0] = points;
  if (isInRing(x, y, ring)) return true;
  if (shape === "point") return false;
  if (shape === "circle") return distanceToPath(x, y, ring) <= radius;
  const border = segmentsOf(ring);
  const touches = (segment: LineSegment): boolean =>
    border.some((each) => isNear(segment, each) && isTouching(segment, each));
  if (segmentsOf(points).some(touches)) return true;
  // The area may lie in a polygon as a whole.
  const [rx = 0, ry = 0] = ring;
  return shape === "polygon" && objectDistance(value, rx, ry) === 0;
}

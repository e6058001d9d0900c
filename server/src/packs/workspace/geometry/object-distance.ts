import type { ObjectValue } from "../record-place.ts";
import { distanceToPath, isInRing } from "./segments.ts";

/** The least x and y and the greatest x and y of an object. */
export interface ObjectBox {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

export function boxOfObject({ points, radius = 0 }: ObjectValue): ObjectBox {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    [minX, maxX] = [Math.min(minX, x - radius), Math.max(maxX, x + radius)];
    [minY, maxY] = [Math.min(minY, y - radius), Math.max(maxY, y + radius)];
  }
  return { minX, minY, maxX, maxY };
}

/** The distance of a point from an object: 0 in an area, and on a line. A hole is not part of the area. */
export function objectDistance({ shape, points, holes = [], radius = 0 }: ObjectValue, x: number, y: number): number {
  const [cx = 0, cy = 0] = points;
  switch (shape) {
    case "point":
      return Math.hypot(x - cx, y - cy);
    case "circle":
      return Math.max(0, Math.hypot(x - cx, y - cy) - radius);
    case "line":
      return distanceToPath(x, y, points);
    case "polygon": {
      if (!isInRing(x, y, points)) return distanceToPath(x, y, points);
      const hole = holes.find((ring) => isInRing(x, y, ring));
      return hole === undefined ? 0 : distanceToPath(x, y, hole);
    }
  }
}

/** The figures of a sketch or a map: the number of objects, their box, the sum of lengths and of areas. */
import { scaleOf } from "./feature-of.ts";
import type { CalibrationMatrix, Shape } from "./feature-of.ts";

interface Totals {
  readonly objects: number;
  /** Least x, least y, greatest x, greatest y in pixels; null without objects. */
  readonly box: readonly number[] | null;
  readonly length: number;
  readonly area: number;
}

export class TotalsCount {
  #objects = 0;
  #box: [number, number, number, number] | null = null;
  #length = 0;
  #area = 0;
  readonly #matrix: CalibrationMatrix;

  /** Lengths and areas are in the units of the calibration. */
  constructor(matrix: CalibrationMatrix) {
    this.#matrix = matrix;
  }

  add({ shape, points, holes = [], radius = 0 }: Shape): void {
    this.#objects += 1;
    for (let at = 0; at + 1 < points.length; at += 2) this.#widen(points[at] ?? 0, points[at + 1] ?? 0, radius);
    const scale = scaleOf(this.#matrix);
    if (shape === "line") this.#length += lengthOf(points, this.#matrix);
    if (shape === "circle") this.#area += Math.PI * (radius * scale) ** 2;
    if (shape === "polygon") {
      const cut = holes.reduce((sum, hole) => sum + areaOf(hole), 0);
      this.#area += Math.max(0, areaOf(points) - cut) * scale ** 2;
    }
  }

  get totals(): Totals {
    return { objects: this.#objects, box: this.#box, length: this.#length, area: this.#area };
  }

  #widen(x: number, y: number, radius: number): void {
    const [left, top, right, bottom] = this.#box ?? [x, y, x, y];
    this.#box = [
      Math.min(left, x - radius),
      Math.min(top, y - radius),
      Math.max(right, x + radius),
      Math.max(bottom, y + radius),
    ];
  }
}

function lengthOf(points: readonly number[], [a = 1, b = 0, , d = 0, e = 1]: CalibrationMatrix): number {
  let length = 0;
  for (let at = 2; at + 1 < points.length; at += 2) {
    const [dx, dy] = [(points[at] ?? 0) - (points[at - 2] ?? 0), (points[at + 1] ?? 0) - (points[at - 1] ?? 0)];
    length += Math.hypot(a * dx + b * dy, d * dx + e * dy);
  }
  return length;
}

/** The area of a closed ring in square pixels. */
function areaOf(ring: readonly number[]): number {
  let doubled = 0;
  for (let at = 0; at + 3 < ring.length; at += 2)
    doubled += (ring[at] ?? 0) * (ring[at + 3] ?? 0) - (ring[at + 2] ?? 0) * (ring[at + 1] ?? 0);
  return Math.abs(doubled) / 2;
}

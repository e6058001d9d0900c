import { coordinatesMax } from "@holdfast/sdk/contract";
import type { ObjectValue } from "../record-place.ts";

/** Describes why the geometry of an object is not valid; undefined if it is. A shape may cross itself. */
export function shapeFault({ shape, points, holes, radius }: ObjectValue): string | undefined {
  const numbers = (holes ?? []).reduce((sum, hole) => sum + hole.length, points.length);
  if (numbers > coordinatesMax)
    return `it has ${String(numbers)} coordinates, and ${String(coordinatesMax)} are allowed`;
  if (holes !== undefined && shape !== "polygon") return "only a polygon has holes";
  if ((radius !== undefined) !== (shape === "circle")) return "a circle has a radius, and no other shape has one";
  return shape === "point" || shape === "circle"
    ? spotFault(points, radius)
    : outlineFault(shape, [points, ...(holes ?? [])]);
}

function spotFault(points: readonly number[], radius: number | undefined): string | undefined {
  if (points.length !== 2) return "a point and a circle have one x and one y";
  return radius === 0 ? "the radius of a circle is greater than 0" : undefined;
}

function outlineFault(shape: "line" | "polygon", rings: readonly (readonly number[])[]): string | undefined {
  if (shape === "polygon") return rings.map(ringFault).find((fault) => fault !== undefined);
  const [points = []] = rings;
  return pairsFault(points, 2) ?? (isOnePoint(points) ? "the line has no length" : undefined);
}

/** A ring ends where it begins, and has three other points or more. */
function ringFault(ring: readonly number[]): string | undefined {
  const odd = pairsFault(ring, 4);
  if (odd !== undefined) return odd;
  const isClosed = ring[0] === ring.at(-2) && ring[1] === ring.at(-1);
  if (!isClosed) return "a ring ends with the point with which it begins";
  return isOnePoint(ring) ? "the ring has no length" : undefined;
}

function pairsFault(points: readonly number[], countMin: number): string | undefined {
  if (points.length % 2 === 1) return "the coordinates are pairs of x and y";
  return points.length / 2 < countMin ? `it needs ${String(countMin)} points or more` : undefined;
}

function isOnePoint(points: readonly number[]): boolean {
  return points.every((each, index) => each === points[index % 2]);
}

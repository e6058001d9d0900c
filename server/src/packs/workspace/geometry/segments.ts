/**
 * Segments of flat coordinates: their distances, crossings, and the points in a ring. A shape may have thousands of them, and
 * each is compared with thousands, so the loops allocate nothing.
 */

export interface LineSegment {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

/** The segments between the points that follow each other. */
export function segmentsOf(points: readonly number[]): readonly LineSegment[] {
  const segments: LineSegment[] = [];
  for (let at = 0; at + 3 < points.length; at += 2) segments.push(segmentAt(points, at));
  return segments;
}

function segmentAt(points: readonly number[], at: number): LineSegment {
  return { ax: points[at] ?? 0, ay: points[at + 1] ?? 0, bx: points[at + 2] ?? 0, by: points[at + 3] ?? 0 };
}

function distanceToSegment(x: number, y: number, { ax, ay, bx, by }: LineSegment): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / square;
  const at = Math.max(0, Math.min(1, along));
  return Math.hypot(x - (ax + at * dx), y - (ay + at * dy));
}

/** The least distance to the segments of a line or a ring. */
export function distanceToPath(x: number, y: number, points: readonly number[]): number {
  let least = Infinity;
  for (let at = 0; at + 3 < points.length; at += 2)
    least = Math.min(least, distanceToSegment(x, y, segmentAt(points, at)));
  return least;
}

/** True if the boxes of two segments have a point in common. Other segments neither touch nor cross. */
export function isNear(a: LineSegment, b: LineSegment): boolean {
  return (
    Math.min(a.ax, a.bx) <= Math.max(b.ax, b.bx) &&
    Math.min(b.ax, b.bx) <= Math.max(a.ax, a.bx) &&
    Math.min(a.ay, a.by) <= Math.max(b.ay, b.by) &&
    Math.min(b.ay, b.by) <= Math.max(a.ay, a.by)
  );
}

/** Positive if the three points turn left, negative if they turn right, 0 if they lie on one line. */
function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/** True if the two cross in a point that is inside both. */
export function isCrossing(a: LineSegment, b: LineSegment): boolean {
  const [one, two] = [turn(a.ax, a.ay, a.bx, a.by, b.ax, b.ay), turn(a.ax, a.ay, a.bx, a.by, b.bx, b.by)];
  const [three, four] = [turn(b.ax, b.ay, b.bx, b.by, a.ax, a.ay), turn(b.ax, b.ay, b.bx, b.by, a.bx, a.by)];
  return one * two < 0 && three * four < 0;
}

/** True if the two have a point in common. */
export function isTouching(a: LineSegment, b: LineSegment): boolean {
  if (isCrossing(a, b)) return true;
  return isOn(a, b.ax, b.ay) || isOn(a, b.bx, b.by) || isOn(b, a.ax, a.ay) || isOn(b, a.bx, a.by);
}

function isOn({ ax, ay, bx, by }: LineSegment, x: number, y: number): boolean {
  const isInBox = Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by);
  return isInBox && turn(ax, ay, bx, by, x, y) === 0;
}

/** True if a point is in a closed ring or on it. A ring that crosses itself counts as even and odd. */
export function isInRing(x: number, y: number, ring: readonly number[]): boolean {
  let isInside = false;
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [ay, by] = [ring[at + 1] ?? 0, ring[at + 3] ?? 0];
    // Most segments are above or below the point.
    if ((ay > y && by > y) || (ay < y && by < y)) continue;
    const segment = segmentAt(ring, at);
    if (isOn(segment, x, y)) return true;
    const { ax, bx } = segment;
    if (ay > y === by > y) continue;
    if (x < ax + ((y - ay) / (by - ay)) * (bx - ax)) isInside = !isInside;
  }
  return isInside;
}

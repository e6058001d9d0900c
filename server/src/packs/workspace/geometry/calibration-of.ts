/**
 * How pixels become units, from known points. It is computed in a decision, so it uses only + − × ÷ and the square root,
 * whose results are the same in every build. The sine or the hypotenuse may differ in the last bit.
 */
import type { CalibrationPoint } from "../record-place.ts";

interface SolvedCalibration {
  /** a, b, c, d, e, f: u = a·x + b·y + c and v = d·x + e·y + f. */
  readonly matrix: readonly number[];
  /** The root of the mean square of the distances, in units. */
  readonly residual: number;
}

/** Share of the spread of the points that must be across their main line. Below it, the affine map is not defined. */
const spreadMin = 1e-12;

/** The calibration of the points, or why they have none. */
export function calibrationOf(points: readonly CalibrationPoint[]): SolvedCalibration | string {
  const matrix = points.length === 2 ? similarity(points) : affine(points);
  if (typeof matrix === "string") return matrix;
  if (!matrix.every(Number.isFinite)) return "the points give no finite numbers";
  // JSON has no negative zero.
  return { matrix: matrix.map((each) => each + 0), residual: residualOf(points, matrix) };
}

/** A rotation with one scale: the quotient of two differences, as complex numbers. */
function similarity([first, second]: readonly CalibrationPoint[]): readonly number[] | string {
  if (first === undefined || second === undefined) return "it needs two points";
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  const [du, dv] = [second.u - first.u, second.v - first.v];
  const square = dx * dx + dy * dy;
  if (square === 0) return "the two points are the same in pixels";
  if (du === 0 && dv === 0) return "the two points are the same in units";
  const real = (du * dx + dv * dy) / square;
  const imaginary = (dv * dx - du * dy) / square;
  const c = first.u - (real * first.x - imaginary * first.y);
  const f = first.v - (imaginary * first.x + real * first.y);
  return [real, -imaginary, c, imaginary, real, f];
}

/** The affine map with the least squares. The means are subtracted first, so that large coordinates lose no digits. */
function affine(points: readonly CalibrationPoint[]): readonly number[] | string {
  const mean = (of: (point: CalibrationPoint) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [mx, my, mu, mv] = [mean(({ x }) => x), mean(({ y }) => y), mean(({ u }) => u), mean(({ v }) => v)];
  const sum = (of: (x: number, y: number, u: number, v: number) => number): number =>
    points.reduce((total, { x, y, u, v }) => total + of(x - mx, y - my, u - mu, v - mv), 0);
  const [xx, xy, yy] = [sum((x) => x * x), sum((x, y) => x * y), sum((_x, y) => y * y)];
  const determinant = xx * yy - xy * xy;
  if (!(determinant > spreadMin * xx * yy)) return "the points lie on one line in pixels";
  const solve = (xw: number, yw: number): readonly [number, number] => [
    (xw * yy - yw * xy) / determinant,
    (yw * xx - xw * xy) / determinant,
  ];
  const [a, b] = solve(
    sum((x, _y, u) => x * u),
    sum((_x, y, u) => y * u),
  );
  const [d, e] = solve(
    sum((x, _y, _u, v) => x * v),
    sum((_x, y, _u, v) => y * v),
  );
  if (a * e - b * d === 0) return "the points lie on one line in units";
  return [a, b, mu - a * mx - b * my, d, e, mv - d * mx - e * my];
}

function residualOf(
  points: readonly CalibrationPoint[],
  [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[],
): number {
  const squares = points.reduce((sum, { x, y, u, v }) => {
    const [du, dv] = [a * x + b * y + c - u, d * x + e * y + f - v];
    return sum + du * du + dv * dv;
  }, 0);
  return Math.sqrt(squares / points.length);
}

/** Shapes, areas, calibration and the index, each compared with a plain way to compute the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SketchBoxes } from "../../server/src/app/packs/workspace/sketch-boxes.ts";
import { calibrationOf } from "../../server/src/packs/workspace/geometry/calibration-of.ts";
import { measureObject, measurePath } from "../../server/src/packs/workspace/geometry/measure-object.ts";
import { objectDistance } from "../../server/src/packs/workspace/geometry/object-distance.ts";
import { isObjectInArea } from "../../server/src/packs/workspace/geometry/object-in-area.ts";
import { shapeFault } from "../../server/src/packs/workspace/geometry/shape-fault.ts";
import type { ObjectValue } from "../../server/src/packs/workspace/record-place.ts";
import { randomOf } from "../machine/sample-history.ts";

const square = (x: number, y: number, side: number): readonly number[] => [
  ...[x, y, x + side, y, x + side, y + side],
  ...[x, y + side, x, y],
];
const near = (actual: number, expected: number, label = ""): void => {
  assert.ok(
    Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${label} ${String(actual)}, not ${String(expected)}`,
  );
};

test("two points give a similarity, and more give the affine map that moved them", () => {
  const random = randomOf(1);
  for (let round = 0; round < 200; round += 1) {
    const any = (): number => (random(2_000_001) - 1_000_000) / 1_000;
    const [a, b, c, d, e, f] = [any(), any(), any(), any(), any(), any()];
    const count = 2 + random(5);
    // Two points determine only a rotation and one scale.
    const [p, q] = count === 2 ? [a, d] : [e, b];
    const points = Array.from({ length: count }, () => {
      const [x, y] = [any(), any()];
      return count === 2
        ? { x, y, u: a * x - d * y + c, v: d * x + a * y + f }
        : { x, y, u: a * x + q * y + c, v: d * x + p * y + f };
    });
    const solved = calibrationOf(points);
    assert.ok(typeof solved === "object");
    assert.ok(solved.residual < 1e-3, `residual ${String(solved.residual)}`);
  }
});

const reasonOf = (points: Parameters<typeof calibrationOf>[0]): string => {
  const solved = calibrationOf(points);
  return typeof solved === "string" ? solved : "solved";
};

test("points without a calibration are refused with the reason", () => {
  const on = (x: number, y: number, u: number, v: number) => ({ x, y, u, v });
  assert.match(reasonOf([on(1, 1, 0, 0), on(1, 1, 5, 5)]), /same in pixels/u);
  assert.match(reasonOf([on(0, 0, 5, 5), on(1, 1, 5, 5)]), /same in units/u);
  assert.match(reasonOf([on(0, 0, 0, 0), on(1, 1, 1, 0), on(2, 2, 5, 7)]), /one line in pixels/u);
  const solved = calibrationOf([on(0, 0, 0, 0), on(10, 0, 1, 0), on(0, 10, 0, 1), on(10, 10, 1, 1.2)]);
  assert.ok(typeof solved === "object" && solved.residual > 0.04 && solved.residual < 0.06);
});

test("lengths and areas are those of known figures, in pixels and in units", () => {
  const polygon: ObjectValue = { shape: "polygon", points: square(1e6, 1e6, 10), holes: [square(1e6 + 2, 1e6 + 2, 3)] };
  assert.deepEqual(measureObject(polygon), { length: 52, area: 91, crosses_itself: false });
  const units = [0.5, 0, 3, 0, 0.5, 4];
  assert.deepEqual(measureObject(polygon, units), { length: 26, area: 22.75, crosses_itself: false });
  near(measureObject({ shape: "circle", points: [5, 5], radius: 2 }).area, 4 * Math.PI);
  near(measureObject({ shape: "circle", points: [5, 5], radius: 2 }, units).length, 2 * Math.PI);
  assert.equal(measurePath([0, 0, 3, 4, 3, 10]), 11);
  assert.equal(measureObject({ shape: "polygon", points: [0, 0, 4, 4, 4, 0, 0, 4, 0, 0] }).crosses_itself, true);
});

test("a turned and moved polygon keeps its area and its outline", () => {
  const random = randomOf(7);
  for (let round = 0; round < 100; round += 1) {
    const points = square(random(100), random(100), 1 + random(50));
    const angle = random(360);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const before = measureObject({ shape: "polygon", points });
    const after = measureObject({ shape: "polygon", points }, [cos, -sin, random(50), sin, cos, random(50)]);
    near(after.area, before.area, "area");
    near(after.length, before.length, "length");
  }
});

test("the distance to a polygon is 0 inside, that to its border outside, and that to the hole in a hole", () => {
  const polygon: ObjectValue = { shape: "polygon", points: square(0, 0, 10), holes: [square(4, 4, 2)] };
  const at = (x: number, y: number): number => objectDistance(polygon, x, y);
  assert.deepEqual([at(1, 1), at(0, 5), at(13, 14), at(-3, 5), at(5, 4.5)], [0, 0, 5, 3, 0.5]);
  assert.equal(objectDistance({ shape: "line", points: [0, 0, 10, 0] }, 5, 2), 2);
  assert.equal(objectDistance({ shape: "circle", points: [0, 0], radius: 2 }, 5, 0), 3);
});

test("an object inside an area also touches it, and one that touches without being inside crosses its border", () => {
  const random = randomOf(3);
  const notched = [0, 0, 20, 0, 20, 20, 12, 20, 12, 8, 8, 8, 8, 20, 0, 20, 0, 0];
  let [inside, touching] = [0, 0];
  for (let round = 0; round < 2_000; round += 1) {
    const [x, y, side] = [random(30) - 5, random(30) - 5, 1 + random(8)];
    const shapes: readonly ObjectValue[] = [
      { shape: "point", points: [x, y] },
      { shape: "line", points: [x, y, x + side, y + side] },
      { shape: "polygon", points: square(x, y, side) },
      { shape: "circle", points: [x, y], radius: side / 2 },
    ];
    const value = shapes[random(4)] ?? { shape: "point", points: [x, y] };
    const isInside = isObjectInArea(value, notched, "inside");
    const isTouching = isObjectInArea(value, notched, "touching");
    if (isInside) assert.ok(isTouching, JSON.stringify(value));
    // Points of the object that are in the area, found without any segment.
    const samples = samplesOf(value);
    const area: ObjectValue = { shape: "polygon", points: notched };
    const found = samples.filter(([sx = 0, sy = 0]) => objectDistance(area, sx, sy) === 0).length;
    if (found > 0) assert.ok(isTouching, `touching ${JSON.stringify(value)}`);
    if (found < samples.length) assert.ok(!isInside, `inside ${JSON.stringify(value)}`);
    if (isInside) inside += 1;
    if (isTouching) touching += 1;
  }
  assert.ok(inside > 200 && touching > inside + 200, `${String(inside)} inside, ${String(touching)} touching`);
});

/** Points on the object, evenly along its outline. */
function samplesOf({ shape, points, radius = 0 }: ObjectValue): readonly (readonly number[])[] {
  const [x = 0, y = 0] = points;
  if (shape === "point") return [[x, y]];
  if (shape === "circle")
    return Array.from({ length: 32 }, (_, at) => {
      const angle = (at / 16) * Math.PI;
      // A little inside, because of the rounding of sine and cosine.
      return [x + 0.999 * radius * Math.cos(angle), y + 0.999 * radius * Math.sin(angle)];
    });
  const samples: (readonly number[])[] = [];
  for (let at = 0; at + 3 < points.length; at += 2) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = points.slice(at, at + 4);
    for (let part = 0; part < 8; part += 1) samples.push([ax + ((bx - ax) * part) / 8, ay + ((by - ay) * part) / 8]);
  }
  return samples;
}

test("a shape that is not valid is named with its reason", () => {
  const faults: readonly (readonly [ObjectValue, RegExp | undefined])[] = [
    [{ shape: "point", points: [1, 2] }, undefined],
    [{ shape: "point", points: [1, 2, 3, 4] }, /one x and one y/u],
    [{ shape: "line", points: [1, 2, 3] }, /pairs/u],
    [{ shape: "line", points: [1, 2, 1, 2] }, /no length/u],
    [{ shape: "polygon", points: [0, 0, 1, 0, 1, 1] }, /4 points/u],
    [{ shape: "polygon", points: [0, 0, 1, 0, 1, 1, 2, 2] }, /begins/u],
    [{ shape: "polygon", points: [0, 0, 0, 0, 0, 0, 0, 0] }, /no length/u],
    [{ shape: "polygon", points: square(0, 0, 9), holes: [[1, 1, 2, 2]] }, /4 points/u],
    [{ shape: "circle", points: [0, 0], radius: 0 }, /greater than 0/u],
    [{ shape: "line", points: [0, 0, 1, 1], radius: 1 }, /radius/u],
    [{ shape: "line", points: [0, 0, 1, 1], holes: [] }, /only a polygon/u],
    [{ shape: "line", points: Array.from({ length: 10_002 }, (_, at) => at) }, /10000 are allowed/u],
  ];
  for (const [value, reason] of faults) {
    const fault = shapeFault(value);
    if (reason === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? "valid", reason, JSON.stringify(value).slice(0, 100));
  }
});

test("the index finds the same boxes as an examination of every box, after any puts and deletions", () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const random = randomOf(seed);
    const boxes = new SketchBoxes();
    const plain = new Map<string, { minX: number; minY: number; maxX: number; maxY: number }>();
    for (let round = 0; round < 3_000; round += 1) {
      const id = `o${String(random(700))}`;
      const [x, y] = [random(1_000), random(1_000)];
      // Some boxes are points, and some are the same.
      const [width, height] = random(3) === 0 ? [0, 0] : [random(40), random(40)];
      const box = { minX: x, minY: y, maxX: x + width, maxY: y + height };
      if (random(3) === 0) {
        boxes.delete(id);
        plain.delete(id);
      } else {
        boxes.put(id, box);
        plain.set(id, box);
      }
      if (round % 50 > 0) continue;
      const wanted = { minX: x - 30, minY: y - 30, maxX: x + 30, maxY: y + 30 };
      const expected = [...plain].filter(([, each]) => {
        return (
          each.minX <= wanted.maxX && wanted.minX <= each.maxX && each.minY <= wanted.maxY && wanted.minY <= each.maxY
        );
      });
      assert.deepEqual([...boxes.search(wanted)].sort(), expected.map(([each]) => each).sort(), `seed ${String(seed)}`);
      assert.equal(boxes.size, plain.size);
    }
  }
});

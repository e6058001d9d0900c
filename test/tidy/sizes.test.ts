import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder, lineCount, projectFiles } from "./tree.ts";

const linesMax = 400;
/** Files up to this size are never too big. */
const linesTarget = 200;
const biggestShareMax = 0.12;
/** In a smaller project three files are always a large share. */
const filesForShareMin = 40;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** True if the share of the three biggest files exceeds the maximum. */
function isTopHeavy(sizes: readonly number[]): boolean {
  const biggest = sum(sizes.toSorted((a, b) => b - a).slice(0, 3));
  const isSmall = sizes.length <= filesForShareMin || biggest <= 3 * linesTarget;
  return !isSmall && biggest >= biggestShareMax * sum(sizes);
}

test("no source file is longer than 400 lines", () => {
  const sources = projectFiles.filter(({ path }) => /\.(ts|js|sql)$/.test(path));
  const long = sources.filter((file) => lineCount(file) > linesMax);
  assertNone(long.map((file) => `${file.path}: ${lineCount(file)} lines; split it along its second responsibility`));
});

test("the three biggest files of the server hold less than 12 % of its lines", () => {
  assert.ok(!isTopHeavy(filesUnder("server/src", ".ts").map(lineCount)), "split the biggest ones");
});

test("the rule about the biggest files catches a project that is top-heavy", () => {
  const rest = Array.from({ length: 60 }, () => 50);
  assert.ok(isTopHeavy([...rest, 390, 380, 370]));
  assert.ok(!isTopHeavy([...rest, 200, 190, 180]));
  assert.ok(!isTopHeavy([390, 380, 370]));
});

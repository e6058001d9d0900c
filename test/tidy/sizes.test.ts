import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone } from "./phrases.ts";
import { filesUnder, lineCount, projectFiles } from "./tree.ts";

const linesMax = 400;
const biggestShareMax = 0.12;
/** Below this many files three of them are a large share whatever one does. */
const filesForShareMin = 40;

test("no source file is longer than 400 lines", () => {
  const sources = projectFiles.filter(({ path }) => /\.(ts|js|sql)$/.test(path));
  const long = sources.filter((file) => lineCount(file) > linesMax);
  assertNone(long.map((file) => `${file.path}: ${lineCount(file)} lines; split it along its second responsibility`));
});

test("the three biggest files of the server hold less than 12 % of its lines", () => {
  const sizes = filesUnder("server/src", ".ts").map(lineCount);
  if (sizes.length <= filesForShareMin) return;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const share = sum(sizes.toSorted((a, b) => b - a).slice(0, 3)) / sum(sizes);
  assert.ok(share < biggestShareMax, `they hold ${(share * 100).toFixed(1)} %`);
});

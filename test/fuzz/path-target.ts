import assert from "node:assert/strict";
import { isAtOrBelow } from "../../sdk/src/base/is-at-or-below.ts";
import { formatPointer } from "../../sdk/src/json/format-pointer.ts";
import { parsePointer } from "../../sdk/src/json/parse-pointer.ts";
import { pointersOverlap } from "../../server/src/features/entities/json/pointers-overlap.ts";
import { ancestorsOf, compareBytes, pathFault } from "../../server/src/features/locks/tables/path-fault.ts";
import type { Random } from "../simulation/random.ts";
import { plainTarget } from "./fuzz-target.ts";
import { anyText, damaged } from "./fuzz-values.ts";

const names = ["a", "b", "ab", "a.b", "...", "é", "😀", "A"];

function pathOf(random: Random): string {
  const whole = Array.from({ length: random.between(1, random.pick([3, 40])) }, () => random.pick(names)).join("/");
  return random.weighed({ whole: 5, damaged: 3, text: 2 }) === "whole"
    ? whole
    : random.pick([damaged(random, whole), anyText(random)]);
}

/** The definition of a path, in the plainest code. */
function isPath(text: string): boolean {
  const parts = text.split("/");
  return (
    text.length <= 1_024 &&
    parts.length <= 32 &&
    !parts.some((part) => part === "" || part === "." || part === "..") &&
    !Array.from(text, (character) => character.codePointAt(0) ?? 0).some((code) => code < 32 || code === 127) &&
    text.normalize("NFC") === text
  );
}

function round(random: Random): void {
  const [path, other] = [pathOf(random), pathOf(random)];
  assert.equal(pathFault(path) === undefined, isPath(path), JSON.stringify(path));
  assert.equal(
    Math.sign(compareBytes(path, other)),
    path.isWellFormed() && other.isWellFormed()
      ? Buffer.compare(Buffer.from(path), Buffer.from(other))
      : Math.sign(compareBytes(path, other)),
    "paths are ordered by their bytes",
  );
  if (isPath(path)) {
    const above = ancestorsOf(path);
    assert.deepEqual([...above, path].at(0), path.split("/")[0]);
    assert.ok(
      above.every((ancestor) => isPath(ancestor) && isAtOrBelow(path, ancestor) && !isAtOrBelow(ancestor, path)),
    );
    assert.equal(isAtOrBelow(path, other), other === "" || `${path}/`.startsWith(`${other}/`));
  }
  roundOfPointers(random);
}

function roundOfPointers(random: Random): void {
  const segments = Array.from({ length: random.below(5) }, () => anyText(random));
  assert.deepEqual(parsePointer(formatPointer(segments)), segments, "a pointer is parsed into its names");
  const text = damaged(random, formatPointer(segments));
  const parsed = parsePointer(text);
  if (parsed !== undefined) assert.equal(formatPointer(parsed), text, "a pointer has one spelling");
  const inside = `${formatPointer(segments)}/x`;
  assert.ok(pointersOverlap(inside, formatPointer(segments)) && pointersOverlap(formatPointer(segments), inside));
}

export const pathTarget = plainTarget("paths and pointers", "pathFuzz", round);

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatPointer } from "../../sdk/src/json/format-pointer.ts";
import { parsePointer } from "../../sdk/src/json/parse-pointer.ts";
import { arrayIndex, valueAt } from "../../sdk/src/json/value-at.ts";
import { pointersOverlap } from "../../server/src/features/entities/json/pointers-overlap.ts";
import type { Json } from "../../sdk/src/json/json.ts";

const document: Json = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8,
};

const found: readonly [pointer: string, value: Json][] = [
  ["", document],
  ["/foo", ["bar", "baz"]],
  ["/foo/0", "bar"],
  ["/", 0],
  ["/a~1b", 1],
  ["/c%d", 2],
  ["/e^f", 3],
  ["/g|h", 4],
  ["/i\\j", 5],
  ['/k"l', 6],
  ["/ ", 7],
  ["/m~0n", 8],
];

test("pointers find the values that RFC 6901 lists", () => {
  for (const [pointer, value] of found) {
    const segments = parsePointer(pointer);
    assert.ok(segments);
    assert.deepEqual(valueAt(document, segments), value, pointer);
  }
});

test("a pointer to nothing finds nothing, also where every object inherits a name", () => {
  for (const pointer of [
    "/bar",
    "/foo/2",
    "/foo/-",
    "/foo/00",
    "/foo/length",
    "/constructor",
    "/__proto__",
    "/foo/0/0",
  ]) {
    assert.equal(valueAt(document, parsePointer(pointer) ?? []), undefined, pointer);
  }
});

test("a text that is not a pointer is refused", () => {
  for (const text of ["a", "a/b", "#/a", "/~", "/~2", "/a~", "/~~0", " /a"]) {
    assert.equal(parsePointer(text), undefined, text);
  }
});

test("every list of segments survives formatting and parsing", () => {
  const segment = fc.oneof(fc.string(), fc.constantFrom("~", "/", "~0", "~1", "~01", "", "-"));
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      assert.deepEqual(parsePointer(formatPointer(segments)), segments);
    }),
  );
});

test("an array index has no sign, no leading zero, no fraction", () => {
  assert.deepEqual(["0", "7", "10", "999999999999999"].map(arrayIndex), [0, 7, 10, 999999999999999]);
  for (const text of ["", "-", "-1", "+1", "01", "1.0", "1e2", " 1", "1 ", "١", "9999999999999999"]) {
    assert.equal(arrayIndex(text), undefined, text);
  }
});

test("two pointers overlap when they are equal or one is inside the other, segment by segment", () => {
  const cases: readonly [left: string, right: string, expected: boolean][] = [
    ["", "", true],
    ["", "/a", true],
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/ab", false],
    ["/a/b", "/a/c", false],
    ["/a", "/a~1b", false],
    ["/a", "/a/", true],
    ["/", "/a", false],
    ["/1", "/10", false],
  ];
  for (const [left, right, expected] of cases) {
    assert.equal(pointersOverlap(left, right), expected, `${left} and ${right}`);
    assert.equal(pointersOverlap(right, left), expected, `${right} and ${left}`);
  }
});

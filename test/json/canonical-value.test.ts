import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalText } from "./canonical-text.ts";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { measure } from "../../sdk/src/json/measure.ts";
import { sameJson } from "../../sdk/src/json/same-json.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { canonicalJson, shuffled } from "./canonical-arbitrary.ts";

function faultOf(input: unknown, limits: Partial<typeof inputLimits> = {}): [string, string] {
  const result = canonicalValue(input, { ...inputLimits, ...limits });
  assert.ok(!result.ok, "the input was accepted");
  return [result.fault.reason, result.fault.pointer];
}

function valueOf(input: unknown): Json {
  const result = canonicalValue(input, inputLimits);
  assert.ok(result.ok, "the input was refused");
  return result.value;
}

class Point {
  x = 1;
}

const sparse: unknown[] = [1];
sparse[2] = 3;

const cycle: { inner?: unknown } = {};
cycle.inner = cycle;

const refused: readonly [title: string, input: unknown, reason: string, pointer: string][] = [
  ["undefined alone", undefined, "undefined_value", ""],
  ["an undefined element", { a: [1, undefined] }, "undefined_value", "/a/1"],
  ["a hole in an array", { a: sparse }, "undefined_value", "/a/1"],
  ["a vast empty array", new Array(4_000_000_000), "undefined_value", "/0"],
  ["a function", { a: { b: () => 1 } }, "unsupported_type", "/a/b"],
  ["a toJSON function", { a: { toJSON: () => 1 } }, "unsupported_type", "/a/toJSON"],
  ["a symbol", [Symbol("s")], "unsupported_type", "/0"],
  ["a bigint", { big: 1n }, "unsupported_type", "/big"],
  ["a Date", { at: new Date(0) }, "not_plain", "/at"],
  ["a Map", [new Map()], "not_plain", "/0"],
  ["an instance of a class", { "a/b": { "c~d": new Point() } }, "not_plain", "/a~1b/c~0d"],
  ["an object with another prototype", Object.create({ a: 1 }), "not_plain", ""],
  ["an array of a class of its own", new (class extends Array {})(), "not_plain", ""],
  ["a boxed string", [Object("text")], "not_plain", "/0"],
  ["a typed array", new Uint8Array(2), "not_plain", ""],
  ["NaN", { n: NaN }, "not_finite", "/n"],
  ["Infinity", { n: Infinity }, "not_finite", "/n"],
  ["-Infinity", { n: -Infinity }, "not_finite", "/n"],
  ["-0", { n: -0 }, "negative_zero", "/n"],
  ["an integer above the safe range", { n: 2 ** 53 }, "unsafe_integer", "/n"],
  ["an integer below the safe range", [-(2 ** 53)], "unsafe_integer", "/0"],
  ["a huge number", [1e300], "unsafe_integer", "/0"],
  ["a lone high surrogate", { s: "a\ud800" }, "lone_surrogate", "/s"],
  ["a lone low surrogate", ["\udc00a"], "lone_surrogate", "/0"],
  ["a lone surrogate in a name", { a: { "\ud800": 1 } }, "lone_surrogate", "/a"],
  ["NUL in a string", { s: "a\0b" }, "nul_character", "/s"],
  ["NUL in a name", { a: { "\0": 1 } }, "nul_character", "/a"],
  ["__proto__ as a name", { a: JSON.parse('{"__proto__":1}') as unknown }, "forbidden_key", "/a/__proto__"],
  ["a cycle", cycle, "too_deep", "/inner".repeat(64)],
];

for (const [title, input, reason, pointer] of refused) {
  test(`canonicalValue refuses ${title} and reports its pointer`, () => {
    assert.deepEqual(faultOf(input), [reason, pointer]);
  });
}

test("canonicalValue refuses a value above a limit and accepts a value at the limit", () => {
  const nested = [[[]]];
  assert.deepEqual(faultOf(nested, { depthMax: 2 }), ["too_deep", "/0/0"]);
  assert.ok(canonicalValue(nested, { ...inputLimits, depthMax: 3 }).ok);
  assert.deepEqual(faultOf({ a: [1, 2], b: 3 }, { membersMax: 3 }), ["too_many", "/b"]);
  assert.ok(canonicalValue({ a: [1, 2], b: 3 }, { ...inputLimits, membersMax: 4 }).ok);
  assert.deepEqual(faultOf({ a: ["four"] }, { stringLengthMax: 3 }), ["string_too_long", "/a/0"]);
  assert.ok(canonicalValue({ name: "fou" }, { ...inputLimits, stringLengthMax: 3 }).ok);
  assert.deepEqual(faultOf({ a: { four: 1 } }, { nameLengthMax: 3 }), ["name_too_long", "/a"]);
  assert.deepEqual(faultOf({ a: "x".repeat(30) }, { bytesMax: 30 }), ["too_large", ""]);
});

test("the byte limit of canonicalValue is the exact size of the JSON text", () => {
  fc.assert(
    fc.property(canonicalJson(), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      assert.ok(canonicalValue(value, { ...inputLimits, bytesMax: bytes }).ok);
      assert.deepEqual(faultOf(value, { bytesMax: bytes - 1 }), ["too_large", ""]);
    }),
  );
});

test("canonicalValue returns a copy that later changes by the caller do not affect", () => {
  fc.assert(
    fc.property(canonicalJson(), (input) => {
      const value = valueOf(input);
      assert.deepEqual(value, input);
      if (typeof input === "object" && input !== null) assert.notEqual(value, input);
    }),
  );
});

test("canonicalValue omits undefined members, as JSON.stringify does", () => {
  assert.deepEqual(valueOf({ a: undefined, b: { c: undefined } }), { b: {} });
});

test("canonicalValue reads a getter once and keeps the value that it checked", () => {
  let reads = 0;
  const input = {
    get changing() {
      return ++reads === 1 ? "fine" : NaN;
    },
  };
  assert.deepEqual(valueOf(input), { changing: "fine" });
  assert.equal(reads, 1);
});

test("canonicalValue never calls toJSON, not even an inherited one", () => {
  const prototype = Object.prototype as { toJSON?: unknown };
  prototype.toJSON = () => "hidden";
  try {
    assert.deepEqual(Object.keys(valueOf({ a: 1 }) as object), ["a"]);
  } finally {
    delete prototype.toJSON;
  }
});

test("canonicalValue gives objects without a prototype the ordinary one", () => {
  const input = Object.assign(Object.create(null) as object, { a: 1 });
  assert.deepEqual(valueOf(input), { a: 1 });
});

test("canonicalValue stops at its member limit when shared parts would expand exponentially", () => {
  let value: unknown = [1];
  for (let level = 0; level < 60; level++) value = [value, value];
  assert.equal(faultOf(value)[0], "too_many");
});

test("canonicalText is equal exactly when sameJson is true, in any order of members", () => {
  fc.assert(
    fc.property(canonicalJson(), canonicalJson(), (left, right) => {
      assert.equal(canonicalText(left) === canonicalText(right), sameJson(left, right));
      const other = shuffled(left);
      assert.ok(sameJson(left, other));
      assert.equal(canonicalText(left), canonicalText(other));
    }),
  );
});

test("canonicalText sorts names by UTF-16 units, integer-like names included", () => {
  assert.equal(
    canonicalText({ b: 1, a: { "10": 1, "9": 2 }, "\u{1f600}": 3, "\uff5e": 4, B: 5 }),
    '{"B":5,"a":{"10":1,"9":2},"b":1,"\u{1f600}":3,"\uff5e":4}',
  );
});

test("sameJson distinguishes values that look alike", () => {
  const values: Json[] = [
    null,
    false,
    0,
    "",
    "0",
    [],
    {},
    [null],
    { a: null },
    { b: null },
    [[]],
    [{}],
    { a: 1, b: 2 },
  ];
  for (const [at, left] of values.entries()) {
    for (const [to, right] of values.entries()) assert.equal(sameJson(left, right), at === to);
  }
  assert.ok(!sameJson({ constructor: 1 }, { a: 1 }));
  assert.ok(!sameJson({ a: 1 }, { toString: 1 }));
});

test("measure returns the exact bytes, depth and members", () => {
  assert.deepEqual(measure({ a: [1, "é\n\u0001"], b: {} }, inputLimits), {
    ok: true,
    size: { bytes: Buffer.byteLength('{"a":[1,"é\\n\\u0001"],"b":{}}'), depth: 2, members: 4 },
  });
  fc.assert(
    fc.property(canonicalJson(), (value) => {
      const measured = measure(value, inputLimits);
      assert.ok(measured.ok);
      assert.equal(measured.size.bytes, Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});

test("measure stops at a limit instead of expanding shared parts", () => {
  let value: Json = "x".repeat(1000);
  for (let level = 0; level < 60; level++) value = [value, value];
  assert.deepEqual(measure(value, inputLimits), { ok: false, reason: "too_large" });
  assert.deepEqual(measure([value], { ...inputLimits, depthMax: 8 }), { ok: false, reason: "too_deep" });
  assert.deepEqual(measure([1, 2], { ...inputLimits, membersMax: 1 }), { ok: false, reason: "too_many" });
});

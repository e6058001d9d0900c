/** JSON that one door refuses is refused through every door, with the same reason and pointer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textDoorsFor } from "./text-doors.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** The text of a value, the reason, and the pointer into the value. */
const faults: readonly (readonly [value: string, reason: string, pointer: string])[] = [
  ['{"a":1,"a":2}', "duplicate_key", "/a"],
  ['{"a":1,"a":1}', "duplicate_key", "/a"],
  // The tree of this text is as long as the text: 1000000000 is longer than 1e9 by as much as a second "a":1 takes.
  ['{"b":1e9,"a":10,"a":1}', "duplicate_key", "/a"],
  ['{"x":[{"a":1},{"b":{},"b":{}}]}', "duplicate_key", "/x/1/b"],
  ['{"a/b":{"~":1,"~":2}}', "duplicate_key", "/a~1b/~0"],
  ['{"a\\n":1,"a\\u000a":2}', "duplicate_key", "/a\n"],
  ['{"a":"\\"","b":1,"a":""}', "duplicate_key", "/a"],
  ['{"__proto__":{"a":1}}', "forbidden_key", "/__proto__"],
  ["NaN", "not_finite", ""],
  ['{"a":[1,-Infinity]}', "not_finite", "/a/1"],
  ["[-0]", "negative_zero", "/0"],
  ["[-0.0]", "negative_zero", "/0"],
  ["9007199254740993", "unsafe_integer", ""],
  ["[-1e16]", "unsafe_integer", "/0"],
  ["[1e400]", "number_overflow", "/0"],
  ['"\\ud800"', "lone_surrogate", ""],
  ['{"a":{"\\udc00":1}}', "lone_surrogate", "/a"],
  ['{"a":"b\\u0000"}', "nul_character", "/a"],
  [`{"a":{"${"n".repeat(1_025)}":1}}`, "name_too_long", "/a"],
  [nested(64), "too_deep", "/0".repeat(63)],
];

/** Faults that a shell or a part of an input cannot show in the same way. */
const wholeFaults: readonly (readonly [value: string, reason: string, pointer: string])[] = [
  ['{"a":}', "syntax", "/a"],
  ['{"a":[1 2]}', "syntax", "/a"],
  [`[${"0,".repeat(100_000)}0]`, "too_many", "/99997"],
];

test("an input with a fault is refused with the same reason and pointer through every door", async (t) => {
  const doors = await textDoorsFor(t);
  assert.equal(doors.length, 7);
  for (const { name, create, isWhole } of doors) {
    for (const [value, reason, pointer] of [...faults, ...(isWhole && name !== "holdfast run" ? wholeFaults : [])]) {
      const expected = { code: "input_malformed", reason, pointer: `/value${pointer}` };
      assert.deepEqual(await create("refused", value), expected, `${name}: ${value.slice(0, 80)}`);
    }
  }
});

test("an input at its limits is accepted through every door", async (t) => {
  const values = [
    nested(63),
    `{"${"n".repeat(1_024)}":9007199254740991}`,
    '{ "a": 1e3, "b": "\\ud83d\\ude00", "a\\n": 0.1e1 }',
    `[${"0,".repeat(99_990)}0]`,
  ];
  for (const [place, { name, create }] of (await textDoorsFor(t)).entries()) {
    for (const [index, value] of values.entries()) {
      assert.equal((await create(`${place}-${index}`, value)).code, undefined, `${name}: ${value.slice(0, 80)}`);
    }
  }
});

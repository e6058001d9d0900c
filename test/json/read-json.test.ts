import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readJson } from "../../sdk/src/json/read-json.ts";
import { counts } from "../prove/counts.ts";

// A few names that differ only after an escape. JSON.parse confuses them after it has read one of them.
const name = fc.oneof(
  fc.constantFrom("a", "a\\", "a\n", 'a"', "a\\n", "__proto__", "1", ""),
  fc.string({ unit: "binary" }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 0, -1.5, 1e21, 2 ** 53, "", "\ud800", "x,]}"),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members) as unknown),
  ),
}));

test("readJson returns the value that JSON.stringify wrote, regardless of the names that it read before", () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2, "\t"), (written, indent) => {
      assert.deepEqual(readJson(JSON.stringify(written, null, indent)), written);
    }),
    { numRuns: counts.journalLines },
  );
});

test("readJson throws a SyntaxError for text that is not JSON, also with escaped names", () => {
  for (const text of [
    "",
    "{",
    '{"a\\n":1',
    '{"a\\n":1}}',
    '{"a\\n":}',
    '{"a\\n" 1}',
    '{"a\\n":1,}',
    '{"a\\n":[1 2]}',
    '{"a\\n":[1] 2}',
    '{a:1,"a\\n":1}',
    '\u00a0{"a\\n":1}',
  ]) {
    assert.throws(() => readJson(text), SyntaxError, text);
  }
});

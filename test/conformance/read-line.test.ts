import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readLine } from "../../server/src/journal/read-line.ts";

// A few names that differ only after an escape: what JSON.parse confuses once it has met one of them.
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

test("a stored line is read as it was written, whatever its names and whatever was read before it", () => {
  fc.assert(
    fc.property(value, (written) => {
      assert.deepEqual(readLine(JSON.stringify(written)), written);
    }),
    { numRuns: 2000 },
  );
});

test("a line that is no JSON is an error, with escaped names too", () => {
  for (const line of [
    "",
    "{",
    '{"a\\n":1',
    '{"a\\n":1}}',
    '{"a\\n":}',
    '{"a\\n" 1}',
    '{"a\\n":1,}',
    '{"a\\n":[1 2]}',
  ]) {
    assert.throws(() => readLine(line), SyntaxError, line);
  }
});

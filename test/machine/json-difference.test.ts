import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { difference, type PointerChange } from "../../server/src/features/entities/json/difference.ts";
import { jsonPatch } from "../../server/src/features/entities/json/json-patch.ts";
import { mergePatch } from "../../server/src/features/entities/json/merge-patch.ts";
import { pointersOverlap } from "../../server/src/features/entities/json/pointers-overlap.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { canonicalJson, frozen, shuffled } from "../json/canonical-arbitrary.ts";
import { counts } from "../prove/counts.ts";

const noLimit = { changesMax: Infinity, bytesMax: Infinity };

const cases: readonly [
  title: string,
  before: Json | undefined,
  after: Json | undefined,
  changes: readonly PointerChange[],
][] = [
  ["nothing when nothing changed", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["nothing for two absent values", undefined, undefined, []],
  ["a new value", undefined, { a: 1 }, [{ pointer: "", after: { a: 1 } }]],
  ["a removed value", [1], undefined, [{ pointer: "", before: [1] }]],
  ["a new member that is null", {}, { a: null }, [{ pointer: "/a", after: null }]],
  ["a change of type at its pointer", { a: {} }, { a: [] }, [{ pointer: "/a", before: {}, after: [] }]],
  [
    "the smallest pointers in nested objects",
    { a: { b: { c: 1, d: 2 } }, e: 3 },
    { a: { b: { c: 1, d: 4 } }, f: 5 },
    [
      { pointer: "/a/b/d", before: 2, after: 4 },
      { pointer: "/e", before: 3 },
      { pointer: "/f", after: 5 },
    ],
  ],
  [
    "names in the order of their UTF-16 units",
    { b: 1, "10": 1, "9": 1, "\uff5e": 1 },
    { "\u{1f600}": 1, a: 1, "10": 2, "9": 2, b: 1, "\uff5e": 2 },
    [
      { pointer: "/10", before: 1, after: 2 },
      { pointer: "/9", before: 1, after: 2 },
      { pointer: "/a", after: 1 },
      { pointer: "/\u{1f600}", after: 1 },
      { pointer: "/\uff5e", before: 1, after: 2 },
    ],
  ],
  ["escaped names", { "a/b": { "~": 1 } }, { "a/b": { "~": 2 } }, [{ pointer: "/a~1b/~0", before: 1, after: 2 }]],
  ["names that objects inherit", {}, { constructor: 1 }, [{ pointer: "/constructor", after: 1 }]],
  [
    "elements of lists of equal length by index",
    [1, { a: 1 }, 3],
    [1, { a: 2 }, 4],
    [
      { pointer: "/1/a", before: 1, after: 2 },
      { pointer: "/2", before: 3, after: 4 },
    ],
  ],
  ["an insertion as one new element", ["a", "b"], ["a", "x", "b"], [{ pointer: "/1", after: "x", resized: "" }]],
  ["an insertion in front", { l: [1, 2] }, { l: [0, 1, 2] }, [{ pointer: "/l/0", after: 0, resized: "/l" }]],
  [
    "a removal as elements with their old indices",
    { l: [1, 2, 3, 4] },
    { l: [1, 4] },
    [
      { pointer: "/l/1", before: 2, resized: "/l" },
      { pointer: "/l/2", before: 3, resized: "/l" },
    ],
  ],
  [
    "a change next to an insertion pairwise from the front",
    [{ id: 1 }, { id: 2, n: 1 }, { id: 9 }],
    [{ id: 1 }, { id: 2, n: 2 }, { id: 3 }, { id: 9 }],
    [
      { pointer: "/1/n", before: 1, after: 2, resized: "" },
      { pointer: "/2", after: { id: 3 }, resized: "" },
    ],
  ],
  [
    "the outermost list that was resized",
    [[1], [2]],
    [[1, 1], [2], [3]],
    [
      { pointer: "/0/1", after: 1, resized: "" },
      { pointer: "/2", after: [3], resized: "" },
    ],
  ],
];

for (const [title, before, after, changes] of cases) {
  test(`a JSON difference reports ${title}`, () => {
    assert.deepEqual(difference(before, after), { changes, truncated: false });
  });
}

test("a JSON difference stops at its maximum count and is marked as truncated", () => {
  const before = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}`, at]));
  const cut = difference(before, {});
  assert.equal(cut.changes.length, 50);
  assert.ok(cut.truncated);
  assert.equal(difference(before, {}, { ...noLimit, changesMax: 60 }).truncated, false);
});

test("a JSON difference names a pointer whose values do not fit, and continues", () => {
  const found = difference({ a: "x".repeat(100), b: 1 }, { a: "y", b: 2 }, { changesMax: 50, bytesMax: 40 });
  assert.deepEqual(found, {
    changes: [
      { pointer: "/a", cut: true },
      { pointer: "/b", before: 1, after: 2 },
    ],
    truncated: true,
  });
});

test("a JSON difference never exceeds its maximum bytes", () => {
  fc.assert(
    fc.property(canonicalJson(), canonicalJson(), fc.nat(200), fc.nat(5), (before, after, bytesMax, changesMax) => {
      const whole = difference(before, after, noLimit).changes;
      const { changes, truncated } = difference(before, after, { changesMax, bytesMax });
      const texts = changes.flatMap((change) => [change.pointer, change.before, change.after]);
      const bytes = texts.map((part) => (part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))));
      assert.ok(bytes.reduce((sum, part) => sum + part, 0) <= bytesMax);
      assert.ok(changes.length <= changesMax);
      assert.equal(truncated, JSON.stringify(changes) !== JSON.stringify(whole));
    }),
  );
});

test("a JSON difference is empty exactly for equal values, regardless of the order of their members", () => {
  fc.assert(
    fc.property(canonicalJson(), (value) => {
      assert.deepEqual(difference(frozen(value), frozen(shuffled(value)), noLimit), { changes: [], truncated: false });
    }),
  );
});

test("a JSON difference turns the value before into the value after when it is applied", () => {
  fc.assert(
    fc.property(canonicalJson(), canonicalJson(), canonicalJson(), (before, patch, other) => {
      for (const after of [
        mergePatch(before, patch),
        mergePatch({ deep: [before, 1] }, { deep: [other, patch] }),
        other,
      ]) {
        const { changes } = difference(frozen(before), frozen(after), noLimit);
        const applied = jsonPatch(before, asPatch(changes), { ...inputLimits, workMax: Infinity });
        assert.ok(applied.ok, JSON.stringify(applied));
        assert.deepEqual(applied.value, after);
      }
    }),
    { numRuns: counts.jsonRuns },
  );
});

test("a JSON difference reports no two pointers that overlap", () => {
  fc.assert(
    fc.property(canonicalJson(), canonicalJson(), (before, after) => {
      const { changes } = difference(before, after, noLimit);
      for (const [at, left] of changes.entries()) {
        for (const right of changes.slice(at + 1)) assert.ok(!pointersOverlap(left.pointer, right.pointer));
      }
    }),
  );
});

/** Sets and insertions are in order. Removals start from the back, because they shift the indices behind them. */
function asPatch(changes: readonly PointerChange[]): Json {
  const sets: Json[] = [];
  const removals: Json[] = [];
  for (const { pointer, before, after } of changes) {
    if (after === undefined) removals.unshift({ op: "remove", path: pointer });
    else sets.push({ op: before === undefined ? "add" : "replace", path: pointer, value: after });
  }
  return [...sets, ...removals];
}

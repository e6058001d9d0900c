import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergePatch } from "../../server/src/features/entities/json/merge-patch.ts";
import { sameJson } from "../../sdk/src/json/same-json.ts";
import { isObject, type Json } from "../../sdk/src/json/json.ts";
import { canonicalJson, frozen } from "../json/canonical-arbitrary.ts";

const cases: readonly [target: Json, patch: Json, result: Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [
    { title: "Goodbye!", author: { givenName: "John", familyName: "Doe" }, tags: ["example", "sample"], content: "-" },
    { title: "Hello!", phoneNumber: "+01", author: { familyName: null }, tags: ["example"] },
    { title: "Hello!", author: { givenName: "John" }, tags: ["example"], content: "-", phoneNumber: "+01" },
  ],
  [{}, { constructor: null, toString: { a: 1 } }, { toString: { a: 1 } }],
];

test("a merge patch gives the results that RFC 7396 lists", () => {
  for (const [target, patch, result] of cases) {
    assert.deepEqual(mergePatch(frozen(target), frozen(patch)), result, JSON.stringify([target, patch]));
  }
});

test("a merge patch of an absent value gives the patch without its nulls", () => {
  assert.deepEqual(mergePatch(undefined, { a: 1, b: null, c: { d: null } }), { a: 1, c: {} });
});

test("a merge patch that changes nothing returns the identical value", () => {
  const target = frozen<Json>({ a: { b: [1, { c: 2 }] }, d: "e" });
  for (const patch of [{}, { a: {} }, { a: { b: [1, { c: 2 }] } }, { d: "e" }, { missing: null, a: { gone: null } }]) {
    assert.equal(mergePatch(target, patch), target);
  }
});

test("a merge patch shares every part that it does not touch", () => {
  const target = frozen({ a: { deep: [1] }, b: { x: 1, y: { z: 2 } } });
  const result = mergePatch(target, { b: { x: 2 } }) as typeof target;
  assert.equal(result.a, target.a);
  assert.equal(result.b.y, target.b.y);
  assert.deepEqual(result.b, { x: 2, y: { z: 2 } });
});

test("a merge patch never changes its arguments, and applying it twice equals applying it once", () => {
  fc.assert(
    fc.property(canonicalJson(), canonicalJson(), (target, patch) => {
      const once = mergePatch(frozen(target), frozen(patch));
      assert.deepEqual(once, slowMerge(target, patch));
      assert.equal(mergePatch(frozen(once), patch), once);
      assert.equal(sameJson(once, target), once === target);
    }),
  );
});

/** The pseudocode of RFC 7396. */
function slowMerge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map<string, Json>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, slowMerge(result.get(name), value));
  }
  return Object.fromEntries(result);
}

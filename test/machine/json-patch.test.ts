import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPatch, type PatchResult } from "../../server/src/features/entities/json/json-patch.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { measure } from "../../sdk/src/json/measure.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { canonicalJson, frozen } from "../json/canonical-arbitrary.ts";
import { plainPatch } from "./json-plain-patch.ts";
import { counts } from "../prove/counts.ts";

function patched(
  target: Json,
  patch: Json,
  limits: Partial<typeof inputLimits> & { workMax?: number } = {},
): PatchResult {
  return jsonPatch(frozen(target), frozen(patch), { ...inputLimits, ...limits });
}

function failure(
  target: Json,
  patch: Json,
  limits: Partial<typeof inputLimits> & { workMax?: number } = {},
): unknown[] {
  const result = patched(target, patch, limits);
  assert.ok(!result.ok, "the patch was accepted");
  return [result.failure.index, result.failure.pointer, result.failure.reason];
}

type Good = readonly [title: string, target: Json, patch: Json, result: Json];

const good: readonly Good[] = [
  ["adds a member", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
  ["adds over a member", { a: 1 }, [{ op: "add", path: "/a", value: null }], { a: null }],
  [
    "inserts an element",
    { foo: ["bar", "baz"] },
    [{ op: "add", path: "/foo/1", value: "qux" }],
    { foo: ["bar", "qux", "baz"] },
  ],
  ["appends by index", [1], [{ op: "add", path: "/1", value: 2 }], [1, 2]],
  [
    "appends by -",
    { foo: ["bar"] },
    [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
    { foo: ["bar", ["abc", "def"]] },
  ],
  [
    "adds a nested object",
    { foo: "bar" },
    [{ op: "add", path: "/child", value: { g: {} } }],
    { foo: "bar", child: { g: {} } },
  ],
  ["replaces the whole value by adding", { a: 1 }, [{ op: "add", path: "", value: [2] }], [2]],
  ["removes a member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
  ["removes an element", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
  [
    "replaces a member",
    { baz: "qux", foo: "bar" },
    [{ op: "replace", path: "/baz", value: "boo" }],
    { baz: "boo", foo: "bar" },
  ],
  ["replaces an element", [1, 2, 3], [{ op: "replace", path: "/1", value: {} }], [1, {}, 3]],
  ["replaces the whole value", [1], [{ op: "replace", path: "", value: null }], null],
  [
    "moves a member",
    { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  ],
  [
    "moves an element",
    { foo: ["all", "grass", "cows", "eat"] },
    [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    { foo: ["all", "cows", "eat", "grass"] },
  ],
  ["moves a part over the whole value", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "" }], { b: 1 }],
  ["moves a value onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  ["moves to a name that begins with the same text", { a: 1 }, [{ op: "move", from: "/a", path: "/ab" }], { ab: 1 }],
  ["copies a member", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
  ["copies the whole value into itself", { a: 1 }, [{ op: "copy", from: "", path: "/b" }], { a: 1, b: { a: 1 } }],
  [
    "tests members and elements",
    { baz: "qux", foo: ["a", 2, "c"] },
    [
      { op: "test", path: "/baz", value: "qux" },
      { op: "test", path: "/foo/1", value: 2 },
    ],
    { baz: "qux", foo: ["a", 2, "c"] },
  ],
  [
    "tests members in another order",
    { a: { x: 1, y: [{ z: 2 }] } },
    [{ op: "test", path: "/a", value: { y: [{ z: 2 }], x: 1 } }],
    { a: { x: 1, y: [{ z: 2 }] } },
  ],
  [
    "escapes names in a path",
    { "/": 9, "~1": 10 },
    [
      { op: "test", path: "/~01", value: 10 },
      { op: "remove", path: "/~1" },
    ],
    { "~1": 10 },
  ],
  [
    "has unknown members",
    { foo: "bar" },
    [{ op: "add", path: "/baz", value: "qux", xyz: 123 }],
    { foo: "bar", baz: "qux" },
  ],
  ["uses - as an ordinary name in an object", {}, [{ op: "add", path: "/-", value: 1 }], { "-": 1 }],
  ["adds names that objects inherit", {}, [{ op: "add", path: "/constructor", value: 1 }], { constructor: 1 }],
  ["is empty", { a: 1 }, [], { a: 1 }],
];

for (const [title, target, patch, result] of good) {
  test(`a JSON patch gives the expected value when it ${title}`, () => {
    const outcome = patched(target, patch);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    assert.deepEqual(outcome.value, result);
    const measured = measure(result, inputLimits);
    assert.ok(measured.ok);
    assert.deepEqual(outcome.size, { bytes: measured.size.bytes, members: measured.size.members });
  });
}

type Bad = readonly [title: string, target: Json, patch: Json, index: number, pointer: string, reason: string];

const bad: readonly Bad[] = [
  ["a patch that is not an array", {}, { op: "remove", path: "/a" }, 0, "", "invalid_patch"],
  ["an operation that is not an object", {}, ["remove"], 0, "", "invalid_operation"],
  ["an operation without a path", {}, [{ op: "remove" }], 0, "", "invalid_operation"],
  ["an operation without its name", {}, [{ path: "/a", value: 1 }], 0, "/a", "invalid_operation"],
  ["an operation without a value", {}, [{ op: "add", path: "/a" }], 0, "/a", "invalid_operation"],
  ["an operation without a from", {}, [{ op: "copy", path: "/a" }], 0, "", "invalid_operation"],
  ["an unknown operation", {}, [{ op: "spam", path: "/a" }], 0, "/a", "unknown_operation"],
  ["an inherited name as operation", {}, [{ op: "toString", path: "/a" }], 0, "/a", "unknown_operation"],
  ["a path that is not a pointer", {}, [{ op: "add", path: "a", value: 1 }], 0, "a", "invalid_pointer"],
  ["a from that is not a pointer", {}, [{ op: "move", path: "/a", from: "/~" }], 0, "/~", "invalid_pointer"],
  ["adding below a missing parent", { q: 1 }, [{ op: "add", path: "/a/b", value: 1 }], 0, "/a/b", "not_found"],
  ["adding into a scalar", { q: 1 }, [{ op: "add", path: "/q/b", value: 1 }], 0, "/q/b", "not_a_container"],
  ["adding into a value that is a scalar", 5, [{ op: "add", path: "/b", value: 1 }], 0, "/b", "not_a_container"],
  ["adding past the end", [1], [{ op: "add", path: "/2", value: 1 }], 0, "/2", "invalid_index"],
  ["adding at a name in an array", [1], [{ op: "add", path: "/x", value: 1 }], 0, "/x", "invalid_index"],
  ["an index with a leading zero", [1, 2], [{ op: "add", path: "/01", value: 1 }], 0, "/01", "invalid_index"],
  ["a negative index", [1, 2], [{ op: "add", path: "/-1", value: 1 }], 0, "/-1", "invalid_index"],
  ["removing a missing member", { a: 1 }, [{ op: "remove", path: "/b" }], 0, "/b", "not_found"],
  ["removing an inherited name", {}, [{ op: "remove", path: "/toString" }], 0, "/toString", "not_found"],
  ["removing past the end", [1], [{ op: "remove", path: "/1" }], 0, "/1", "not_found"],
  ["removing at -", [1], [{ op: "remove", path: "/-" }], 0, "/-", "not_found"],
  ["removing the length of an array", [1], [{ op: "remove", path: "/length" }], 0, "/length", "not_found"],
  ["removing the whole value", [1], [{ op: "remove", path: "" }], 0, "", "root_removal"],
  ["replacing a missing member", {}, [{ op: "replace", path: "/a", value: 1 }], 0, "/a", "not_found"],
  ["moving a missing member", {}, [{ op: "move", from: "/a", path: "/b" }], 0, "/a", "not_found"],
  ["moving the whole value", { a: {} }, [{ op: "move", from: "", path: "/a" }], 0, "/a", "move_into_itself"],
  [
    "moving a value into itself",
    { a: { b: {} } },
    [{ op: "move", from: "/a", path: "/a/b" }],
    0,
    "/a/b",
    "move_into_itself",
  ],
  ["copying a missing member", {}, [{ op: "copy", from: "/a", path: "/b" }], 0, "/a", "not_found"],
  [
    "a test that fails",
    { a: 1 },
    [
      { op: "test", path: "/a", value: 1 },
      { op: "test", path: "/a", value: "1" },
    ],
    1,
    "/a",
    "test_failed",
  ],
  ["a test of a missing member", {}, [{ op: "test", path: "/a", value: null }], 0, "/a", "not_found"],
  ["__proto__ as a name", {}, [{ op: "add", path: "/__proto__", value: {} }], 0, "/__proto__", "forbidden_name"],
  ["__proto__ inside a path", {}, [{ op: "add", path: "/__proto__/x", value: 1 }], 0, "/__proto__/x", "forbidden_name"],
  ["__proto__ as a source", {}, [{ op: "copy", from: "/__proto__", path: "/x" }], 0, "/__proto__", "forbidden_name"],
];

for (const [title, target, patch, index, pointer, reason] of bad) {
  test(`a JSON patch refuses ${title} and names the operation`, () => {
    assert.deepEqual(failure(target, patch), [index, pointer, reason]);
  });
}

test("a JSON patch that fails reveals nothing about the value", () => {
  assert.deepEqual(patched({ secret: 1 }, [{ op: "test", path: "/secret", value: 2 }]), {
    ok: false,
    failure: { index: 0, pointer: "/secret", reason: "test_failed" },
  });
});

test("a JSON patch is checked against its limits after every operation, to the byte", () => {
  const add = (path: string, value: Json): Json => ({ op: "add", path, value });
  // {"a":"é","b":[]}
  assert.ok(patched({}, [add("/a", "é"), add("/b", [])], { bytesMax: 17 }).ok);
  assert.deepEqual(failure({}, [add("/a", "é"), add("/b", [])], { bytesMax: 16 }), [1, "/b", "too_large"]);
  const large = [add("/a", "12345678"), { op: "remove", path: "/a" }];
  assert.deepEqual(failure({}, large, { bytesMax: 10 }), [0, "/a", "too_large"]);
  assert.deepEqual(failure([1], [add("/-", [1, 2])], { membersMax: 3 }), [0, "/-", "too_many"]);
  assert.ok(patched([1], [add("/-", [1, 2])], { membersMax: 4 }).ok);
  assert.deepEqual(failure({ a: [] }, [add("/a/-", [[]])], { depthMax: 3 }), [0, "/a/-", "too_deep"]);
  assert.ok(patched({ a: [] }, [add("/a/-", [[]])], { depthMax: 4 }).ok);
  assert.deepEqual(failure({ a: 1 }, [add("/a", [[]])], { depthMax: 2 }), [0, "/a", "too_deep"]);
  assert.ok(patched({ a: 1 }, [add("/a", [[]])], { depthMax: 3 }).ok);
  assert.deepEqual(failure({}, [add("/long", 1)], { nameLengthMax: 3 }), [0, "/long", "name_too_long"]);
});

test("a JSON patch counts its size exactly when a part is moved, changed and removed", () => {
  const result = patched({ a: { x: 1 } }, [
    { op: "replace", path: "/a/x", value: 2 },
    { op: "move", from: "/a", path: "/b" },
    { op: "add", path: "/b/y", value: [1, 2, 3] },
    { op: "remove", path: "/b" },
  ]);
  assert.deepEqual(result, { ok: true, value: {}, size: { bytes: 2, members: 0 } });
});

test("a JSON patch can shrink a value that exceeds lowered limits", () => {
  const target = { a: "x".repeat(100), b: "y".repeat(100) };
  assert.ok(patched(target, [{ op: "remove", path: "/a" }], { bytesMax: 50 }).ok);
  assert.deepEqual(failure(target, [{ op: "add", path: "/c", value: 1 }], { bytesMax: 50 }), [0, "/c", "too_large"]);
});

test("a JSON patch with copies that double the value repeatedly is refused after little work", () => {
  const copies: Json[] = [];
  for (let step = 0; step < 40; step++) copies.push({ op: "copy", from: "", path: `/c${step}` });
  const [index, , reason] = failure({ text: "x".repeat(100) }, copies, { depthMax: 1000 });
  assert.equal(reason, "too_large");
  assert.ok(Number(index) < 15);
  assert.equal(failure({ text: "x".repeat(100) }, copies, { depthMax: 1000, workMax: 2_000 })[2], "too_large");
});

test("a JSON patch with small edits in a wide value costs its width once, not once for each operation", () => {
  const target: Json = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name${at}`, at]));
  const edits: Json[] = Array.from({ length: 2_000 }, (_, at) => ({ op: "replace", path: `/name${at}`, value: "new" }));
  assert.ok(patched(target, edits, { workMax: 20_000 }).ok);
});

test("a JSON patch that forces a copy of a wide value for each operation exceeds its work limit", () => {
  const target: Json = {
    wide: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name${at}`, at])),
    small: [1],
  };
  const step: Json[] = [
    { op: "copy", from: "/small", path: "/other" },
    { op: "replace", path: "/wide/name1", value: "new" },
    { op: "replace", path: "/wide/name1", value: "old" },
  ];
  const patch: Json = Array.from({ length: 1_000 }, () => step).flat();
  assert.equal(failure(target, patch)[2], "too_much_work");
});

test("a JSON patch shares untouched parts and returns the same value when it changes nothing", () => {
  const target = frozen({ a: { deep: [1] }, b: { x: 1, y: { z: 2 } } });
  const result = patched(target, [{ op: "replace", path: "/b/x", value: 2 }]);
  assert.ok(result.ok);
  assert.equal((result.value as typeof target).a, target.a);
  assert.equal((result.value as typeof target).b.y, target.b.y);
  const same = patched(target, [
    { op: "test", path: "/b/x", value: 1 },
    { op: "replace", path: "/b/x", value: 1 },
    { op: "copy", from: "/a", path: "/a" },
  ]);
  assert.ok(same.ok);
  assert.equal(same.value, target);
});

test("a JSON patch that copies a part keeps the copies independent", () => {
  const result = patched({ a: { list: [1] } }, [
    { op: "add", path: "/a/list/-", value: 2 },
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/b/list/-", value: 3 },
    { op: "add", path: "/a/list/0", value: 0 },
    { op: "copy", from: "/b/list", path: "/b/more" },
    { op: "remove", path: "/b/list/0" },
  ]);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { a: { list: [0, 1, 2] }, b: { list: [2, 3], more: [1, 2, 3] } });
});

const place = fc
  .array(fc.constantFrom("a", "b", "c", "0", "1", "-"), { maxLength: 4 })
  .map((way) => way.map((step) => `/${step}`).join(""));
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom("add", "add", "replace", "test"), path: place, value: canonicalJson() }),
  fc.record({ op: fc.constant("remove"), path: place }),
  fc.record({ op: fc.constantFrom("move", "copy"), path: place, from: place }),
) as fc.Arbitrary<Json>;

/** Values in which the paths above often exist. */
const target = fc.record(
  {
    a: fc.record({ a: canonicalJson(), b: fc.array(canonicalJson(), { maxLength: 3 }) }, { noNullPrototype: true }),
    b: fc.array(fc.record({ a: canonicalJson() }, { noNullPrototype: true }), { maxLength: 3 }),
    c: canonicalJson(),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<Json>;

test("a JSON patch agrees with a plain implementation that copies everything, and never changes its arguments", () => {
  fc.assert(
    fc.property(target, fc.array(operation, { minLength: 10, maxLength: 40, size: "max" }), (original, operations) => {
      // Only operations that apply are kept, so that long patches succeed.
      const steps: Json[] = [];
      let expected = original;
      for (const step of operations) {
        const next = plainPatch(expected, step);
        const result = patched(expected, [step]);
        assert.equal(result.ok, next !== undefined, JSON.stringify([expected, step, result]));
        if (next === undefined) continue;
        expected = next;
        steps.push(step);
      }
      const whole = patched(original, steps);
      assert.ok(whole.ok);
      assert.deepEqual(whole.value, expected);
      assert.equal(whole.size.bytes, Buffer.byteLength(JSON.stringify(expected)));
      const measured = measure(expected, inputLimits);
      assert.ok(measured.ok && measured.size.members === whole.size.members);
    }),
    { numRuns: counts.jsonRuns },
  );
});

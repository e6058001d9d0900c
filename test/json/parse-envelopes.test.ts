import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { parseEnvelopes } from "../../sdk/src/json/parse-envelopes.ts";
import { parseJson } from "../../sdk/src/json/parse-json.ts";
import { canonicalJson } from "./canonical-arbitrary.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

function envelopesOf(text: string): { readonly value: unknown; readonly faults: Readonly<Record<string, unknown>> } {
  const result = parseEnvelopes(text, inputLimits);
  assert.ok(result.ok, JSON.stringify(result));
  const { value, faults } = result;
  return { value, faults: Object.fromEntries(faults) };
}

function faultOf(text: string): readonly unknown[] {
  const result = parseEnvelopes(text, inputLimits);
  assert.ok(!result.ok, "the text was accepted");
  return [result.fault.reason, result.fault.pointer];
}

test("parseEnvelopes returns envelopes and inputs unchanged", () => {
  fc.assert(
    fc.property(fc.array(canonicalJson(), { maxLength: 4 }), fc.constantFrom(undefined, 2), (inputs, indent) => {
      const envelopes = inputs.map((input, id) => ({ id, input }));
      const text = JSON.stringify(envelopes, null, indent);
      assert.deepEqual(envelopesOf(text), { value: envelopes, faults: {} });
      for (const envelope of envelopes) {
        assert.deepEqual(envelopesOf(JSON.stringify(envelope)), { value: envelope, faults: {} });
      }
    }),
  );
});

test("a fault in one input does not affect the other envelopes", () => {
  const text = '[{"id":1,"input":{"a":[0]}},{"id":2,"input":{"a":[{"b":1,"b":2}]}},{"id":3,"input":{"é\\n":-1}}]';
  assert.deepEqual(envelopesOf(text), {
    value: [{ id: 1, input: { a: [0] } }, { id: 2 }, { id: 3, input: { "é\n": -1 } }],
    faults: { 1: { reason: "duplicate_key", pointer: "/a/0/b", offset: 13, line: 1, column: 14 } },
  });
});

test("an input in an envelope has the same fault as the input alone", () => {
  for (const input of ["-0", "[1e400]", '{"a":NaN}', '{"a":}', '"\\ud800"', '{"__proto__":1}', nested(65), ""]) {
    const alone = parseJson(input, inputLimits);
    assert.ok(!alone.ok);
    assert.deepEqual(envelopesOf(`{"input":${input}}`), { value: {}, faults: { 0: alone.fault } }, input);
  }
});

test("the limits of an input apply to each input of an envelope separately", () => {
  const large = JSON.stringify("x".repeat(inputLimits.bytesMax - 2));
  const many = `[${"0,".repeat(inputLimits.membersMax - 1)}0]`;
  for (const input of [nested(64), large, many]) {
    assert.deepEqual(envelopesOf(`[{"input":${input}},{"input":${input}}]`).faults, {}, input.slice(0, 9));
  }
  const { faults } = envelopesOf(`[{"input":${large}},{"input":${large} }, {"input":"x${large.slice(1)}}]`);
  assert.deepEqual(Object.keys(faults), ["2"]);
});

test("a fault outside the inputs refuses the whole text and reports its pointer", () => {
  assert.deepEqual(faultOf('[{"id":1,"input":{}},{"id":2,"id":2}]'), ["duplicate_key", "/1/id"]);
  assert.deepEqual(faultOf('{"input":1,"input":2}'), ["duplicate_key", "/input"]);
  assert.deepEqual(faultOf('{"input":-0,"input":2}')[0], "negative_zero");
  assert.deepEqual(faultOf('[{"id":1,"input":{"a":[1}}]')[0], "syntax");
  assert.deepEqual(faultOf('[{"names":[-0]}]'), ["negative_zero", "/0/names/0"]);
  assert.deepEqual(faultOf('[{"id":1}'), ["syntax", ""]);
  assert.deepEqual(faultOf('[{"id":1}] 2'), ["trailing_text", ""]);
  assert.deepEqual(faultOf(""), ["syntax", ""]);
  assert.deepEqual(faultOf(nested(100_000))[0], "too_deep");
});

test("parseEnvelopes returns the scalars of an envelope unchecked", () => {
  const text = '[{"key":"\\ud800","at":-0,"count":9007199254740993,"__proto__":"\\u0000","input":{}}]';
  const { value, faults } = envelopesOf(text);
  const [envelope] = value as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(Object.entries(envelope!), [
    ["key", "\ud800"],
    ["at", -0],
    ["count", 9007199254740992],
    ["__proto__", "\0"],
    ["input", {}],
  ]);
  assert.deepEqual(faults, {});
});

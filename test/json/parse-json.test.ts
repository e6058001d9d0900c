import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalText } from "./canonical-text.ts";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import type { InputFault } from "../../sdk/src/json/input-fault.ts";
import { inputLimits, type InputLimits } from "../../sdk/src/json/input-limits.ts";
import { parseJson } from "../../sdk/src/json/parse-json.ts";
import { readJson } from "../../sdk/src/json/read-json.ts";
import { scanJson } from "../../sdk/src/json/scan-json.ts";
import { canonicalJson } from "./canonical-arbitrary.ts";
import { counts } from "../prove/counts.ts";

function faultOf(text: string, limits: Partial<InputLimits> = {}): InputFault {
  const result = parseJson(text, { ...inputLimits, ...limits });
  assert.ok(!result.ok, "the text was accepted");
  return result.fault;
}

const small: Partial<InputLimits> = {
  depthMax: 3,
  bytesMax: 60,
  membersMax: 6,
  stringLengthMax: 8,
  nameLengthMax: 4,
};

type BadText = readonly [title: string, text: string, reason: string, pointer: string, offset: number];

const badSyntax: readonly BadText[] = [
  ["nothing", "", "syntax", "", 0],
  ["only white space", " \t ", "syntax", "", 3],
  ["a byte order mark", "\ufeff{}", "byte_order_mark", "", 0],
  ["white space that JSON does not know", "\u00a0{}", "syntax", "", 0],
  ["text after the value", '{"a":1} x', "trailing_text", "", 8],
  ["a second value", "1 2", "trailing_text", "", 2],
  ["a byte order mark after the value", "[]\ufeff", "trailing_text", "", 2],
  ["an unclosed object", '{"a":{"b":1}', "syntax", "", 12],
  ["an unclosed array", '{"a":[1', "syntax", "/a", 7],
  ["a wrong closing sign", '{"a":[1}}', "syntax", "/a", 7],
  ["a missing value", '{"a":}', "syntax", "/a", 5],
  ["a missing colon", '{"a" 1}', "syntax", "/a", 5],
  ["a missing comma", '{"a":1 "b":2}', "syntax", "", 7],
  ["a comma too many in an array", "[1,]", "syntax", "/1", 3],
  ["a comma too many in an object", '{"a":1,}', "syntax", "", 7],
  ["an empty element", "[1,,2]", "syntax", "/1", 3],
  ["a name without quotes", "{a:1}", "syntax", "", 1],
  ["a string in single quotes", "['a']", "syntax", "/0", 1],
  ["a comment", "[1 /* one */]", "syntax", "", 3],
  ["an unclosed string", '["a', "syntax", "/0", 3],
  ["an unknown escape", '["\\x41"]', "syntax", "/0", 2],
  ["half an escape", '["\\u00"]', "syntax", "/0", 2],
  ["a raw line feed in a string", '["a\nb"]', "syntax", "/0", 3],
  ["an unknown word", "[undefined]", "syntax", "/0", 1],
  ["a word with more letters", "[truely]", "syntax", "/0", 5],
  ["a word in capitals", "[TRUE]", "syntax", "/0", 1],
  ["a leading zero", "[01]", "syntax", "/0", 2],
  ["a leading plus", "[+1]", "syntax", "/0", 1],
  ["a number without digits after its point", "[1.]", "syntax", "/0", 2],
  ["a number without digits before its point", "[.5]", "syntax", "/0", 1],
  ["a number without digits in its exponent", "[1e]", "syntax", "/0", 2],
  ["a hexadecimal number", "0x10", "syntax", "", 1],
  ["a lone minus", "[-]", "syntax", "/0", 1],
];

const badValues: readonly BadText[] = [
  ["a duplicate key", '{"a":1,"b":2,"a":1}', "duplicate_key", "/a", 13],
  ["a duplicate key deep inside", '[{"x":{"k":1,"k":1}}]', "duplicate_key", "/0/x/k", 13],
  ["a duplicate key written with an escape", '{"a":1,"\\u0061":2}', "duplicate_key", "/a", 7],
  ["a duplicate key whose first value is an object", '{"a":{"b":1},"a":2}', "duplicate_key", "/a", 13],
  ["a duplicate key that quotes hide", '{"\\"":1,"\\"":2}', "duplicate_key", '/"', 8],
  ["__proto__ as a name", '{"a":{"__proto__":{}}}', "forbidden_key", "/a/__proto__", 6],
  ["__proto__ written with an escape", '{"\\u005f_proto__":1}', "forbidden_key", "/__proto__", 1],
  ["NaN", '{"n":NaN}', "not_finite", "/n", 5],
  ["Infinity", "[1,Infinity]", "not_finite", "/1", 3],
  ["-Infinity", "-Infinity", "not_finite", "", 0],
  ["a number that overflows", "[1e400]", "number_overflow", "/0", 1],
  ["a negative number that overflows", "[-1e400]", "number_overflow", "/0", 1],
  ["-0", '{"n":-0}', "negative_zero", "/n", 5],
  ["-0.0", "[-0.0]", "negative_zero", "/0", 1],
  ["-0e5", "[-0e5]", "negative_zero", "/0", 1],
  ["a negative number that underflows", "[-1e-400]", "negative_zero", "/0", 1],
  ["an integer that a double cannot hold", "9007199254740993", "unsafe_integer", "", 0],
  ["the first unsafe integer", "[9007199254740992]", "unsafe_integer", "/0", 1],
  ["the first unsafe negative integer", "[-9007199254740992]", "unsafe_integer", "/0", 1],
  ["an unsafe integer as a decimal", "[9007199254740992.0]", "unsafe_integer", "/0", 1],
  ["an unsafe integer as a power", "[1e300]", "unsafe_integer", "/0", 1],
  ["a raw lone surrogate", '{"s":"\ud800"}', "lone_surrogate", "/s", 5],
  ["an escaped lone high surrogate", '{"s":"a\\ud800b"}', "lone_surrogate", "/s", 5],
  ["an escaped lone low surrogate", '["\\uDC00"]', "lone_surrogate", "/0", 1],
  ["surrogates in the wrong order", '["\\udc00\\ud800"]', "lone_surrogate", "/0", 1],
  ["a lone surrogate in a name", '{"a":{"\\ud800":1}}', "lone_surrogate", "/a", 6],
  ["a raw NUL in a string", '["a\0"]', "nul_character", "/0", 3],
  ["an escaped NUL in a string", '{"s":"\\u0000"}', "nul_character", "/s", 5],
  ["an escaped NUL in a name", '{"a":{"\\u0000":1}}', "nul_character", "/a", 6],
];

const badSizes: readonly BadText[] = [
  ["too deep a nesting", '{"a":[[[1]]]}', "too_deep", "/a/0/0", 7],
  ["too many members", '{"a":[1,2,3],"b":{"c":1,"d":2}}', "too_many", "/b/d", 24],
  ["too many elements", "[1,2,3,4,5,6,7]", "too_many", "/6", 13],
  ["too long a string", '["12345678","123456789"]', "string_too_long", "/1", 12],
  ["too long a name", '{"a":{"12345":1}}', "name_too_long", "/a", 6],
  ["too long a text", " ".repeat(60) + "1", "too_large", "", 60],
  ["too long a text in bytes", '["' + "é".repeat(30), "too_large", "", 31],
];

function refuses([title, text, reason, pointer, offset]: BadText, limits: Partial<InputLimits>): void {
  test(`parseJson refuses ${title} and reports its pointer and offset`, () => {
    assert.deepEqual(faultOf(text, limits), { reason, pointer, offset, line: 1, column: offset + 1 });
  });
}

for (const bad of [...badSyntax, ...badValues]) refuses(bad, {});
for (const bad of badSizes) refuses(bad, small);

test("parseJson accepts a text that meets every limit exactly", () => {
  for (const text of ["[[[1]]]", "[1,2,3,4,5,6]", '["12345678"]', '{"1234":1}', " ".repeat(59) + "1"]) {
    assert.ok(parseJson(text, { ...inputLimits, ...small }).ok, text);
  }
});

test("parseJson accepts the last safe integers, tiny fractions and escaped surrogate pairs", () => {
  const text = '[9007199254740991,-9007199254740991,1e-400,0.1,-1.5e-7,"\\ud83d\\ude00","\\\\u0000"]';
  assert.deepEqual(parseJson(text, inputLimits), { ok: true, value: JSON.parse(text) as unknown });
});

test("parseJson returns line and column of a fault", () => {
  assert.deepEqual(faultOf('{\n  "a": 1,\r\n  "b": -0\n}'), {
    reason: "negative_zero",
    pointer: "/b",
    offset: 20,
    line: 3,
    column: 8,
  });
});

test("parseJson reports the first fault in reading order", () => {
  assert.equal(faultOf('{"a":-0,"a":NaN}').reason, "negative_zero");
  assert.equal(faultOf('{"a":1,"a":-0}').reason, "duplicate_key");
});

test("parseJson refuses 100,000 levels without overflowing the stack, for any limit", () => {
  for (const opening of ["[", '{"a":', '[{"a":']) {
    const fault = faultOf(opening.repeat(100_000));
    assert.equal(fault.reason, "too_deep");
    assert.equal(fault.pointer.split("/").length - 1, 64);
  }
  assert.equal(faultOf("[".repeat(100_000), { depthMax: 1e6 }).reason, "syntax");
});

test("parseJson returns the value that JSON.stringify wrote, or refuses it where canonicalValue does", () => {
  // The reference is the value that was written. JSON.parse misreads some names on V8 13.6.
  const values = fc.oneof(fc.jsonValue(), fc.jsonValue({ stringUnit: "binary" }), canonicalJson()).map(withoutSign);
  fc.assert(
    fc.property(values, fc.constantFrom(0, 1), (value, indent) => {
      const result = parseJson(JSON.stringify(value, null, indent), inputLimits);
      const judged = canonicalValue(value, inputLimits);
      assert.equal(result.ok, judged.ok);
      if (result.ok) assert.deepEqual(result.value, value);
      else if (!judged.ok) assert.equal(result.fault.pointer, judged.fault.pointer);
    }),
    { numRuns: counts.jsonRuns },
  );
});

/** JSON.stringify writes -0 as 0. */
function withoutSign(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSign);
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSign(member)]));
}

test("names with escapes are read correctly, regardless of the names that were parsed before", () => {
  // JSON.parse itself fails here on V8 13.6.
  const names = ["a\\", "\\", '"', "\n", "a\n", "a\u0001", "é", 'a"', "\\u0061", "\u0061bcdef"];
  for (const met of names) {
    for (const name of names) {
      JSON.parse(`{"q":1,${JSON.stringify(met)}:1}`);
      for (const text of [`{"q":1,${JSON.stringify(name)} \n:2}`, `{"q":1,${escapedText(name)}:2}`]) {
        assert.deepEqual(parseJson(text, inputLimits), { ok: true, value: { q: 1, [name]: 2 } });
        assert.deepEqual(readJson(text), { q: 1, [name]: 2 });
      }
    }
  }
});

/** A string's JSON text with every character escaped. */
function escapedText(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}

test("parseJson finds a duplicate name for every spelling of the numbers around it", () => {
  // A number with an exponent is shorter than its tree, so lengths of text and tree can agree although a member is lost.
  const number = fc.constantFrom("1e3", "1E+3", "1e9", "12e3", "0.001", "1e-3", "1.0", "-1e6", "1.5e2", "100", "7");
  fc.assert(
    fc.property(fc.array(number, { maxLength: 4 }), number, number, (others, first, second) => {
      const members = others.map((value, index) => `"${index}":${value}`);
      const text = `{${[...members, `"a":${first}`, `"a":${second}`].join(",")}}`;
      assert.equal(faultOf(text).reason, "duplicate_key", text);
      assert.equal(faultOf(`[1,${text}]`).pointer, "/1/a", text);
    }),
  );
});

test("parseJson and its scanner agree on damaged texts, and never throw", () => {
  const damage = fc.record({
    at: fc.nat(400),
    cut: fc.nat(3),
    put: fc.constantFrom("", '"', "\\", "{", "]", ",", ":", "0", "-", "e5", "\0", "\ud800", '"a":1,', "\\u0000"),
  });
  fc.assert(
    fc.property(canonicalJson(), damage, (value, { at, cut, put }) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      const damaged = text.slice(0, place) + put + text.slice(place + cut);
      const result = parseJson(damaged, inputLimits);
      assert.deepEqual(result, scanJson(damaged, inputLimits));
    }),
    { numRuns: counts.jsonRuns },
  );
});

test("parsing or reading a canonical text returns its value", () => {
  fc.assert(
    fc.property(canonicalJson(), (value) => {
      assert.deepEqual(parseJson(canonicalText(value), inputLimits), { ok: true, value });
      assert.deepEqual(readJson(canonicalText(value)), value);
      assert.deepEqual(readJson(JSON.stringify(value, null, 2)), value);
    }),
  );
});

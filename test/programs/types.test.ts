import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAll, emptyProgram, mutated, programOf } from "./program-fixture.ts";

const codesOf = (...texts: readonly string[]): readonly string[] =>
  checkAll(programOf(texts))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

/** One wrong function for each rule, and the code that it gets. */
const wrong: readonly (readonly [code: string, text: string])[] = [
  ["graph.hole", "fn f() -> i64 { hole }"],
  ["type.mismatch", "fn f(x: i32) -> i64 { x }"],
  ["type.mismatch", 'fn f() -> i64 { 1 + "a" }'],
  ["type.mismatch", "fn f(x: i32, y: i64) -> bool { x < y }"],
  ["type.not_boolean", "fn f(x: i64) -> i64 { if x { 1 } else { 2 } }"],
  ["type.not_numeric", "fn f(x: bool) -> bool { x + x }"],
  ["type.not_numeric", "fn f(x: f64) -> f64 { x & x }"],
  ["type.const_range", "fn f() -> i8 { 200 }"],
  ["type.arity", "fn f(x: i64) -> i64 { f() }"],
  ["type.unknown", "fn f() -> i64 { let x = none; 1 }"],
  ["type.unknown", "fn f() -> i64 { let x = []; 1 }"],
  ["type.field", "fn f(p: Point) -> i64 { p.z }"],
  ["type.field", "fn f() -> Point { Point { x: 1 } }"],
  ["type.variant", "fn f() -> Color { Color.Blue }"],
  ["type.variant", "fn f(c: Color) -> i64 { match c { Blue => 1, _ => 2, } }"],
  ["match.incomplete", "fn f(c: Color) -> i64 { match c { Red => 1, } }"],
  ["match.incomplete", "fn f(x: i64) -> i64 { match x { 1 => 1, } }"],
  ["match.incomplete", "fn f(x: option<i64>) -> i64 { match x { some(y) => y, } }"],
  ["type.effect", 'fn f() -> unit { print("a") }'],
  ["flow.no_return", "fn f(x: i64) -> i64 { let y = x; }"],
  ["flow.no_return", "fn f(x: bool) -> i64 { while x {} }"],
  ["flow.outside_loop", "fn f() -> unit { break; }"],
  ["condition.impure", "fn f() -> i64 ensures (if true { return; } else { true }) { 1 }"],
  ["name.unknown", "fn f() -> bool requires result { true }"],
];

test("each type rule refuses its wrong function with its code and a place [G9]", () => {
  for (const [code, text] of wrong) {
    const found = codesOf("struct Point { x: i64, y: i64, }", "enum Color { Red, Green(i64), }", text);
    assert.equal(found[0], code, `${text}: ${found.join(", ")}`);
  }
});

test("each type rule accepts its right function", () => {
  const right = [
    "fn f(x: i8) -> i8 { -128 +% x * 1 }",
    "fn f(xs: [i64; 2]) -> i64 { let ys: [i64; 2] = [1, 2]; xs[0] + ys[1] }",
    "fn f() -> list<option<i8>> { [none, some(1)] }",
    "fn f(x: i64) -> i64 { if x > 0 { return 1; } else { return 2; } }",
    "fn f(x: bool) -> i64 { match x { true => 1, false => 2, } }",
    'fn f(x: text) -> i64 { match x { "a" => 1, _ => 2, } }',
    "fn f(x: f32) -> f32 { sqrt(x * 2.0) }",
    "fn f(x: result<i64, text>) -> i64 { match x { ok(v) => v, err(_e) => 0, } }",
    "fn f(xs: list<i64>) -> i64 { for x in xs { if x > 2 { break; } else { continue; } } 1 }",
  ];
  for (const text of right) assert.deepEqual(codesOf(text), [], text);
});

test("a private function or type of another module is refused, and a public one is accepted", () => {
  const modules = (flag: string) =>
    mutated(emptyProgram(), [
      { type: "add_module", module_id: "m1", name: "billing" },
      { type: "add_type", module_id: "m1", text: `${flag}struct Money { cents: i64, }` },
      { type: "add_function", module_id: "m1", text: `${flag}fn charge(x: i64) -> i64 { x }` },
      { type: "add_function", text: "fn user(m: billing.Money) -> i64 { billing.charge(m.cents) }" },
    ]);
  assert.deepEqual(checkAll(modules("pub ")).diagnostics, []);
  assert.deepEqual(new Set(checkAll(modules("")).verdict.errors.map(({ code }) => code)), new Set(["type.private"]));
});

test("a function beyond a limit is refused, and never overflows the stack", () => {
  const nested = `${"(1 +% ".repeat(45)}1${")".repeat(45)}`;
  assert.equal(codesOf(`fn f() -> i64 { ${nested} }`)[0], "graph.limit");
  const many = Array.from({ length: 700 }, (_, index) => `let v${index} = ${index} +% 1;`).join("\n");
  assert.equal(codesOf(`fn f() -> unit { ${many} }`)[0], "graph.limit");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newCheckCaches } from "../../server/src/packs/programs/language/check/check-caches.ts";
import { runCases } from "../../server/src/packs/programs/language/check/cases.ts";
import { Typings } from "../../server/src/packs/programs/language/check/typings.ts";
import { finish } from "../../server/src/packs/programs/language/check/verdict.ts";
import { defaultSettings } from "../../server/src/packs/programs/language/function-value.ts";
import { testFunction } from "../../server/src/packs/programs/language/run/run-function.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { checkAll, functionOf, hash, programOf } from "./program-fixture.ts";
import { ProgramWriter } from "./random-program.ts";

test("cases really test at least 90 % of the functions with conditions in random programs [G9]", (t) => {
  let tested = 0;
  let all = 0;
  for (let seed = 1; seed <= counts.programRuns; seed += 1) {
    const scope = programOf(new ProgramWriter(new Random(seed)).texts(6));
    const bound = [...scope.functionIds()].filter(
      (id) => functionOf(scope, id).requires.length + functionOf(scope, id).ensures.length > 0,
    );
    const caches = newCheckCaches();
    const job = { scope, typings: new Typings(scope, caches), settings: defaultSettings, caches, hash };
    tested += finish(runCases(job, bound)).tested;
    all += bound.length;
  }
  t.diagnostic(`${tested} of ${all} functions with conditions were tested: ${((100 * tested) / all).toFixed(1)} %`);
  assert.ok(tested >= 0.9 * all, `${tested} of ${all}`);
});

const errorsOf = (...texts: readonly string[]) => checkAll(programOf(texts)).verdict.errors;
const warningsOf = (...texts: readonly string[]) =>
  checkAll(programOf(texts))
    .diagnostics.filter(({ code }) => code.startsWith("condition."))
    .map(({ code }) => code);

test("a broken ensures is found and shown with the smallest inputs, the result and its place [G9]", () => {
  const [error, more] = errorsOf(
    "fn clamp(x: i64, low: i64, high: i64) -> i64\n  requires low <= high\n  ensures result >= low and result <= high\n{\n  if x < low { low } else { x }\n}",
  );
  assert.equal(more, undefined);
  assert.deepEqual([error?.code, error?.function_id, error?.line, error?.column], ["condition.ensures", "f1", 3, 11]);
  assert.deepEqual([error?.inputs, error?.result], [{ x: 1, low: 0, high: 0 }, 1]);
  assert.equal(error?.condition, "result >= low and result <= high");
});

test("a caller that breaks the requires of a callee is named, and the callee is the reason [G9]", () => {
  const [error] = errorsOf("fn half(x: i64) -> i64 requires x > 0 { x / 2 }", "fn user(y: i64) -> i64 { half(y) }");
  assert.deepEqual(
    [error?.code, error?.function_id, error?.because, error?.line, error?.column],
    ["condition.requires", "f2", "f1", 2, 3],
  );
  assert.deepEqual(error?.inputs, { y: 0 });
});

test("structs are generated with their invariants, and a broken invariant is found where the value is made [G9]", () => {
  const range = 'struct Range { low: i64, high: i64, invariant low <= high "ordered" }';
  assert.deepEqual(
    errorsOf(
      range,
      "fn size(r: Range) -> i64 ensures result >= 0 { if r.high -% r.low < 0 { 0 } else { r.high -% r.low } }",
    ),
    [],
  );
  const [error] = errorsOf(range, "fn raise(r: Range, low: i64) -> Range { r with { low: low } }");
  assert.deepEqual([error?.code, error?.because, error?.message], ["condition.invariant", "t1", "ordered"]);
});

test("a run-time error never counts as a pass: a total function must not trap, and a function that always traps is untested [G9]", () => {
  for (const type of ["i8", "i16", "i32", "i64"])
    for (const body of ["x + 1", "x - 1", "0 - x", "1 / x", "x * x"])
      assert.equal(
        errorsOf(`total fn next(x: ${type}) -> ${type} { ${body} }`)[0]?.code,
        "condition.trap",
        `${type} ${body}`,
      );
  assert.equal(errorsOf("total fn stay(x: i64) -> i64 { while true {} x }")[0]?.code, "condition.steps");
  assert.deepEqual(errorsOf("total fn wrap(x: i64) -> i64 { x +% 1 }"), []);
  assert.deepEqual(warningsOf("fn never_ok(x: i64) -> i64 ensures result == 1 { 1 / 0 }"), ["condition.untested"]);
});

test("a condition that cannot be tested is a warning with its reason, and is counted", () => {
  const { verdict, diagnostics } = checkAll(
    programOf(["fn odd(x: i64) -> i64 requires x * x == 2 ensures result == 3 { x }"]),
  );
  assert.deepEqual([verdict.ok, verdict.tested, verdict.untested, verdict.warnings], [true, 0, 1, 1]);
  assert.match(diagnostics[0]!.message, /no generated inputs satisfied requires/u);
});

test("asserts are tested, and conditions with effects are refused", () => {
  assert.equal(errorsOf('fn f(x: i64) -> i64 { assert x != 7 "never 7"; x }')[0]?.message, "never 7");
  assert.equal(
    errorsOf("io fn say() -> bool { true }", "fn f() -> i64 ensures say() { 1 }")[0]?.code,
    "condition.impure",
  );
});

test("a test of one function reports shrunk failures and repeats them with its seed", () => {
  const program = programOf(["fn f(xs: list<i64>) -> i64 ensures result < 3 { length(xs) }"]);
  const first = finish(testFunction(program, "f1", { cases: 100, hash }))!;
  assert.deepEqual(first.failures[0]?.inputs, { xs: [0, 0, 0] });
  assert.deepEqual(finish(testFunction(program, "f1", { cases: 100, hash, seed: first.seed })), first);
  assert.equal(finish(testFunction(program, "f9", { cases: 1, hash })), undefined);
});

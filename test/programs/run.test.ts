import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newCheckCaches } from "../../server/src/packs/programs/language/check/check-caches.ts";
import { compiledScope } from "../../server/src/packs/programs/language/check/compiled-scope.ts";
import { CaseRandom, generateInputs } from "../../server/src/packs/programs/language/check/generate.ts";
import { execute, newExecution, type RunResult } from "../../server/src/packs/programs/language/check/run-case.ts";
import { definitionIn } from "../../server/src/packs/programs/language/check/types.ts";
import { Typings } from "../../server/src/packs/programs/language/check/typings.ts";
import { graphOf } from "../../server/src/packs/programs/language/pack.ts";
import type { ProgramRows } from "../../server/src/packs/programs/language/program-scope.ts";
import { runLimits } from "../../server/src/packs/programs/language/run/limits.ts";
import { runFunction } from "../../server/src/packs/programs/language/run/run-function.ts";
import {
  sameValue,
  type Value,
  valueFromJson,
  valueToJson,
} from "../../server/src/packs/programs/language/run/values.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { NaiveEvaluator, NaiveFailure, NaiveTrap } from "./naive-evaluator.ts";
import { checkAll, functionOf, hash, programOf } from "./program-fixture.ts";
import { ProgramWriter } from "./random-program.ts";

const inputsOfEach = 200;

function randomProgram(seed: number): ProgramRows {
  const program = programOf(new ProgramWriter(new Random(seed)).texts(4));
  const wrong = checkAll(program).diagnostics.filter(
    ({ severity, code }) => severity === "error" && !code.startsWith("condition."),
  );
  assert.deepEqual(wrong, [], `seed ${seed}`);
  return program;
}

function naiveEvaluator(program: ProgramRows): NaiveEvaluator {
  const typings = new Typings(program, newCheckCaches());
  return new NaiveEvaluator({
    graph: (callee) => graphOf(functionOf(program, callee)),
    typing: (callee) => typings.function(callee),
    definition: (type) => definitionIn(program, type)!,
  });
}

function naiveOutcome(
  evaluator: NaiveEvaluator,
  id: string,
  inputs: readonly Value[],
): { status: string; value: Value } {
  try {
    return { status: "returned", value: evaluator.call(id, inputs) };
  } catch (error) {
    if (error instanceof NaiveTrap) return { status: "trapped", value: null };
    if (error instanceof NaiveFailure) return { status: "condition_failed", value: error.message };
    throw error;
  }
}

/** Equal, and NaN equals NaN. */
const isSame = (a: Value, b: Value): boolean =>
  sameValue(a, b) || JSON.stringify(a, shown) === JSON.stringify(b, shown);
const shown = (_: string, value: unknown): unknown =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;

test("an accepted function runs on 200 inputs as the naive evaluator says, and twice the same [G9 G10]", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const program = randomProgram(seed);
      const compiled = compiledScope(program, new Typings(program, newCheckCaches()));
      const naive = naiveEvaluator(program);
      const find = (id: string) => definitionIn(program, id);
      for (const id of program.functionIds()) {
        const graph = graphOf(functionOf(program, id));
        const random = new CaseRandom(hash(`${seed} ${id}`));
        for (let round = 0; round < inputsOfEach; round += 1) {
          const { inputs } = generateInputs({ random, find, graph })!;
          const run = (): RunResult => execute(compiled, id, inputs, newExecution(runLimits(20_000)));
          const [first, second] = [run(), run()];
          assert.deepEqual([first.status, first.execution.steps], [second.status, second.execution.steps]);
          assert.ok(isSame(first.result, second.result));
          if (first.status === "out_of_steps") continue;
          const expected = naiveOutcome(naive, id, inputs);
          assert.equal(first.status, expected.status, `seed ${seed}, ${id}, ${JSON.stringify(inputs, shown)}`);
          if (expected.status === "returned") assert.ok(isSame(first.result, expected.value), `seed ${seed}, ${id}`);
        }
      }
    }),
    { numRuns: counts.programRuns, seed: 7 },
  );
});

test("values become JSON and return from it unchanged, for every type", () => {
  const program = programOf([
    "struct Point { x: i64, y: f64, }",
    "enum Tree { Leaf, Node(list<Tree>), }",
    "fn a(p: list<Point>, t: Tree, o: option<text>, r: result<i8, [bool; 3]>, f: f32) -> unit { unit }",
  ]);
  const graph = graphOf(functionOf(program, "f1"));
  const find = (id: string) => definitionIn(program, id);
  const random = new CaseRandom(hash("values"));
  for (let round = 0; round < 200; round += 1)
    for (const [index, value] of generateInputs({ random, find, graph })!.inputs.entries()) {
      const { type } = graph.parameters[index]!;
      assert.deepEqual(valueFromJson(valueToJson(value, type, find), type, find), value);
    }
  for (const special of [NaN, Infinity, -Infinity, -0]) {
    const type = graph.parameters[4]!.type;
    assert.ok(Object.is(valueFromJson(valueToJson(special, type, find), type, find), special));
  }
});

test("overflow, division by zero and a wrong index trap at their node, and limits end a run [G10]", () => {
  const program = programOf([
    "fn grow(x: i8) -> i8 { x + 100 }",
    "fn over(x: i64) -> i64 { 10 / x }",
    "fn at(xs: list<i64>) -> i64 { xs[2] }",
    "fn loop_on(x: i64) -> i64 { while true {} x }",
    "fn again(x: i64) -> i64 { again(x) }",
    "fn fill(x: text) -> text { var all: text = x; while true { all = join(all, all); } all }",
    "fn shifted(x: i64, by: i64) -> i64 { x << by }",
    'io fn talk() -> unit { for i in 0..3 { match read_line() { some(line) => print(line), none => print("end"), } } }',
  ]);
  const run = (id: string, inputs: readonly (number | string | number[])[]) =>
    runFunction(program, id, inputs, { steps: 1_000_000 })!;
  assert.equal(run("f1", [27]).result, 127);
  assert.equal(run("f1", [28]).failure?.code, "condition.trap");
  assert.deepEqual([run("f2", [3]).result, run("f2", [0]).status], [3, "trapped"]);
  assert.equal(run("f3", [[1, 2]]).failure?.message, "The index 2 is not from 0 to 1.");
  for (const id of ["f4", "f5"]) assert.equal(run(id, [1]).status, "out_of_steps");
  assert.equal(run("f6", ["ab"]).status, "out_of_steps");
  assert.deepEqual([run("f7", [1, 63]).result, run("f7", [1, 64]).status], ["-9223372036854775808", "trapped"]);
  const talk = runFunction(program, "f8", [], { steps: 1_000, console: ["a", "b"], trace: true });
  assert.deepEqual([talk?.output, talk?.result], [["a", "b", "end"], null]);
  assert.ok((talk?.trace?.length ?? 0) > 5);
});

/** Verdicts after changes: what is checked again, and that caches never change a verdict. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { affectedItems } from "../../server/src/packs/programs/language/check/affected.ts";
import { newCheckCaches } from "../../server/src/packs/programs/language/check/check-caches.ts";
import { fullVerify } from "../../server/src/packs/programs/language/check/full-verify.ts";
import { finish } from "../../server/src/packs/programs/language/check/verdict.ts";
import type { ProgramRows } from "../../server/src/packs/programs/language/program-scope.ts";
import { defaultSettings } from "../../server/src/packs/programs/language/function-value.ts";
import type { ProgramStep } from "../../server/src/packs/programs/language/steps/step-context.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import {
  allItems,
  changedIn,
  check,
  commit,
  draftOf,
  emptyProgram,
  hash,
  mutated,
  programOf,
} from "./program-fixture.ts";

const size = 8;

/** A function of a random call graph. Cycles end, because each call has a smaller number. */
function functionText(random: Random, index: number): string {
  const callee = (): string => `g${random.below(size)}(if n > 3 { 3 } else { n - 1 })`;
  const result = random.chance(0.1) ? "i32" : "i64";
  const calls = Array.from({ length: random.below(3) }, callee);
  const bound = random.pick(["", "requires n < 1000 ", "requires n <= 3 "]);
  const promise = random.pick(["", "ensures result >= 0 ", "ensures result >= 0 or n > -5 "]);
  const type = random.chance(0.2) ? " let box = Box { side: n };" : "";
  const base = random.pick(["0", "1", "n", "-1"]);
  const last = result === "i32" ? "1" : `max(${[base, ...calls].join(", max(")}, 0${")".repeat(calls.length + 1)}`;
  return `pub fn g${index}(n: i64) -> ${result} ${bound}${promise}{${type}\n  if n < 1 {\n    return ${result === "i32" ? "2" : base};\n  }\n  ${last}\n}`;
}

const typeText = (random: Random): string =>
  `struct Box { side: ${random.chance(0.15) ? "i32" : "i64"}, ${random.chance(0.5) ? "invariant side > -1000000" : ""} }`;

function stepOf(random: Random): ProgramStep {
  if (random.chance(0.15)) return { type: "set_type", type_id: "t1", text: typeText(random) };
  const index = random.below(size);
  return { type: "set_function", function_id: `f${index + 1}`, text: functionText(random, index) };
}

const shown = (result: ReturnType<typeof check>): unknown => [result.verdict, result.diagnostics];

test("an incremental verdict equals the full verdict without caches after every change, also in cycles and for types [G9 G10]", () => {
  const totals = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const random = new Random(seed);
      const functions = Array.from({ length: size }, (_, index): ProgramStep => ({
        type: "add_function",
        text: `pub fn g${index}(n: i64) -> i64 { 0 }`,
      }));
      const program = mutated(emptyProgram(), [{ type: "add_type", text: "struct Box { side: i64, }" }, ...functions]);
      const caches = newCheckCaches();
      const settings = { cases: 8 };
      for (let round = 0; round < 8; round += 1) {
        const draft = draftOf(program, [stepOf(random)]);
        const changed = changedIn(draft);
        const incremental = check(draft, changed, { caches, settings });
        assert.deepEqual(
          shown(incremental),
          shown(check(draft, changed, { settings })),
          `seed ${seed}: with and without caches`,
        );
        const full = check(draft, allItems(draft), { settings });
        assert.equal(
          incremental.verdict.ok,
          full.verdict.ok,
          `seed ${seed}: ${JSON.stringify([incremental.verdict.errors, full.verdict.errors], null, 1)}`,
        );
        totals[full.verdict.ok ? "accepted" : "refused"] += 1;
        if (full.verdict.ok) commit(program, draft);
      }
    }),
    { numRuns: Math.ceil(counts.programRuns / 2), seed: 2 },
  );
  assert.ok(totals.accepted > counts.programRuns && totals.refused > counts.programRuns / 4, JSON.stringify(totals));
});

test("a change affects its transitive callers, users of types and users of invariants, and nothing else [G9]", () => {
  const program = programOf([
    "struct Box { side: i64, invariant fine(side) }",
    "fn fine(x: i64) -> bool { x > -5 }",
    "fn leaf() -> i64 { 1 }",
    "fn middle() -> i64 { leaf() }",
    "fn top() -> i64 { middle() + top() }",
    "fn other() -> i64 { 2 }",
    "fn boxed(b: Box) -> i64 { b.side }",
  ]);
  assert.deepEqual(affectedItems(program, { functions: ["f2"], types: [] }).functions, ["f2", "f3", "f4"]);
  assert.deepEqual(affectedItems(program, { functions: ["f1"], types: [] }), {
    functions: ["f1", "f6"],
    types: ["t1"],
  });
  assert.deepEqual(affectedItems(program, { functions: [], types: ["t1"] }).functions, ["f6"]);
});

test("a verdict reads the hashes of what it executed and the signatures of what it called, and of nothing else [G9]", () => {
  const program = programOf([
    "fn leaf(x: i64) -> i64 { x }",
    "fn tested(x: i64) -> i64 ensures result == x { leaf(x) }",
    "fn plain(x: i64) -> i64 { leaf(x) }",
    "fn unrelated() -> i64 { 3 }",
  ]);
  const reads = (step: ProgramStep) => check(draftOf(program, [step]), { functions: ["f3"], types: [] }).reads;
  const plain = reads({ type: "set_function", function_id: "f3", text: "fn plain(x: i64) -> i64 { leaf(x) + 1 }" });
  assert.deepEqual(plain, { "function/f1": `s:${program.function("f1")!.signature_hash.slice(0, 32)}` });
  const draft = draftOf(program, [
    { type: "set_function", function_id: "f1", text: "fn leaf(x: i64) -> i64 { 0 + x }" },
  ]);
  const result = check(draft, changedIn(draft));
  assert.deepEqual(Object.keys(result.reads), ["function/f2", "function/f3"]);
  assert.deepEqual(result.callers, ["f1", "f2", "f3"]);
});

test("a caller that is added while the check runs is found by the next check of the callee [G9]", () => {
  const program = programOf(["fn leaf(x: i64) -> i64 { x }"]);
  const draft = draftOf(program, [
    { type: "set_function", function_id: "f1", text: "fn leaf(x: i64, y: i64) -> i64 { x + y }" },
  ]);
  assert.ok(check(draft, changedIn(draft)).verdict.ok);
  mutated(program, [{ type: "add_function", text: "fn late() -> i64 { leaf(1) }" }]);
  const again = check(draft, changedIn(draft));
  assert.deepEqual(
    again.verdict.errors.map(({ code, function_id: id }) => [code, id]),
    [["type.arity", "f2"]],
  );
});

test("two changes that are each valid and together break a caller are refused together [G9]", () => {
  const program = programOf([
    "fn f() -> i64 { 1 }",
    "fn k() -> i64 { 1 }",
    "fn g() -> i64 ensures result > 0 { f() + k() }",
  ]);
  const lower = (id: string, name: string): ProgramStep => ({
    type: "set_function",
    function_id: id,
    text: `fn ${name}() -> i64 { -1 + 1 }`,
  });
  for (const step of [lower("f1", "f"), lower("f2", "k")]) {
    const draft = draftOf(program, [step]);
    const { verdict, reads } = check(draft, changedIn(draft));
    assert.ok(verdict.ok);
    assert.ok("function/f3" in reads && Object.keys(reads).length === 2);
  }
  const both = draftOf(program, [lower("f1", "f"), lower("f2", "k")]);
  assert.equal(check(both, changedIn(both)).verdict.errors[0]?.code, "condition.ensures");
});

test("a check whose first round needs too many steps is refused as too large, never half checked", () => {
  const program = programOf([
    "fn slow(n: i64) -> i64 ensures result == result { var i: i64 = 0; while i < 3000 { i = i + 1; } i }",
  ]);
  const { verdict } = check(program, allItems(program), { settings: { steps: 5_000 } });
  assert.deepEqual([verdict.too_large, verdict.ok], [true, false]);
});

test("full verification finds a forged hash and a forged body", () => {
  const program = programOf(["fn f(x: i64) -> i64 { x }", "fn g(x: i64) -> i64 { f(x) }"]);
  const verify = (rows: ProgramRows) => finish(fullVerify(rows, { settings: defaultSettings, hash }));
  assert.deepEqual(verify(program).wrongHashes, []);
  assert.ok(verify(program).valid);
  const value = program.function("f1")!;
  program.set("function", "f1", { ...value, body: ['[2,"const","int","7"]'] });
  assert.deepEqual(verify(program).wrongHashes, ["function/f1"]);
  program.set("function", "f1", { ...value, hash: "0".repeat(64) });
  assert.ok(!verify(program).valid);
});

/** The work of a check is bounded for any program: one mutation must not end the thread for all agents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import { newCheckCaches } from "../../server/src/packs/programs/language/check/check-caches.ts";
import { CaseRandom, generateInputs } from "../../server/src/packs/programs/language/check/generate.ts";
import { definitionIn } from "../../server/src/packs/programs/language/check/types.ts";
import { graphOf } from "../../server/src/packs/programs/language/pack.ts";
import { runFunction } from "../../server/src/packs/programs/language/run/run-function.ts";
import { allItems, check, checkAll, emptyProgram, functionOf, hash, mutated, programOf } from "./program-fixture.ts";
import { codeOf, ledger } from "./programs-node.ts";

const counted = (...texts: readonly string[]): readonly number[] => {
  const { verdict } = checkAll(programOf(texts));
  assert.deepEqual(verdict.errors, []);
  return [verdict.tested, verdict.untested];
};

/** A parameter of each type, with a condition that always holds. */
const using = (type: string): string => `fn use_it(value: ${type}) -> i64 ensures result > 0 { 1 }`;

test("a type without a value, or with too large ones alone, leaves its functions untested [G9]", () => {
  assert.deepEqual(counted("struct Loop { next: Loop }", using("Loop")), [0, 1]);
  assert.deepEqual(counted("enum Loop { Next(Loop) }", using("Loop")), [0, 1]);
  assert.deepEqual(counted(using("[[[i64; 1000]; 1000]; 1000]")), [0, 1]);
});

test("functions of wide and of recursive types are tested on small values [G9]", () => {
  const fields = Array.from({ length: 30 }, (_, index) => `a${String(index)}: list<Wide>,`).join(" ");
  assert.deepEqual(counted(`struct Wide { ${fields} }`, using("Wide")), [1, 0]);
  const tree = ["enum Tree { Leaf(i64), Node(Pair) }", "struct Pair { left: Tree, right: Tree }"];
  assert.deepEqual(counted(...tree, using("Tree")), [1, 0]);
  assert.deepEqual(counted("struct Deep { one: result<Deep, i64>, two: result<text, Deep> }", using("Deep")), [1, 0]);
});

const chain = [
  "enum Chain { End, More(Link) }",
  "struct Link { next: Chain, twin: Chain, value: i64 }",
  `fn long(n: i64) -> Chain {
     var c: Chain = Chain.End;
     for i in 0..n { c = Chain.More(Link { next: c, twin: Chain.End, value: i }); }
     c
   }`,
  `fn wide(n: i64) -> Chain {
     var c: Chain = Chain.End;
     for i in 0..n { c = Chain.More(Link { next: c, twin: c, value: i }); }
     c
   }`,
  "fn same_long(n: i64) -> bool { long(n) == long(n) }",
  "fn same_wide(n: i64) -> bool { wide(n) == wide(n) }",
  "fn sorted_wide(n: i64) -> list<Chain> { reverse([wide(n)]) }",
];

const run = (texts: readonly string[], id: string, inputs: Json, trace = false) =>
  runFunction(programOf(texts), id, inputs, { steps: 2_000_000, trace })!;

const depthOf = (value: Json | undefined): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value as JsonObject).map(depthOf)) : 0;

test("a value that is nested deeper than the stack of the host is compared and shown in part [G10]", () => {
  assert.equal(run(chain, "f3", [20_000]).result, true);
  const { status, result, trace } = run(chain, "f1", [20_000], true);
  assert.equal(status, "returned");
  assert.ok(depthOf(result) >= 50 && depthOf(result) < 60, String(depthOf(result)));
  assert.ok(trace!.every(({ output }) => output.length < 300));
});

test("a value with the same part twice at each level runs out of steps, and a part of it is shown [G10]", () => {
  assert.equal(run(chain, "f4", [40]).status, "out_of_steps");
  assert.equal(run(chain, "f5", [40]).status, "out_of_steps");
  const { status, result } = run(chain, "f2", [40], true);
  assert.equal(status, "returned");
  assert.ok(JSON.stringify(result).length < 5_000_000);
});

test("operations on long texts cost steps by their length [G10]", () => {
  const grow = 'var x: text = "aaaaaaaa"; for i in 0..n { x = join(x, x); }';
  const texts = [
    `fn cut(n: i64) -> i64 { ${grow} for i in 0..1000000 { let y = slice(x, 0, 0); x = join(x, y); } 1 }`,
    `fn search(n: i64) -> bool { ${grow} contains(join(x, x), join(x, "b")) }`,
    `fn parts(n: i64) -> i64 { ${grow} length(split(join(x, x), join(x, "b"))) }`,
  ];
  for (const id of ["f1", "f2", "f3"]) assert.equal(run(texts, id, [16]).status, "out_of_steps", id);
  for (const id of ["f2", "f3"]) assert.equal(run(texts, id, [3]).status, "returned", id);
});

test("steps of requires, of invariants and of large inputs count, so a check of them can be too large [G9]", () => {
  const slow = "fn slow(x: i64) -> bool { var i: i64 = 0; while i < 900 { i = i + 1; } x == x }";
  const settings = { cases: 8, steps: 100_000 };
  const tooLarge = (...texts: readonly string[]): boolean => {
    const program = programOf(texts);
    return check(program, allItems(program), { settings }).verdict.too_large;
  };
  const users = (head: string, length = 24): readonly string[] =>
    Array.from({ length }, (_, index) => `fn user${String(index)}(${head} ensures result > 0 { 1 }`);
  assert.equal(tooLarge(slow, ...users("x: i64) -> i64")), false);
  assert.equal(tooLarge(slow, ...users("x: i64) -> i64 requires slow(x)")), true);
  assert.equal(tooLarge(slow, "struct Held { x: i64, invariant slow(x) }", ...users("x: Held) -> i64")), true);
  assert.equal(tooLarge(...users("x: [[i64; 100]; 100]) -> i64", 12)), true);
});

test("a text in the bounds of requires keeps its letters whole [G9]", () => {
  const program = programOf(["fn one(x: text) -> i64 requires length(x) == 1 { length(x) }"]);
  const random = new CaseRandom(hash("letters"));
  const find = (id: string) => definitionIn(program, id);
  const texts = Array.from(
    { length: 500 },
    () => generateInputs({ random, find, graph: graphOf(functionOf(program, "f1")) })!.inputs[0] as string,
  );
  assert.deepEqual(
    texts.filter((text) => !text.isWellFormed() || Array.from(text).length !== 1),
    [],
  );
  assert.ok(texts.includes("😀"));
});

test("a cached result never gives another program its ids of nodes or its names [G9 X14]", () => {
  const shared = newCheckCaches();
  const verdictOf = (program: ReturnType<typeof programOf>, caches = shared) => {
    const cached = check(program, allItems(program), { caches });
    assert.deepEqual(cached, checkAll(program));
    return cached.verdict;
  };
  const withIds = (first: number, second: number) => {
    const conditions = `requires (x == 5#${String(second)})#${String(first)} ensures (result > 0#9)#8`;
    const text = `fn f(x#1: i8) -> i64 ${conditions} { 1#10 }`;
    return mutated(emptyProgram(), [{ type: "add_function", function_id: "f1", text }]);
  };
  const [one, other] = [withIds(2, 3), withIds(3, 2)];
  assert.equal(functionOf(one, "f1").hash, functionOf(other, "f1").hash);
  assert.notDeepEqual(functionOf(one, "f1").requires, functionOf(other, "f1").requires);
  for (const program of [one, other])
    assert.equal(verdictOf(program, { ...shared, cases: newCheckCaches().cases }).tested, 1);
  const inModule = (name: string) =>
    mutated(emptyProgram(), [
      { type: "add_module", module_id: "m1", name },
      { type: "add_function", function_id: "f1", module_id: "m1", text: "pub fn zero() -> i64 { 0 }" },
      { type: "add_function", function_id: "f2", text: "fn f() -> i64 ensures result > @f1() { 0 }" },
    ]);
  for (const name of ["secret", "open"])
    assert.equal(verdictOf(inModule(name)).errors[0]?.condition, `result > ${name}.zero()`);
});

test("an item whose id is a word of the host is edited like any other [G6 G7]", async () => {
  const { node, ann } = await ledger([]);
  await using _ = node;
  const text = (value: number): string => `pub fn f() -> i64 { ${String(value)} }`;
  await ann.done("programs.mutate", {
    mutations: [{ type: "add_function", function_id: "constructor", text: text(1) }],
    expected_hashes: {},
  });
  await ann.lock(["constructor"]);
  const step = { type: "set_function", function_id: "constructor", text: text(2) };
  const refused = await ann.mutate([step]);
  assert.equal(codeOf(refused), "programs.hashes_required");
  const changed = await ann.mutate([step], await ann.hashes("constructor"));
  assert.equal(changed.outcome.kind, "done");
});

test("a name that JSON cannot carry is refused for parameters and fields", async () => {
  const { node, ann } = await ledger([]);
  await using _ = node;
  for (const step of [
    { type: "add_function", text: "fn f(__proto__: i64) -> i64 { 1 }" },
    { type: "add_type", text: "struct S { __proto__: i64 }" },
  ]) {
    const { outcome } = await ann.mutate([step]);
    assert.match(JSON.stringify(outcome.data), /__proto__ cannot be a name/u);
  }
});

test("a refusal records at most 32,768 characters of findings, without inputs that are larger [G9]", async () => {
  const { node, ann } = await ledger([]);
  await using _ = node;
  const text = "fn f(x: [[text; 100]; 130]) -> i64 ensures result > 0 { 0 }";
  const { outcome } = await ann.mutate([{ type: "add_function", text }], {}, {});
  const errors = (outcome.data as JsonObject)["errors"] as readonly JsonObject[];
  assert.deepEqual(
    [errors.length, errors[0]?.["code"], errors[0]?.["condition"]],
    [1, "condition.ensures", "result > 0"],
  );
  assert.ok(JSON.stringify(errors).length < 32_768);
});

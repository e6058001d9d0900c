import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOf, programs } from "@holdfast/sdk/contract";
import { allNodes } from "../../server/src/packs/programs/language/node.ts";
import { graphOf } from "../../server/src/packs/programs/language/pack.ts";
import type { ProgramRows } from "../../server/src/packs/programs/language/program-scope.ts";
import { applySteps } from "../../server/src/packs/programs/language/steps/apply-steps.ts";
import type { ProgramStep } from "../../server/src/packs/programs/language/steps/step-context.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { changedIn, check, draftOf, functionOf, hash, programOf } from "./program-fixture.ts";

const source = "fn sum(a: i64, b: i64) -> i64 {\n  let c = a + b;\n  var d: i64 = c;\n  d = d + 1;\n  d\n}";
const next = { f: 1, t: 1, m: 1 };
const bodyAfter = (program: ProgramRows, ...steps: readonly ProgramStep[]): readonly string[] => {
  const draft = draftOf(program, steps);
  return functionText(functionOf(draft, "f1"), { names: draft.names, module: "m0" })
    .trim()
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim());
};
const idOf = (program: ProgramRows, op: string, index = 0): number =>
  [...allNodes(graphOf(functionOf(program, "f1")))].filter((node) => node.op === op)[index]!.id;

test("nodes are inserted, modified, moved and removed by steps, and keep their ids [G7]", () => {
  const program = programOf([source]);
  const f = { function_id: "f1" };
  const [add, let_, set] = [idOf(program, "add"), idOf(program, "let"), idOf(program, "set")];
  assert.deepEqual(bodyAfter(program, { type: "modify_node", ...f, node_id: add, op: "mul" })[0], "let c = a * b;");
  assert.deepEqual(
    bodyAfter(program, { type: "modify_node", ...f, node_id: let_, attributes: ["other", null], note: "why" }).slice(
      0,
      2,
    ),
    ["// why", "let other = a + b;"],
  );
  const assert_: ProgramStep = {
    ...{ type: "insert_node", ...f, at: { in: 0, region: "body", index: 1 } },
    node: { op: "assert", attributes: [null], inputs: [{ op: "lt", inputs: [1, 2] }] },
  };
  const inserted = applySteps(program, [assert_], { next, hash });
  assert.equal(inserted.draft === undefined ? 0 : inserted.created.length, 2);
  assert.equal(bodyAfter(program, assert_)[1], "assert a < b;");
  assert.deepEqual(bodyAfter(program, { type: "remove_node", ...f, node_id: set }).length, 3);
  assert.deepEqual(
    bodyAfter(program, { type: "move_node", ...f, node_id: set, at: { in: 0, region: "body", index: 1 } })[1],
    "d = d + 1;",
  );
  const call: ProgramStep = {
    type: "insert_node",
    ...f,
    node: { op: "call", attributes: ["f1"], inputs: [1, 2] },
    at: { in: 0, region: "body", index: 0 },
  };
  assert.equal(bodyAfter(program, call)[0], "sum(a, b);", "a value in the middle is dropped");
});

test("an edge is rewired, and a removed edge leaves a hole that the check refuses until it is filled [G7]", () => {
  const program = programOf([source]);
  const add = idOf(program, "add");
  const f = { function_id: "f1" };
  assert.equal(bodyAfter(program, { type: "add_edge", ...f, from: 1, to: add, port: 1 })[0], "let c = a + a;");
  const removed: ProgramStep = { type: "remove_edge", ...f, to: add, port: 0 };
  const draft = draftOf(program, [removed]);
  assert.equal(check(draft, changedIn(draft)).verdict.errors[0]?.code, "graph.hole");
  assert.equal(bodyAfter(program, removed, { type: "add_edge", ...f, from: 2, to: add, port: 0 })[0], "let c = b + b;");
  const moved = draftOf(program, [
    { type: "move_node", ...f, node_id: idOf(program, "set"), at: { in: 0, region: "body", index: 0 } },
  ]);
  assert.equal(check(moved, changedIn(moved)).verdict.errors[0]?.code, "graph.order");
});

test("conditions and the signature are changed by steps, and the body keeps its ids [G7]", () => {
  const program = programOf([source]);
  const draft = draftOf(program, [
    {
      type: "set_conditions",
      function_id: "f1",
      requires: ["a < 100", ["b > 0", "positive"]],
      ensures: ["result > a"],
    },
    {
      type: "change_signature",
      function_id: "f1",
      params: [
        { node_id: 1, name: "first", type: "i64" },
        { node_id: 2, name: "b", type: "i64" },
      ],
      public: true,
    },
  ]);
  const text = functionText(functionOf(draft, "f1"), { names: draft.names, module: "m0" });
  assert.match(
    text,
    /^pub fn sum\(first: i64, b: i64\) -> i64\n {2}requires first < 100\n {2}requires b > 0 "positive"\n {2}ensures result > first\n\{/u,
  );
  const ids = (of: typeof draft | ProgramRows): readonly number[] =>
    graphOf(functionOf(of, "f1")).body.map(({ value }) => (typeof value === "object" ? value.id : value));
  assert.deepEqual(ids(draft), ids(program));
});

test("functions, types and modules are added, renamed, moved and removed, and name each other in any order [G8]", () => {
  const program = programOf(["fn old() -> i64 { 1 }", "fn user() -> i64 { old() }"]);
  const draft = draftOf(program, [
    { type: "add_module", module_id: "billing", name: "billing" },
    { type: "add_function", text: "fn even(n: i64) -> bool { if n == 0 { true } else { odd(n -% 1) } }" },
    { type: "add_function", text: "fn odd(n: i64) -> bool { if n == 0 { false } else { even(n -% 1) } }" },
    { type: "add_type", text: "struct Leaf { tree: list<Tree>, }" },
    { type: "add_type", text: "enum Tree { Empty, One(Leaf), }" },
    { type: "rename_function", function_id: "f1", name: "fresh" },
    { type: "move_function", function_id: "f1", module_id: "billing" },
    { type: "change_signature", function_id: "f1", public: true },
    { type: "rename_module", module_id: "billing", name: "bills" },
  ]);
  assert.deepEqual([...draft.functionIds()].sort(), ["f1", "f2", "f3", "f4"]);
  assert.match(functionText(functionOf(draft, "f2"), { names: draft.names, module: "m0" }), /bills\.fresh\(\)/u);
  assert.deepEqual(check(draft, changedIn(draft)).verdict.errors, []);
  const removed = draftOf(program, [{ type: "remove_function", function_id: "f1" }]);
  assert.deepEqual(
    check(removed, changedIn(removed)).verdict.errors.map(({ code, function_id: id }) => [code, id]),
    [["type.not_callable", "f2"]],
  );
});

test("a step that cannot be applied changes nothing and is named by its number", () => {
  const program = programOf([source, "struct Box { side: i64, }"]);
  const wrong: readonly (readonly [ProgramStep, string])[] = [
    [{ type: "set_function", function_id: "f9", text: source }, "name.unknown"],
    [{ type: "set_function", function_id: "f1", text: source.replace("sum", "other") }, "name.unknown"],
    [{ type: "set_function", function_id: "f1", text: "fn sum(" }, "syntax.unexpected"],
    [{ type: "remove_node", function_id: "f1", node_id: 999 }, "graph.dangling"],
    [{ type: "add_edge", function_id: "f1", from: 1, to: 999, port: 0 }, "graph.dangling"],
    [
      { type: "insert_node", function_id: "f1", node: { op: "jump" }, at: { in: 0, region: "body", index: 0 } },
      "graph.dangling",
    ],
    [{ type: "move_function", function_id: "f1", module_id: "m9" }, "name.unknown"],
    [{ type: "rename_function", function_id: "f1", name: "while" }, "syntax.unexpected"],
    [{ type: "add_function", function_id: "f1", text: source }, "name.duplicate"],
    [{ type: "remove_module", module_id: "m0" }, "graph.dangling"],
    [{ type: "add_module", name: "a", parent: "m7" }, "name.unknown"],
    [{ type: "set_type", type_id: "t1", text: "struct Other { side: i64, }" }, "name.unknown"],
    [{ type: "rename_type", type_id: "t1", name: "small" }, "syntax.unexpected"],
    [{ type: "remove_type", type_id: "t4" }, "name.unknown"],
  ];
  for (const [step, code] of wrong) {
    const applied = applySteps(program, [{ type: "rename_function", function_id: "f1", name: "sum" }, step], {
      next,
      hash,
    });
    assert.equal(applied.diagnostics?.[0]?.code, code, JSON.stringify([step, applied.diagnostics]));
    assert.equal(applied.diagnostics[0].step, 1);
    assert.equal(applied.draft, undefined);
  }
  const two = draftOf(program, [{ type: "add_function", text: source }]);
  assert.ok(check(two, changedIn(two)).verdict.errors.some(({ code }) => code === "name.duplicate"));
});

test("a step of the wrong form is refused with the issues of its own type alone [G7]", () => {
  const mutate = programs.operations.find(({ name }) => name === "programs.mutate");
  assert.ok(mutate);
  const f = { function_id: "f1" };
  const cases: readonly (readonly [unknown, string, RegExp])[] = [
    [{ type: "insert_node", ...f, at: { to: 1, port: 0 } }, "", /^must have required properties node$/u],
    [{ type: "insert_node", ...f, node: {}, at: { in: 0 } }, "/at", /^must have required properties region, index$/u],
    [{ type: "move_node", ...f, node_id: -1, at: { to: 1, port: 0 } }, "/node_id", /^must be >= 0$/u],
    [{ type: "set_function", ...f, text: "x", txt: "y" }, "", /^must not have txt; did you mean text\?$/u],
    [
      { type: "modify_nod", ...f, node_id: 3 },
      "/type",
      /^must be one of set_function, .*; did you mean modify_node\?$/u,
    ],
    [{ type: 7, ...f }, "/type", /^must be one of set_function, .*remove_type$/u],
    [f, "", /^must have required properties type$/u],
    ["set_function", "", /^must be object$/u],
  ];
  for (const [step, pointer, message] of cases) {
    const good = { type: "remove_function", ...f };
    const issues = checkOf(mutate.input)({ program_id: "ledger", mutations: [good, step], expected_hashes: {} });
    assert.equal(issues?.length, 1, JSON.stringify([step, issues]));
    assert.equal(issues[0]?.pointer, `/mutations/1${pointer}`);
    assert.match(issues[0].message, message);
  }
});

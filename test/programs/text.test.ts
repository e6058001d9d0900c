import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { allNodes } from "../../server/src/packs/programs/language/node.ts";
import { graphOf, packInput } from "../../server/src/packs/programs/language/pack.ts";
import { parseFunction } from "../../server/src/packs/programs/language/parse-functions.ts";
import { printInput, printTypeDefinition } from "../../server/src/packs/programs/language/print-functions.ts";
import { definitionIn } from "../../server/src/packs/programs/language/check/types.ts";
import type { FunctionValue } from "../../server/src/packs/programs/language/function-value.ts";
import type { ProgramRows } from "../../server/src/packs/programs/language/program-scope.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { writeFunction, writeType } from "../../server/src/packs/programs/language/write-function.ts";
import { exportText } from "../../server/src/packs/programs/language/export-text.ts";
import { importText } from "../../server/src/packs/programs/language/import-text.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { editedText } from "./edited-text.ts";
import { emptyProgram, functionOf, hash, mutated, programOf } from "./program-fixture.ts";
import { ProgramWriter } from "./random-program.ts";

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const forPrograms = (check: (program: ProgramRows, random: Random) => void): void => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      check(programOf(new ProgramWriter(random).texts(4)), random);
    }),
    { numRuns: counts.programRuns, seed: 11 },
  );
};
const options = (program: ProgramRows) => ({ names: program.names, module: "m0" });

test("the text of a function parses to the same function with the same ids, with and without ids in the text [G6]", () => {
  forPrograms((program) => {
    for (const id of program.functionIds()) {
      const value = functionOf(program, id);
      for (const withIds of [false, true]) {
        const text = functionText(value, { ...options(program), withIds });
        const again = writeFunction(text, { scope: program, module: "m0", base: value, hash });
        assert.deepEqual(again, { value }, text);
      }
      const fresh = writeFunction(functionText(value, options(program)), { scope: program, module: "m0", hash });
      assert.equal(fresh.value?.hash, value.hash);
      assert.equal(functionText(fresh.value, options(program)), functionText(value, options(program)));
    }
  });
});

test("the text of a type parses to the same type", () => {
  const program = programOf(new ProgramWriter(new Random(1)).texts(1));
  for (const id of program.typeIds()) {
    const { text } = printTypeDefinition(definitionIn(program, id)!, options(program));
    assert.deepEqual(writeType(text, { scope: program, module: "m0", id, hash }).value, program.type(id));
  }
});

test("an edit of one line keeps the ids of all nodes that it does not touch, and uses no id again [G6]", () => {
  forPrograms((program, random) => {
    for (const id of program.functionIds()) {
      const base = functionOf(program, id);
      const text = editedText(random, functionText(base, options(program)));
      const { value } = writeFunction(text, { scope: program, module: "m0", base, hash });
      if (value === undefined) continue;
      const before = new Map([...allNodes(graphOf(base))].map((node) => [node.id, node]));
      const nodes = [...allNodes(graphOf(value))];
      assert.equal(new Set(nodes.map((node) => node.id)).size, nodes.length);
      const kept = nodes.filter((node) => before.has(node.id));
      for (const node of kept) assert.equal(node.op, before.get(node.id)!.op, "an id keeps its op");
      for (const node of nodes) if (!before.has(node.id)) assert.ok(node.id >= base.next, "a new id is new");
      // A statement with the same text, once in both versions, is the same node with the same ids inside.
      const statements = (of: FunctionValue): Map<string, string> => {
        const graph = graphOf(of);
        const texts = graph.body.map(({ value: item }) => printInput(graph, item, options(program)));
        const once = graph.body.filter((_, index) => texts.filter((each) => each === texts[index]).length === 1);
        return new Map(once.map(({ value: item }) => [printInput(graph, item, options(program)), packInput(item)]));
      };
      const [own, edited] = [statements(base), statements(value)];
      for (const [statement, packed] of edited)
        if (own.has(statement)) assert.equal(packed, own.get(statement), statement);
    }
  });
});

test("an inserted statement leaves every other id as it is", () => {
  const program = programOf(["fn sum(a: i64, b: i64) -> i64 {\n  let x = a + b;\n  let y = a + b;\n  x * y + 1\n}"]);
  const base = functionOf(program, "f1");
  const text = functionText(base, options(program))
    .replace("  let y", "  let z = a + b;\n  let y")
    .replace("x * y", "x * y * z");
  const { value } = writeFunction(text, { scope: program, module: "m0", base, hash });
  const ids = (name: string, of = value!): number =>
    [...allNodes(graphOf(of))].find((node) => node.attributes[0] === name)!.id;
  assert.deepEqual([ids("x"), ids("y")], [ids("x", base), ids("y", base)]);
  assert.ok(ids("z") >= base.next);
  const old = new Set([...allNodes(graphOf(base))].map((node) => node.id));
  assert.equal([...allNodes(graphOf(value!))].filter((node) => !old.has(node.id)).length, 3, "let, + and * are new");
});

test("a statement keeps its id if the edit removes another statement with an equal part [G6]", () => {
  const program = programOf(["fn name(a: i64) -> text {\n  let b = to_text(a);\n  to_text(a)\n}"]);
  const base = functionOf(program, "f1");
  const text = functionText(base, options(program)).replace("  let b = to_text(a);\n", "");
  const { value } = writeFunction(text, { scope: program, module: "m0", base, hash });
  const idOfLast = (of: FunctionValue): number => [...allNodes(graphOf(of))].at(-1)!.id;
  assert.equal(idOfLast(value!), idOfLast(base));
});

test("an import of an export has the same ids, hashes and texts, byte for byte", () => {
  forPrograms((program) => {
    mutated(program, [
      { type: "add_module", module_id: "m5", name: "billing" },
      { type: "add_function", module_id: "m5", function_id: "charge", text: "pub fn charge(x: i64) -> i64 { x + 1 }" },
      { type: "add_function", function_id: "user", text: "fn user() -> i64 { billing.charge(1) + @charge(2) }" },
    ]);
    const { text, next } = exportText(program)!;
    assert.equal(next, null);
    const copy = mutated(emptyProgram(), importText(text).steps!);
    for (const id of program.functionIds()) {
      const [own, other] = [functionOf(program, id), functionOf(copy, id)];
      assert.deepEqual({ ...other, next: 0 }, { ...own, next: 0 });
    }
    assert.equal(exportText(copy)?.text, text);
  });
});

test("a wrong text is refused with line, column, the expected token and the nearest name", () => {
  const program = programOf(["fn charge(total_sum: i64) -> i64 { total_sum }"]);
  const errorsOf = (text: string) => parseFunction(text, options(program)).errors;
  const [first] = errorsOf("fn f(total_sum: i64) -> i64 {\n  chargee(total_sum)\n}");
  assert.deepEqual([first?.code, first?.line, first?.column, first?.suggestion], ["name.unknown", 2, 3, "charge"]);
  const many = errorsOf("fn f() -> i64 {\n  let = 1;\n  let y 2;\n  ok\n}");
  assert.deepEqual(
    many.map(({ line }) => line),
    [2, 3, 4],
  );
  assert.equal(errorsOf(`fn f() -> i64 { ${"(".repeat(5_000)} }`)[0]?.code, "graph.limit");
  const chains = ["1".concat("+1".repeat(60_000)), `x${"[0]".repeat(40_000)}`, `1${" as i64".repeat(15_000)}`];
  for (const chain of chains) assert.equal(errorsOf(`fn f(x: i64) -> i64 { ${chain} }`)[0]?.code, "graph.limit");
  assert.equal(errorsOf("fn f() -> i64 { let if = 1; 2 }").length, 1);
  assert.ok(errorsOf(`fn f() -> unit {\n${"let = 1;\n".repeat(50)}}`).length <= 20);
  assert.equal(errorsOf("fn f(a: i64) -> i64 { let a = 1; a }")[0]?.code, "name.duplicate");
});

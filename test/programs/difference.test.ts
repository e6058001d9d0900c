import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { functionDifference, textDifferenceOf } from "../../server/src/packs/programs/language/difference.ts";
import { graphOf } from "../../server/src/packs/programs/language/pack.ts";
import { hashFunction } from "../../server/src/packs/programs/language/hash.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { writeFunction } from "../../server/src/packs/programs/language/write-function.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { applyDifference } from "./apply-difference.ts";
import { editedText } from "./edited-text.ts";
import { draftOf, functionOf, hash, programOf } from "./program-fixture.ts";
import { ProgramWriter } from "./random-program.ts";

test("a difference applied to its base gives the current version [G6]", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const random = new Random(seed);
      const program = programOf(new ProgramWriter(random).texts(4));
      const options = { names: program.names, module: "m0" };
      for (const id of program.functionIds()) {
        const base = functionOf(program, id);
        let current = base;
        for (let edit = 0; edit < 4; edit += 1) {
          const text = editedText(random, functionText(current, options));
          current = writeFunction(text, { scope: program, module: "m0", base: current, hash }).value ?? current;
        }
        if (current.hash === base.hash) continue;
        compared += 1;
        const applied = applyDifference(graphOf(base), functionDifference(base, current, options), options);
        assert.equal(hashFunction(applied, hash).hash, current.hash, `seed ${seed}, ${id}`);
      }
    }),
    { numRuns: counts.programRuns, seed: 3 },
  );
  assert.ok(compared >= counts.programRuns, `${compared} differences were compared`);
});

test("equal versions have an empty difference, with all five lists present [G6]", () => {
  const program = programOf(["fn f(x: i64) -> i64 { x }"]);
  const value = functionOf(program, "f1");
  const options = { names: program.names, module: "m0" };
  assert.deepEqual(functionDifference(value, value, options), {
    ...{ added_nodes: [], removed_nodes: [], modified_nodes: [], added_edges: [], removed_edges: [] },
  });
  assert.equal(textDifferenceOf(value, value, options), "");
});

test("a difference names the changed operator, the rewired edge, the signature, the conditions and the name [G6]", () => {
  const program = programOf(["fn f(x: i64, low: i64) -> bool requires x > 0 { x < low }"]);
  const before = functionOf(program, "f1");
  const options = { names: program.names, module: "m0" };
  const after = functionOf(
    draftOf(program, [
      { type: "set_function", function_id: "f1", text: "pub fn f(x: i64, low: i64) -> bool requires x > 1 { x <= x }" },
      { type: "rename_function", function_id: "f1", name: "g" },
    ]),
    "f1",
  );
  const difference = functionDifference(before, after, options);
  assert.deepEqual(difference.added_edges.map((edge) => edge.edge_id).length > 0 && difference.renamed, {
    before: "f",
    after: "g",
  });
  assert.deepEqual(difference.conditions, { added: ["requires x > 1"], removed: ["requires x > 0"] });
  assert.equal(difference.signature?.after.text, "pub fn g(x: i64, low: i64) -> bool");
  assert.match(textDifferenceOf(before, after, options), /^@@ -1 \+1 @@\n-fn f[^]*\n\+ {2}x <= x/u);
  const small = functionOf(
    draftOf(program, [
      { type: "set_function", function_id: "f1", text: functionText(before, options).replace("> 0", "> 5") },
    ]),
    "f1",
  );
  const [modified, more] = functionDifference(before, small, options).modified_nodes;
  assert.deepEqual([modified?.before, modified?.after, more], ["0", "5", undefined]);
});

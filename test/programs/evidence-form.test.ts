/** The recorded form of evidence: what it leaves out is found again, and a small change is small in the journal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { jsonPatch } from "../../server/src/features/entities/json/json-patch.ts";
import { changedFunction, functionChange, patchOf } from "../../server/src/packs/programs/function-change.ts";
import { functionText } from "../../server/src/packs/programs/language/function-text.ts";
import { writeFunction } from "../../server/src/packs/programs/language/write-function.ts";
import { findItem } from "../../server/src/packs/programs/program-value.ts";
import { evidenceOf, findingsOf, hasCurrentNumbers } from "../../server/src/packs/programs/recorded-findings.ts";
import type { RecordedFindings } from "../../server/src/packs/programs/recorded-findings.ts";
import type { MutationFindings } from "../../server/src/packs/programs/mutation-findings.ts";
import { leafText } from "../../bench/program-node.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { editedText } from "./edited-text.ts";
import { functionOf, hash, programOf } from "./program-fixture.ts";
import { ledger } from "./programs-node.ts";
import { ProgramWriter } from "./random-program.ts";

test("a recorded difference and its patch, applied to the base, give the checked function [G7]", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const random = new Random(seed);
      const program = programOf(new ProgramWriter(random).texts(4));
      const options = { names: program.names, module: "m0" };
      for (const id of program.functionIds()) {
        const base = functionOf(program, id);
        let current = base;
        for (let edit = 0; edit < 3; edit += 1) {
          const text = editedText(random, `/// ${random.below(3)}\n${functionText(current, options)}`);
          current = writeFunction(text, { scope: program, module: "m0", base: current, hash }).value ?? current;
        }
        compared += current.hash === base.hash ? 0 : 1;
        for (const [from, to] of [
          [base, current],
          [current, base],
        ] as const) {
          const change = functionChange(from, to);
          assert.deepEqual(changedFunction(from, change), to, `seed ${seed}, ${id}`);
          const limits = { ...inputLimits, workMax: Infinity };
          const patched = jsonPatch(from as unknown as Json, patchOf(from, change) as unknown as Json, limits);
          assert.deepEqual(patched.ok && patched.value, to, `seed ${seed}, ${id}`);
        }
      }
    }),
    { numRuns: counts.programRuns, seed: 13 },
  );
  assert.ok(compared >= counts.programRuns, `${compared} functions were changed`);
});

test("findings are the same after they were recorded, with every member at its usual and at another value [G7]", () => {
  const mark = "a".repeat(32);
  const item = "function/f1";
  const expected = { f1: mark.repeat(2) };
  const verdict = {
    check: "programs/1",
    ok: true,
    checked: 2,
    tested: 1,
    untested: 0,
    cases: 24,
    steps: 5,
    warnings: 0,
  };
  const usual: MutationFindings = {
    ...{ check: "programs/1", structure: "s", settings: { cases: 24, steps: 100_000_000 }, bases: { [item]: mark } },
    ...{ reads: {}, users: {}, writes: [], created: [], new_calls: [], types: [] },
    ...{ verdict: { ...verdict, too_large: false }, is_invalid: false, errors: [] },
  };
  const others: readonly Partial<MutationFindings>[] = [
    {},
    { settings: { cases: 25, steps: 100_000_000 } },
    { bases: { [item]: "b".repeat(32) } },
    { bases: { [item]: null } },
    { bases: { [item]: mark, "type/t1": mark } },
    { reads: "all", chain: "c" },
    { reads: { "function/f2": `h:${mark}` }, users: { [item]: 0, "function/f2": 3 } },
    { writes: [{ item: "function/f3", value: null }], next_chain: "d", next_structure: "e" },
    { created: [{ kind: "function", id: "f3" }], next: { f: 4, t: 1, m: 1 } },
    { new_calls: ["f2"], types: ["t1"] },
    { verdict: { ...verdict, ok: false, too_large: true, untested: 2, warnings: 1 } },
    { is_invalid: true },
  ];
  for (const other of others) {
    const findings = { ...usual, ...other };
    const recorded = evidenceOf(findings, expected, () => undefined);
    assert.deepEqual(findingsOf(recorded, { expected, touched: [item] }), findings);
  }
  assert.deepEqual(Object.keys(evidenceOf(usual, expected, () => undefined) as JsonObject), [
    ...["check", "structure", "verdict"],
  ]);
});

test("a change of one line records one statement, in at most twice the bytes of replace-entity of the text [G7]", async () => {
  const { node, ann } = await ledger([leafText("leaf", 0)]);
  await using _ = node;
  await ann.lock(["f1"]);
  const { position, functions } = await ann.done("programs.mutate", {
    mutations: [{ type: "set_function", function_id: "f1", text: leafText("leaf", 1) }],
    expected_hashes: await ann.hashes("f1"),
  });
  const plain = { type: "text", id: "leaf", value: { text: leafText("leaf", 0) } };
  await ann.done("create-entity", plain);
  const { position: replaced } = await ann.send("replace-entity", { ...plain, value: { text: leafText("leaf", 1) } });
  const [mutation, peer] = await node.engine.entriesAt([position as number, replaced]);
  const { writes } = mutation?.evidence as unknown as { readonly writes: readonly JsonObject[] };
  const [{ hash: newHash }] = functions as unknown as readonly [{ readonly hash: string }];
  assert.deepEqual(writes, [
    {
      item: "function/f1",
      numbers: writes[0]?.["numbers"] as number,
      members: { hash: newHash },
      body: [0, 1, '[10,"let","a",null,[11,"add_wrap",1,[12,"const","int","1"]]]'],
    },
  ]);
  const bytes = (entry: unknown): number => JSON.stringify(entry).length;
  assert.ok(bytes(mutation) <= 2 * bytes(peer), `${bytes(mutation)} and ${bytes(peer)} bytes`);
});

test("a difference does not fit a function with the same hash and other ids of nodes [G7]", async () => {
  const [sum, choice] = ["x +% 1", "if x > 2 { 5 } else { x }"].map((body) => `pub fn leaf(x: i64) -> i64 { ${body} }`);
  const { node, ann } = await ledger([sum as string]);
  await using _ = node;
  const current = async () => {
    const found = await node.engine.scan((state) => findItem(state, "ledger", "function/f1"));
    assert.ok(found?.kind === "function");
    return found;
  };
  const before = await current();
  await ann.lock(["f1"]);
  for (const text of [choice, sum]) await ann.set({ f1: text as string });
  const after = await current();
  assert.equal(after.hash, before.hash);
  assert.notDeepEqual(after.body, before.body);
  const findings = {
    check: "programs/1",
    users: {},
    bases: {},
    verdict: {},
    writes: [{ item: "function/f1", value: after }],
  };
  const isCurrent = (base: typeof before) =>
    node.engine.scan((state) => {
      const evidence = evidenceOf(findings as unknown as MutationFindings, {}, () => base);
      const found = findingsOf(evidence, { expected: {}, touched: [] }) as RecordedFindings;
      return hasCurrentNumbers(found, state, "ledger");
    });
  assert.deepEqual([await isCurrent(before), await isCurrent(after)], [false, true]);
});

test("the history of mutations has the versions of the items, also if the mutation released their locks [G10]", async () => {
  const { node, ann } = await ledger([leafText("leaf", 0)]);
  await using _ = node;
  await ann.lock(["f1"]);
  await ann.set({ f1: leafText("leaf", 1) }, { release: true });
  const { items } = await ann.done("programs.list-mutations", { limit: 2 });
  const shown = (items as JsonObject[]).map(({ version, items: changed }) => [version, changed]);
  const { hash: current } = await ann.done("programs.get-function", { function_id: "f1" });
  const { hash: first } = await ann.done("programs.get-function", { function_id: "f1", version: 1 });
  assert.deepEqual(shown, [
    [3, [{ item: "function/f1", change: "changed", hash: current, version: 2 }]],
    [2, [{ item: "function/f1", change: "added", hash: first, version: 1 }]],
  ]);
});

/** The comparison of evidence with the state of its decision. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../../server/src/packs/programs/fits.ts";
import { findingsOf } from "../../server/src/packs/programs/recorded-findings.ts";
import type { MutationFindings } from "../../server/src/packs/programs/mutation-findings.ts";
import { findProgram } from "../../server/src/packs/programs/program-value.ts";
import { codeOf, ledger } from "./programs-node.ts";

test("evidence fits only if bases, reads, users, structure and settings are those of the decision [G7 G9]", async () => {
  const { node, ann } = await ledger([
    "pub fn leaf(x: i64) -> i64 { x }",
    "pub fn user(x: i64) -> i64 ensures result == x { leaf(x) }",
  ]);
  await using _ = node;
  await ann.lock(["f1"]);
  const mutations = [{ type: "set_function", function_id: "f1", text: "pub fn leaf(x: i64) -> i64 { x + 1 }" }];
  const input = { mutations, expected_hashes: await ann.hashes("f1") };
  // A refusal under a key is recorded with its evidence, and leaves the state as it was.
  assert.equal(codeOf(await ann.send("programs.mutate", input, "k1")), "programs.verification_failed");
  const [entry] = await node.engine.entriesAfter(node.engine.head.position - 1, { entries: 1, bytes: 1e6 });
  const evidence = findingsOf(entry?.evidence, {
    ...{ expected: input.expected_hashes, touched: ["function/f1"] },
  });
  assert.ok(evidence);
  const isFitting = (changes: Partial<MutationFindings> = {}) =>
    node.engine.read((state) => {
      const program = findProgram(state, "ledger");
      assert.ok(program);
      return fits(state, program, { ...evidence, ...changes });
    });
  assert.equal(await isFitting(), true);
  const { reads, users, bases, settings } = evidence;
  assert.ok(reads !== "all");
  assert.deepEqual(Object.keys(reads), ["function/f2"]);
  assert.deepEqual(users, { "function/f1": 1, "function/f2": 0 });
  const other = "0".repeat(64);
  const changed: readonly (readonly [string, Partial<MutationFindings>])[] = [
    ["another base", { bases: { ...bases, "function/f1": other.slice(0, 32) } }],
    ["a removed base", { bases: { ...bases, "function/f1": null } }],
    ["another content of a caller", { reads: { "function/f2": `h:${other.slice(0, 32)}` } }],
    ["another signature of a callee", { reads: { ...reads, "function/f1": `s:${other.slice(0, 32)}` } }],
    ["one caller less", { users: { ...users, "function/f1": 0 } }],
    ["one caller more", { users: { ...users, "function/f1": 2 } }],
    ["another structure", { structure: other }],
    ["other settings", { settings: { ...settings, cases: settings.cases + 1 } }],
    ["another check", { check: "programs/0" }],
    ["another history, if everything was read", { reads: "all", chain: other }],
  ];
  for (const [what, changes] of changed) assert.equal(await isFitting(changes), false, what);
});

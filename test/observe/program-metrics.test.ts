import assert from "node:assert/strict";
import { test } from "node:test";
import { refusedWith } from "../api/refused-with.ts";
import { observedNode } from "./observed-node.ts";

test("metrics count changes of programs, conflicts, and the rounds of their check, without names [G6 B8]", async () => {
  await using node = await observedNode();
  const { programs } = node.inside;
  await programs.create({ programId: "secret-ledger", name: "Ledger" });
  await programs.edit("secret-ledger", {}, () => [{ type: "add_function", text: "pub fn one() -> i64 { 1 }" }]);
  const stale = { f1: "0".repeat(64) };
  const edit = programs.edit("secret-ledger", { write: ["f1"] }, async ({ f1 }) => {
    const mutations = [{ type: "set_function", functionId: "f1", text: f1.text }] as const;
    await assert.rejects(
      programs.mutate("secret-ledger", { mutations, expectedHashes: stale }),
      refusedWith("programs.hash_conflict"),
    );
    return { f1: "pub fn one() -> i64 { 2 }" };
  });
  assert.equal((await edit).changed, true);
  const { undo } = await programs.getUndo("secret-ledger");
  assert.ok(undo);
  const { hash } = await programs.getFunction("secret-ledger", { functionId: "f1" });
  await using _lock = await node.inside.acquire("program/secret-ledger/function/f1");
  await programs.undo("secret-ledger", { mutation: undo.mutation, expectedHashes: { f1: hash } });
  const metric = (text: string): Promise<number | undefined> => node.metric(`holdfast_${text}`);
  assert.deepEqual(
    [
      await metric('program_mutations_total{what="mutate"}'),
      await metric('program_mutations_total{what="undo"}'),
      await metric('program_mutations_total{what="redo"}'),
      await metric("program_hash_conflicts_total"),
      await metric('check_rounds_count{check="programs/1"}'),
    ],
    [2, 1, 0, 1, 3],
  );
  assert.doesNotMatch(await node.page(), /secret-ledger/u);
});

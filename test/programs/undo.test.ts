import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { codeOf, ledger } from "./programs-node.ts";
import type { ProgramAgent } from "./programs-node.ts";

interface Undoable {
  readonly mutation: number;
  readonly items: readonly { readonly item: string; readonly current_hash: string | null }[];
}

/** The input of an undo or redo of the newest mutation, with current hashes. */
async function undoInput(agent: ProgramAgent, side: "undo" | "redo"): Promise<JsonObject> {
  const found = (await agent.done("programs.get-undo"))[side] as unknown as Undoable;
  const known = found.items.filter(({ item, current_hash: hash }) => hash !== null && !item.startsWith("module/"));
  const hashes = known.map(({ item, current_hash: hash }) => [item.split("/")[1] ?? "", hash ?? ""] as const);
  return { mutation: found.mutation, expected_hashes: Object.fromEntries(hashes) };
}

const undo = async (agent: ProgramAgent, side: "undo" | "redo" = "undo") =>
  agent.send(`programs.${side}`, await undoInput(agent, side));

const one = (value: number): string => `pub fn one() -> i64 {\n  ${String(value)}\n}\n`;

describe("undo and redo", () => {
  test("an agent undoes and redoes its own mutations in order, and a new mutation ends redo [G10]", async () => {
    const { node, ann } = await ledger([one(1)]);
    await using _ = node;
    await ann.lock(["f1"]);
    for (const value of [2, 3]) await ann.set({ f1: one(value) });
    for (const value of [2, 1]) {
      assert.equal(codeOf(await undo(ann)), "done");
      assert.equal(await ann.text("f1"), one(value));
    }
    for (const value of [2, 3]) {
      assert.equal(codeOf(await undo(ann, "redo")), "done");
      assert.equal(await ann.text("f1"), one(value));
    }
    assert.equal((await ann.done("programs.get-undo"))["redo"], null);
    await undo(ann);
    await ann.set({ f1: one(9) });
    assert.equal((await ann.done("programs.get-undo"))["redo"], null, "a new mutation ends redo");
    const { items } = await ann.done("programs.list-mutations", { limit: 3 });
    assert.deepEqual(
      (items as JsonObject[]).map(({ what }) => what),
      ["mutate", "undo", "redo"],
    );
  });

  test("undo never undoes the work of another agent [G10]", async () => {
    const { node, ann } = await ledger([one(1)]);
    await using _ = node;
    const bob = await node.agent("bob");
    await ann.lock(["f1"]);
    await ann.set({ f1: one(2) }, { release: true });
    await bob.lock(["f1"]);
    await bob.set({ f1: one(3) }, { release: true });
    await ann.lock(["f1"]);
    const { outcome } = await undo(ann);
    assert.equal(codeOf({ outcome }), "programs.undo_blocked");
    const { item, agent } = outcome.data as JsonObject;
    assert.deepEqual([item, agent], ["function/f1", bob.id]);
    assert.equal(await ann.text("f1"), one(3));
    const top = (await bob.done("programs.get-undo"))["undo"] as unknown as Undoable;
    const foreign = { mutation: top.mutation, expected_hashes: await ann.hashes("f1") };
    assert.equal(await ann.code("programs.undo", foreign), "programs.nothing_to_undo", "of another agent");
  });

  test("undo needs locks, hashes and a verified result like any other mutation [G7 G9 G10]", async () => {
    const { node, ann } = await ledger([one(1), "pub fn two() -> i64 ensures result == 2 { 2 * one() }"]);
    await using _ = node;
    const bob = await node.agent("bob");
    await ann.lock(["f1"]);
    await ann.set({ f1: "pub fn one() -> i64 { 0 + 1 }" }, { release: true });
    const input = await undoInput(ann, "undo");
    assert.equal(await ann.code("programs.undo", input), "programs.lock_required");
    await ann.lock(["f1"]);
    assert.equal(await ann.code("programs.undo", { ...input, expected_hashes: {} }), "programs.hashes_required");
    await bob.lock(["f2"]);
    assert.equal(await ann.code("programs.undo", input), "done");
    assert.equal((await ann.done("programs.verify"))["valid"], true);
  });

  test("structure steps are undone and redone, with the same ids and hashes [G8 G10]", async () => {
    const { node, ann } = await ledger([one(1)]);
    await using _ = node;
    await ann.lock(["f1"]);
    const before = await ann.done("programs.export");
    await ann.mutate([
      { type: "add_module", name: "billing" },
      { type: "add_type", text: "struct Box { side: i64, }", module_id: "m1" },
      { type: "add_function", text: "pub fn area(b: Box) -> i64 { b.side }", module_id: "m1" },
    ]);
    const after = await ann.done("programs.export");
    await ann.mutate([{ type: "rename_function", function_id: "f1", name: "uno" }], await ann.hashes("f1"));
    const top = (await ann.done("programs.get-undo"))["undo"] as JsonObject;
    assert.deepEqual([top["write"], top["structure"]], [["f1"], true], "a rename changes the structure");
    assert.equal(codeOf(await undo(ann)), "done");
    await ann.lock(["f2"]);
    assert.equal(codeOf(await undo(ann)), "done");
    assert.deepEqual(await ann.done("programs.export"), before);
    assert.equal(codeOf(await undo(ann, "redo")), "done");
    assert.deepEqual(await ann.done("programs.export"), after);
    assert.equal((await ann.done("programs.verify"))["valid"], true);
  });

  test("an ended agent leaves no stack behind, and an undo under a key is replayed [G10 X2]", async () => {
    const { node, ann } = await ledger([one(1)]);
    await using _ = node;
    await ann.lock(["f1"]);
    await ann.set({ f1: one(2) });
    const input = await undoInput(ann, "undo");
    const first = await ann.send("programs.undo", input, "u1");
    const again = await ann.send("programs.undo", input, "u1");
    assert.deepEqual([codeOf(first), again.outcome], ["done", first.outcome]);
    assert.equal(await ann.text("f1"), one(1));
    assert.equal(await ann.code("programs.undo", input), "programs.nothing_to_undo");
  });
});

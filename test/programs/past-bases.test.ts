/** Conflicts and reads whose base is in the archive or was erased, and runs of a past program. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { readDataFolder } from "../../server/src/assembly/data-folder.ts";
import { openFolder, withFolder } from "../conformance/sqlite-folder.ts";
import { codeOf, ledger, programsNode } from "./programs-node.ts";
import type { ProgramAgent } from "./programs-node.ts";

const one = (value: number): string => `pub fn one() -> i64 { ${String(value)} }`;

/** The conflict of a mutation with an outdated hash. */
async function conflictOf(agent: ProgramAgent, hash: string): Promise<JsonObject> {
  const { outcome } = await agent.mutate([{ type: "set_function", function_id: "f1", text: one(9) }], { f1: hash });
  assert.equal(codeOf({ outcome }), "programs.hash_conflict");
  const [conflict = {}] = (outcome.data as { conflicts: JsonObject[] }).conflicts;
  return conflict;
}

describe("past versions", () => {
  test(
    "a conflict whose base is in a missing archive has no changes and gives the reason [G6 X4]",
    withFolder(async (folder) => {
      const journal = await openFolder(folder);
      const { node, ann } = await ledger([one(1)], { journal });
      const base = await ann.hash("f1");
      const { position } = node.engine.head;
      await ann.lock(["f1"]);
      await ann.set({ f1: one(2) });
      assert.deepEqual((await conflictOf(ann, base))["versions_between"], 1, "the base is still there");
      await ann.set({ f1: one(3) }, { release: true });
      await node.engine.checkpoint();
      await journal.archive(position);
      const [segment = ""] = await readdir(join(folder, "archive"));
      await node.client.close();
      await rename(join(folder, "archive", segment), join(folder, "moved-away"));
      const later = await programsNode({ journal: await openFolder(folder) });
      await using _ = later;
      const bob = await later.agent("bob");
      await bob.lock(["f1"]);
      const conflict = await conflictOf(bob, base);
      assert.equal(conflict["changes"], null);
      assert.match(conflict["changes_reason"] as string, /^archived/u);
      assert.deepEqual([conflict["expected_hash"], conflict["current_hash"]], [base, await bob.hash("f1")]);
      assert.equal(await bob.code("programs.get-function", { function_id: "f1", hash: base }), "history_archived");
      const past = { function_id: "f1", inputs: [], position };
      assert.equal(await bob.code("programs.simulate-function", past), "history_archived");
    }),
  );

  test("a conflict whose base was erased has no changes and gives the reason [G6 X1 X4]", async () => {
    const { node, ann } = await ledger([one(1), "pub fn other() -> i64 { 0 }"]);
    await using _ = node;
    const base = await ann.hash("f1");
    const { position } = node.engine.head;
    const bob = await node.agent("bob");
    await bob.lock(["f1", "f2"]);
    // A removal and its undo record the whole function. The program itself is recorded whole after 64 versions.
    const remove = { type: "remove_function", function_id: "f1" };
    const removed = await bob.done("programs.mutate", { mutations: [remove], expected_hashes: { f1: base } });
    await bob.done("programs.undo", { mutation: removed["position"] ?? 0, expected_hashes: {} });
    await bob.set({ f1: one(2) });
    for (let value = 1; value <= 70; value += 1)
      assert.equal(codeOf(await bob.set({ f2: `pub fn other() -> i64 { ${String(value)} }` })), "done");
    const erase = () => node.client.execute("erase-payload", { position, reason: "asked for" });
    await bob.done("end-agent", { agent_id: bob.id });
    assert.equal(codeOf(await erase()), "entry_in_use", "the agent can still undo it");
    await ann.done("end-agent", { agent_id: ann.id });
    assert.equal(codeOf(await erase()), "done");
    const cara = await node.agent("cara");
    await cara.lock(["f1"]);
    assert.equal((await conflictOf(cara, base))["versions_between"], 1, "the undo recorded the same version again");
    const unknown = await conflictOf(cara, "0".repeat(64));
    assert.equal(unknown["changes"], null);
    assert.match(unknown["changes_reason"] as string, /^erased/u);
    const past = { function_id: "f1", inputs: [], position };
    assert.equal(await cara.code("programs.simulate-function", past), "entry_erased");
    assert.equal(await cara.code("programs.get-function", { function_id: "f1", version: 1 }), "entry_erased");
  });

  test(
    "a journal with an erased mutation on which others built is verified from its start [G6 X1]",
    withFolder(async (folder) => {
      const { node, ann } = await ledger([one(0)], { journal: await openFolder(folder) });
      const bob = await node.agent("bob");
      await ann.lock(["f1"]);
      await ann.set({ f1: one(1) });
      const { position } = node.engine.head;
      await ann.done("end-agent", { agent_id: ann.id });
      await bob.lock(["f1"]);
      for (let value = 2; value <= 90; value += 1) await bob.set({ f1: one(value) });
      const erase = () => node.client.execute("erase-payload", { position, reason: "asked for" });
      assert.equal(codeOf(await erase()), "entry_in_use", "bob can undo a change of this version");
      await bob.done("end-agent", { agent_id: bob.id });
      assert.equal(codeOf(await erase()), "done");
      await node.client.close();
      const read = readDataFolder(folder);
      const { ok, erased, firstBad } = await read.verify({ kinds: [], onProgress: () => undefined });
      read.close();
      assert.deepEqual({ ok, erased, firstBad }, { ok: true, erased: 1, firstBad: undefined });
    }),
  );

  test("a function runs as it was at a past position, with the callees and types of that moment [G10]", async () => {
    const { node, ann } = await ledger([
      "struct Box { side: i64, }",
      "pub fn rate() -> i64 { 2 }",
      "pub fn area(b: Box) -> i64 { b.side * rate() }",
    ]);
    await using _ = node;
    const { position } = node.engine.head;
    const run = async (at?: number) => {
      const input = { function_id: "f2", inputs: [{ side: 3 }], ...defined({ position: at }) };
      return (await ann.done("programs.simulate-function", input))["result"];
    };
    await ann.lock(["f1", "f2"]);
    await ann.set({ f1: "pub fn rate() -> i64 { 5 }" });
    const changed = node.engine.head.position;
    assert.deepEqual([await run(), await run(position), await run(changed)], [15, 6, 15]);
    const hashes = await ann.hashes("f2");
    await ann.mutate([{ type: "remove_function", function_id: "f2" }], hashes);
    assert.equal(await run(changed), 15, "also after the function was removed");
    const early = { function_id: "f2", inputs: [{ side: 3 }], position: 1 };
    assert.equal(await ann.code("programs.simulate-function", early), "version_not_found");
  });

  test("a verification of some functions checks them and their transitive callers [G10]", async () => {
    const { node, ann } = await ledger([
      "pub fn leaf(x: i64) -> i64 { x }",
      "pub fn user(x: i64) -> i64 ensures result == x { leaf(x) }",
      "pub fn other(x: i64) -> i64 ensures result == x { x }",
    ]);
    await using _ = node;
    const counts = async (input: JsonObject = {}) => {
      const { valid, functions, tested } = await ann.done("programs.verify", input);
      return [valid, functions, tested];
    };
    assert.deepEqual(await counts(), [true, 3, 2]);
    assert.deepEqual(await counts({ function_ids: ["f1"] }), [true, 2, 1]);
    assert.deepEqual(await counts({ function_ids: ["f3"] }), [true, 1, 1]);
    assert.equal(await ann.code("programs.verify", { function_ids: ["f1", "f9"] }), "programs.not_found");
  });

  test("callers that verify a program at one position share a run, and later callers share the next, which waits [G10]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 ensures result == 1 { 1 }"]);
    await using _ = node;
    const verify = () => ann.done("programs.verify");
    const shown = async () => {
      const { revision, position } = await ann.done("programs.get");
      return [true, revision, position];
    };
    const created = await shown();
    node.hold.begin();
    const first = [verify(), verify(), verify()];
    await node.hold.arrival();
    assert.equal(node.services.checks.status().waiting, 1);
    await ann.done("programs.update", { program_id: "ledger", changes: { name: "Book" }, expected_version: 2 });
    const later = [verify(), verify()];
    const named = ann.done("programs.verify", { function_ids: ["f1"] });
    await ann.done("programs.get");
    assert.equal(node.services.checks.status().waiting, 1, "one run at a time");
    node.hold.pass();
    for (let run = 2; run <= 3; run += 1) {
      await node.hold.arrival();
      assert.equal(node.services.checks.status().waiting, 1);
      node.hold.pass();
    }
    const answers = await Promise.all([...first, ...later, named]);
    const renamed = await shown();
    assert.deepEqual(
      answers.map(({ valid, revision, position }) => [valid, revision, position]),
      [created, created, created, renamed, renamed, renamed],
    );
    assert.notDeepEqual(created, renamed);
    node.hold.end();
    assert.equal((await verify())["valid"], true, "an ended run is not shared");
  });
});

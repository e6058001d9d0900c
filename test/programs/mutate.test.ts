import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { codeOf, ledger } from "./programs-node.ts";
import type { StepInput } from "./programs-node.ts";

const clamp = `/// Keeps x between low and high.
pub fn clamp(x: i64, low: i64, high: i64) -> i64
  requires low <= high
  ensures result >= low and result <= high
{
  // the common case last
  if x < low { low } else if x > high { high } else { x }
}
`;

const errorsOf = (data: unknown): readonly JsonObject[] => (data as { readonly errors: JsonObject[] }).errors;

describe("mutations of programs", () => {
  test("a mutation by text keeps ids, changes the hash, and is verified before it is visible [G2 G6 G9]", async () => {
    const { node, ann } = await ledger([clamp]);
    await using _ = node;
    assert.equal((await ann.text("f1")).startsWith("/// Keeps x"), true);
    const before = await ann.hash("f1");
    await ann.lock(["f1"]);
    const text = (await ann.text("f1")).replace("x < low", "x <= low");
    const reply = await ann.set({ f1: text });
    const { functions, verdict } = reply.outcome.data as { functions: JsonObject[]; verdict: JsonObject };
    assert.deepEqual(
      [functions[0]?.["previous_hash"], functions[0]?.["version"], functions[0]?.["change"]],
      [before, 2, "changed"],
    );
    assert.ok((verdict["cases"] as number) >= 24, "conditions are tested");
    const { text_diff, changes } = await ann.done("programs.diff-functions", { function_id: "f1", from: before });
    assert.match(text_diff as string, /\+.*x <= low/u);
    const { added_nodes, removed_nodes } = changes as { added_nodes: unknown[]; removed_nodes: unknown[] };
    assert.deepEqual([added_nodes.length, removed_nodes.length], [1, 1], "the other nodes keep their ids");
    assert.equal(codeOf(await ann.set({ f1: await ann.text("f1") })), "done");
    assert.equal((await ann.done("programs.get"))["version"], 3, "unchanged text makes no version");
  });

  test("a failed verification changes nothing, keeps the locks and shows a shrunk counter-example [G9]", async () => {
    const { node, ann } = await ledger([clamp, "pub fn zero() -> i64 ensures result == 0 { clamp(0, -1, 1) }"]);
    await using _ = node;
    await ann.lock(["f1"]);
    const text = await ann.text("f1");
    const reply = await ann.set({ f1: clamp.replace("{ high }", "{ high + 1 }") });
    assert.equal(codeOf(reply), "programs.verification_failed");
    const [error] = errorsOf(reply.outcome.data);
    assert.deepEqual([error?.["code"], error?.["function_id"]], ["condition.ensures", "f1"]);
    assert.ok(error?.["inputs"] !== undefined, "the inputs are shown");
    assert.deepEqual((reply.outcome.data as JsonObject)["locks_kept"], ["f1"]);
    assert.equal(await ann.text("f1"), text);
    const typed = await ann.set({ f1: "pub fn clamp(x: i64) -> i64 { x }" });
    assert.deepEqual(
      errorsOf(typed.outcome.data).map(({ code, function_id: id }) => [code, id]),
      [["type.arity", "f2"]],
      "a caller that breaks is found",
    );
    const invalid = await ann.set({ f1: "pub fn clamp(x: i64 -> i64 { x }" });
    assert.equal(codeOf(invalid), "programs.text_invalid");
    assert.equal(errorsOf(invalid.outcome.data)[0]?.["line"], 1);
    assert.equal((await ann.done("programs.verify"))["valid"], true);
    assert.equal(codeOf(await ann.set({ f1: text.replace("common", "usual") })), "done", "the lock was kept");
  });

  test("each step is refused without its lock, with a read lock and with the lock of another agent [G7 M10]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }", "pub fn two() -> i64 { 2 }"]);
    await using _ = node;
    const bob = await node.agent("bob");
    const hashes = await ann.hashes("f1", "f2");
    const ofFunction = { function_id: "f1" };
    const steps: readonly StepInput[] = [
      { type: "set_function", ...ofFunction, text: "pub fn one() -> i64 { 3 }" },
      { type: "insert_node", ...ofFunction, node: { op: "const" }, at: { in: 0, region: "body", index: 0 } },
      { type: "modify_node", ...ofFunction, node_id: 1, attributes: ["int", "5"] },
      { type: "remove_node", ...ofFunction, node_id: 1 },
      { type: "move_node", ...ofFunction, node_id: 1, at: { in: 0, region: "body", index: 0 } },
      { type: "add_edge", ...ofFunction, from: 1, to: 1, port: 0 },
      { type: "remove_edge", ...ofFunction, to: 1, port: 0 },
      { type: "set_conditions", ...ofFunction, ensures: ["result > 0"] },
      { type: "change_signature", ...ofFunction, result: "i32" },
      { type: "remove_function", ...ofFunction },
      { type: "rename_function", ...ofFunction, name: "uno" },
      { type: "move_function", ...ofFunction, module_id: "m0" },
    ];
    await ann.lock(["f1"], "read");
    for (const step of steps)
      assert.equal(codeOf(await ann.mutate([step], hashes)), "programs.lock_required", step.type);
    await ann.release("f1");
    const fence = await bob.lock(["f1"]);
    for (const step of steps) {
      const expected = ["remove_function", "rename_function", "move_function"].includes(step.type)
        ? "programs.structure_locked"
        : "programs.lock_required";
      assert.equal(codeOf(await ann.mutate([step], hashes)), expected, step.type);
    }
    const { outcome } = await ann.mutate(steps.slice(0, 1), hashes);
    const [missing] = (outcome.data as { missing: { function_id: string; holders: JsonObject[] }[] }).missing;
    assert.deepEqual([missing?.function_id, missing?.holders[0]?.["owner_id"]], ["f1", bob.id]);
    await bob.release("f1");
    assert.equal(codeOf(await ann.mutate(steps.slice(0, 1), hashes, { fence })), "programs.lock_required", "lost");
  });

  test("a new call needs the read lock of the callee, and an existing call does not [G7]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }", "pub fn two() -> i64 { 2 }"]);
    await using _ = node;
    const text = "pub fn two() -> i64 { 1 + one() }";
    await ann.lock(["f2"]);
    const refused = await ann.set({ f2: text });
    assert.equal(codeOf(refused), "programs.lock_required");
    const { batch } = refused.outcome.data as { batch: unknown };
    assert.deepEqual(batch, { locks: [{ function_id: "f1", mode: "read" }] });
    await ann.lock(["f1"], "read");
    assert.equal(codeOf(await ann.set({ f2: text })), "done");
    await ann.release("f1");
    assert.equal(codeOf(await ann.set({ f2: "pub fn two() -> i64 { 2 + one() }" })), "done");
  });

  test("150 agents hold read locks of one callee, and the last of them adds a call [G7 M10]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }", "pub fn two() -> i64 { 2 }"]);
    await using _ = node;
    for (let number = 0; number < 149; number += 1) {
      await node.client.run("acquire-lock", {
        ...{ paths: ["program/ledger/function/f1"], mode: "read", owner_id: `reader-${String(number)}` },
      });
    }
    await ann.lock(["f1"], "read");
    await ann.lock(["f2"]);
    assert.equal(codeOf(await ann.set({ f2: "pub fn two() -> i64 { one() + one() }" })), "done");
  });

  test("hashes must be given and current, and a conflict explains what another agent changed [G6 X4]", async () => {
    const { node, ann } = await ledger([clamp]);
    await using _ = node;
    const bob = await node.agent("bob");
    const old = await ann.hash("f1");
    await bob.lock(["f1"]);
    await bob.set({ f1: (await bob.text("f1")).replace("x < low", "x <= low") }, { release: true });
    await ann.lock(["f1"]);
    const step = { type: "set_function", function_id: "f1", text: clamp };
    assert.equal(codeOf(await ann.mutate([step])), "programs.hashes_required");
    const { outcome } = await ann.mutate([step], { f1: old });
    assert.equal(codeOf({ outcome }), "programs.hash_conflict");
    const [conflict] = (outcome.data as { conflicts: JsonObject[] }).conflicts;
    assert.deepEqual(
      [conflict?.["function_id"], conflict?.["expected_hash"], conflict?.["versions_between"]],
      ["f1", old, 1],
    );
    assert.deepEqual(conflict?.["changed_by"], { principal: "local", agent: bob.id });
    const { added_nodes, removed_nodes } = conflict["changes"] as Record<"added_nodes" | "removed_nodes", JsonObject[]>;
    assert.deepEqual([added_nodes[0]?.["text"], removed_nodes[0]?.["text"]], ["x <= low", "x < low"]);
    assert.match(conflict["text_diff"] as string, /^-.*x < low/mu);
    const unknown = await ann.mutate([step], { f1: "0".repeat(64) });
    const [reason] = (unknown.outcome.data as { conflicts: JsonObject[] }).conflicts;
    assert.deepEqual([reason?.["changes"], (reason?.["changes_reason"] as string).slice(0, 7)], [null, "unknown"]);
    assert.equal(
      await ann.code("programs.mutate", { mutations: [{ ...step, function_id: "f9" }], expected_hashes: {} }),
      "programs.not_found",
    );
  });

  test("a replay of a conflict under its key has the same explanation after later changes [G6 X4]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    const old = await ann.hash("f1");
    await ann.lock(["f1"]);
    await ann.set({ f1: "pub fn one() -> i64 { 2 }" });
    const input = {
      mutations: [{ type: "set_function", function_id: "f1", text: "pub fn one() -> i64 { 3 }" }],
      expected_hashes: { f1: old },
    };
    const first = await ann.send("programs.mutate", input, "k");
    await ann.set({ f1: "pub fn one() -> i64 { 4 }" });
    const again = await ann.send("programs.mutate", input, "k");
    assert.equal(codeOf(first), "programs.hash_conflict");
    assert.deepEqual(again.outcome, first.outcome);
  });

  test("six conflicts in a row give 429 for ten minutes, for this agent and this set alone [G11]", async () => {
    let offset = 0;
    const clock = {
      wallMs: () => systemClock.wallMs() + offset,
      monotonicMs: () => systemClock.monotonicMs() + offset,
      after: systemClock.after.bind(systemClock),
      soon: systemClock.soon.bind(systemClock),
    };
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }", "pub fn two() -> i64 { 2 }"], { clock });
    await using _ = node;
    await ann.lock(["f1", "f2"]);
    const wrong = "0".repeat(64);
    const set = (id: string, expected: string) =>
      ann.mutate(
        [{ type: "set_function", function_id: id, text: `pub fn ${id === "f1" ? "one" : "two"}() -> i64 { 7 }` }],
        { [id]: expected },
      );
    for (let number = 1; number <= 5; number += 1) {
      const { outcome } = await set("f1", wrong);
      assert.deepEqual(
        [codeOf({ outcome }), (outcome.data as JsonObject)["tries"]],
        ["programs.hash_conflict", number],
      );
    }
    assert.equal(codeOf(await set("f1", await ann.hash("f1"))), "done", "a success resets the count");
    for (let number = 1; number <= 6; number += 1)
      assert.equal(codeOf(await set("f1", wrong)), "programs.hash_conflict");
    const { outcome } = await set("f1", await ann.hash("f1"));
    assert.equal(codeOf({ outcome }), "programs.too_many_conflicts", "also with the right hash");
    const { retry_after_ms: left } = outcome.data as { retry_after_ms: number };
    assert.ok(left > 590_000 && left <= 600_000);
    assert.equal(codeOf(await set("f2", await ann.hash("f2"))), "done", "another set is not affected");
    offset += 600_001;
    assert.equal(codeOf(await set("f1", await ann.hash("f1"))), "done");
  });

  test("structure changes are refused while another agent locks the structure or a function concerned [G8]", async () => {
    const { node, ann } = await ledger([
      "struct Box { side: i64, }",
      "pub fn one() -> i64 { 1 }",
      "pub fn area(b: Box) -> i64 { b.side }",
    ]);
    await using _ = node;
    const bob = await node.agent("bob");
    const type = await ann.done("programs.get-type", { type_id: "t1" });
    const add = () => ann.mutate([{ type: "add_function", text: "fn extra() -> i64 { 0 }" }]);
    const setType = () =>
      ann.mutate([{ type: "set_type", type_id: "t1", text: "struct Box { side: i64, depth: i64, }" }], {
        t1: type["hash"] as string,
      });
    await bob.lock(["f1"], "read");
    assert.equal(codeOf(await setType()), "done", "a lock of a function that does not use the type does not block");
    await bob.lock(["f2"], "read");
    const hash = (await ann.done("programs.get-type", { type_id: "t1" }))["hash"] as string;
    const back = { type: "set_type", type_id: "t1", text: "struct Box { side: i64, }" };
    const blocked = await ann.mutate([back], { t1: hash });
    assert.equal(codeOf(blocked), "programs.structure_locked");
    assert.equal((blocked.outcome.data as { holders: JsonObject[] }).holders[0]?.["owner_id"], bob.id);
    assert.equal(codeOf(await add()), "done", "adding a function concerns no other");
    const root = { paths: [{ path: "program/ledger", mode: "write", scope: "self" }] };
    await bob.done("acquire-lock", root);
    assert.equal(
      codeOf(await ann.mutate([{ type: "add_function", text: "fn more() -> i64 { 0 }" }])),
      "programs.structure_locked",
    );
    await bob.done("release-lock", { paths: ["program/ledger"] });
    await bob.release("f2");
    assert.equal(codeOf(await ann.mutate([back], { t1: hash })), "done");
    assert.equal((await ann.done("programs.verify"))["valid"], true);
  });

  test("release hands the lock over in the entry of the mutation [X5]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    const bob = await node.agent("bob");
    await ann.lock(["f1"]);
    const path = "program/ledger/function/f1";
    const queued = await bob.done("acquire-lock", { paths: [path], wait: true });
    assert.ok(queued["ticket"]);
    const reply = await ann.set({ f1: "pub fn one() -> i64 { 2 }" }, { release: true });
    assert.deepEqual((reply.outcome.data as JsonObject)["released"], [path]);
    const events = reply.events.map(({ name }) => name);
    assert.ok(events.includes("evt.lock.released") && events.includes("evt.lock.acquired"), events.join(" "));
    assert.equal(await ann.code("release-lock", { paths: [path] }), "lock_not_held");
  });

  test("an id is never used for something else, and general writes of entities are refused [G6]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    await ann.lock(["f1"]);
    await ann.mutate([{ type: "remove_function", function_id: "f1" }], await ann.hashes("f1"));
    const again = await ann.mutate([{ type: "add_function", function_id: "f1", text: "fn other() -> i64 { 1 }" }]);
    assert.equal(codeOf(again), "programs.name_taken");
    const created = await ann.add("fn fresh() -> i64 { 1 }");
    assert.deepEqual(created["created"], [{ kind: "function", id: "f2" }]);
    const write = { type: "program", id: "ledger/function/f2", value: {} };
    assert.equal(await ann.code("replace-entity", write), "programs.own_operations");
    const noAgent = await node.client.execute("programs.mutate", {
      ...{
        program_id: "ledger",
        mutations: [{ type: "add_function", text: "fn a() -> i64 { 1 }" }],
        expected_hashes: {},
      },
    });
    assert.equal(codeOf(noAgent), "agent_required");
  });

  test("only operators set the settings of a program, and an attempt by an agent is recorded [G9]", async () => {
    const { node, ann } = await ledger([]);
    await using _ = node;
    const changes = { changes: { settings: { cases: 8 } }, expected_version: 1 };
    assert.equal(await ann.code("programs.update", changes), "not_allowed");
    const { outcome } = await node.client.execute("programs.update", { program_id: "ledger", ...changes });
    assert.equal(outcome.kind, "done");
    assert.deepEqual((await ann.done("programs.get"))["settings"], { cases: 8, steps: 100_000_000, retries: 5 });
  });

  test("a deleted program is gone at once, and its items are removed by the server [G10]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    const target = { expected_version: 2 };
    assert.equal(await ann.code("programs.delete", target), "programs.lock_required");
    await ann.done("acquire-lock", { paths: [{ path: "program/ledger", mode: "write", scope: "tree" }] });
    const watched = node.client.watch({ after: await node.client.cursor() });
    await ann.done("programs.delete", target);
    assert.equal(await ann.code("programs.get"), "programs.not_found");
    for await (const { subject, name } of watched)
      if (name.endsWith(".deleted") && subject === "program/ledger/module/m0") break;
    assert.equal(await ann.code("get-entity", { type: "program", id: "ledger/function/f1" }), "entity_deleted");
    assert.equal(await ann.code("programs.create", { name: "Another" }), "programs.name_taken");
    await ann.done("programs.create", { program_id: "ledger-2", name: "Another" });
  });
});

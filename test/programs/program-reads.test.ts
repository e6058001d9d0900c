import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { codeOf, ledger } from "./programs-node.ts";

const texts = [
  "struct Account { name: text, cents: i64, invariant cents >= 0 }",
  "pub fn pay(a: Account, sum: i64) -> Account requires sum >= 0 and sum <= a.cents ensures result.cents == a.cents - sum { a with { cents: a.cents - sum } }",
  "pub fn empty(a: Account) -> Account ensures result.cents == 0 { pay(a, a.cents) }",
  "pub fn twice(a: Account) -> Account { empty(empty(a)) }",
] as const;

describe("reads of programs", () => {
  test("100 reads of functions, graphs, lists and calls answer while every function is write-locked [G12]", async () => {
    const { node, ann } = await ledger(texts);
    await using _ = node;
    await ann.lock(["f1", "f2", "f3"]);
    const bob = await node.agent("bob");
    for (let number = 0; number < 25; number += 1) {
      const { text, callees } = await bob.done("programs.get-function", { function_id: "f2" });
      assert.match(text as string, /pay\(a, a\.cents\)/u);
      assert.deepEqual(
        (callees as JsonObject[]).map(({ function_id: id }) => id),
        ["f1"],
      );
      const { nodes, edges } = await bob.done("programs.get-function", { function_id: "f2", view: "graph" });
      assert.ok((nodes as unknown[]).length > 2 && (edges as unknown[]).length > 2);
      const { items } = await bob.done("programs.list-functions");
      assert.deepEqual(
        (items as JsonObject[]).map(({ name, callers, holders }) => [name, callers, (holders as unknown[]).length]),
        [
          ["empty", 1, 1],
          ["pay", 1, 1],
          ["twice", 0, 1],
        ],
      );
      const calls = await bob.done("programs.list-calls", { function_id: "f1" });
      assert.deepEqual(
        (calls["items"] as JsonObject[]).map(({ function_id: id, depth }) => [id, depth]),
        [
          ["f2", 1],
          ["f3", 2],
        ],
      );
    }
  });

  test("the calls of a function name a shortest cycle, and a function outside of it has none [G10]", async () => {
    const { node, ann } = await ledger([
      "pub fn even(n: i64) -> bool { if n == 0 { true } else { odd(n -% 1) } }",
      "pub fn odd(n: i64) -> bool { if n == 0 { false } else { even(n -% 1) } }",
      "pub fn user(n: i64) -> bool { even(n) }",
    ]);
    await using _ = node;
    const cycle = async (function_id: string, direction: string) =>
      (await ann.done("programs.list-calls", { function_id, direction }))["cycle"];
    assert.deepEqual(await cycle("f1", "callees"), ["f1", "f2"]);
    assert.deepEqual(await cycle("f2", "callers"), ["f2", "f1"]);
    assert.deepEqual(await cycle("f3", "callees"), []);
  });

  test("the body of a mutation is a body of check-mutation, which compares no hash and needs no lock [G9]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 ensures result == 1 { 1 }"]);
    await using _ = node;
    const body = (text: string) => ({
      mutations: [{ type: "set_function", function_id: "f1", text }],
      ...{ expected_hashes: { f1: "0".repeat(64) }, description: "try", release: true },
    });
    const right = await ann.done("programs.check-mutation", body("pub fn one() -> i64 ensures result == 1 { 0 + 1 }"));
    assert.deepEqual([right["ok"], right["needs"]], [true, { write: ["f1"], read: [] }]);
    const wrong = await ann.done("programs.check-mutation", body("pub fn one() -> i64 ensures result == 1 { 2 }"));
    assert.deepEqual([wrong["ok"], (wrong["errors"] as JsonObject[])[0]?.["code"]], [false, "condition.ensures"]);
    assert.equal((await ann.done("programs.get"))["version"], 2, "nothing was written");
  });

  test("a list of functions by ids has their texts or graphs, in pages and in the order of names [G12]", async () => {
    const { node, ann } = await ledger(texts);
    await using _ = node;
    const list = async (input: JsonObject) => {
      const { items, next } = await ann.done("programs.list-functions", input);
      return { items: items as JsonObject[], next: next as string | null };
    };
    const both = { function_ids: ["f3", "f2", "f3"], view: "text" };
    const first = await list({ ...both, limit: 1 });
    assert.deepEqual(
      first.items.map(({ function_id: id, text, graph }) => [id, text, graph]),
      [["f2", await ann.text("f2"), undefined]],
    );
    const second = await list({ ...both, limit: 1, after: first.next ?? "" });
    assert.deepEqual([second.items.map(({ text }) => text), second.next], [[await ann.text("f3")], null]);
    const { text, nodes, edges } = await ann.done("programs.get-function", {
      ...{ function_id: "f1", view: "full", ids: true },
    });
    const { items } = await list({ function_ids: ["f1", "f2"], name: "p", view: "full", ids: true });
    assert.deepEqual(
      items.map((item) => [item["text"], item["graph"], item["nodes"]]),
      [[text, { nodes, edges }, items[0]?.["nodes"]]],
    );
    assert.match(text as string, /#\d/u);
    const plain = await list({ function_ids: ["f1"] });
    assert.deepEqual(["text" in (plain.items[0] ?? {}), "graph" in (plain.items[0] ?? {})], [false, false]);
    assert.deepEqual((await list({ function_ids: ["f1"], module_id: "m9" })).items, []);
    assert.equal(await ann.code("programs.list-functions", { function_ids: ["f1", "f9"] }), "programs.not_found");
  });

  test("a page of texts ends after 10,000 nodes, and a page without texts does not", async () => {
    const steps = "s = s + 1; ".repeat(480);
    const { node, ann } = await ledger([]);
    await using _ = node;
    const names = ["a", "b", "c", "d", "e", "g", "h"];
    await ann.add(...names.map((name) => `pub fn ${name}(x: i64) -> i64 { var s: i64 = x; ${steps}s }`));
    const shown = async (input: JsonObject) => {
      const { items, next } = await ann.done("programs.list-functions", input);
      return { names: (items as JsonObject[]).map(({ name }) => name), next };
    };
    assert.deepEqual(await shown({}), { names, next: null });
    const { names: some, next } = await shown({ view: "text" });
    assert.ok(some.length > 0 && some.length < names.length);
    assert.deepEqual((await shown({ view: "text", after: next as string })).names, names.slice(some.length));
  });

  test("a function is simulated and tested, and conditions are evaluated on every call [G10]", async () => {
    const { node, ann } = await ledger(texts);
    await using _ = node;
    const account = { name: "ann", cents: 5 };
    const run = (inputs: JsonObject) => ann.done("programs.simulate-function", { function_id: "f1", inputs });
    assert.deepEqual((await run({ a: account, sum: 2 }))["result"], { name: "ann", cents: 3 });
    assert.equal((await run({ a: account, sum: 9 }))["status"], "condition_failed");
    assert.equal(await ann.code("programs.simulate-function", { function_id: "f1", inputs: [1] }), "input_invalid");
    const tested = await ann.done("programs.test-function", { function_id: "f2", cases: 50 });
    assert.deepEqual([tested["cases"], tested["failures"]], [50, []]);
    const verified = await ann.done("programs.verify");
    const share = (verified["tested"] as number) / ((verified["tested"] as number) + (verified["untested"] as number));
    assert.ok(share >= 0.9, `the share of tested functions is ${String(share)}`);
  });

  test("export and import into an empty program give the same text, ids and hashes [G10]", async () => {
    const { node, ann } = await ledger(texts);
    await using _ = node;
    const { text, next } = await ann.done("programs.export");
    assert.equal(next, null);
    await ann.done("programs.create", { program_id: "copy", name: "Copy" });
    await ann.done("programs.import", { program_id: "copy", text: text as string });
    assert.equal((await ann.done("programs.export", { program_id: "copy" }))["text"], text);
    const copied = await ann.done("programs.get-function", { program_id: "copy", function_id: "f2" });
    assert.equal(copied["hash"], await ann.hash("f2"));
    assert.equal(
      await ann.code("programs.import", { program_id: "copy", text: text as string }),
      "programs.lock_required",
    );
    const { outcome } = await node.client.execute("programs.list", {});
    const { items } = outcome.data as { items: JsonObject[] };
    assert.deepEqual(
      items.map(({ program_id: id }) => id),
      ["copy", "ledger"],
    );
  });

  test("a check of a mutation writes nothing and names the locks and hashes that it needs [G9]", async () => {
    const { node, ann } = await ledger(texts);
    await using _ = node;
    const { position } = node.engine.head;
    const step = {
      type: "set_function",
      function_id: "f3",
      text: "pub fn twice(a: Account) -> Account { pay(empty(a), 0) }",
    };
    const checked = await ann.done("programs.check-mutation", { mutations: [step] });
    assert.deepEqual([checked["ok"], checked["needs"]], [true, { write: ["f3"], read: ["f1"] }]);
    const wrong = { ...step, text: "pub fn twice(a: Account) -> Account { pay(a, 1) }" };
    const refused = await ann.done("programs.check-mutation", { mutations: [wrong] });
    const [error] = refused["errors"] as JsonObject[];
    assert.deepEqual([refused["ok"], error?.["code"], error?.["because"]], [false, "condition.requires", "f1"]);
    assert.equal(node.engine.head.position, position);
  });

  test("past versions are read by version, position and hash, and listed with their authors [G10]", async () => {
    const { node, ann } = await ledger(["pub fn one() -> i64 { 1 }"]);
    await using _ = node;
    const first = await ann.done("programs.get-function", { function_id: "f1" });
    await ann.lock(["f1"]);
    for (const value of [2, 3]) await ann.set({ f1: `pub fn one() -> i64 { ${String(value)} }` });
    for (const at of [{ version: 1 }, { position: first["position"] ?? 0 }, { hash: first["hash"] ?? "" }]) {
      const past = await ann.done("programs.get-function", { function_id: "f1", ...at });
      assert.deepEqual([past["text"], past["version"], past["hash"]], [first["text"], 1, first["hash"]]);
    }
    const { items, next } = await ann.done("programs.list-function-history", { function_id: "f1", limit: 2 });
    assert.deepEqual([(items as JsonObject[]).map(({ version }) => version), next], [[3, 2], 2]);
    assert.equal(await ann.code("programs.get-function", { function_id: "f9" }), "programs.not_found");
    assert.equal(await ann.code("programs.get-function", { function_id: "f1", version: 9 }), "version_not_found");
  });

  test("mutations by node change single nodes, and the answer has new ids in the order of the steps [G6]", async () => {
    const { node, ann } = await ledger(["pub fn one(x: i64) -> i64 { x + 1 }"]);
    await using _ = node;
    await ann.lock(["f1"]);
    const { nodes } = await ann.done("programs.get-function", { function_id: "f1", view: "graph" });
    const added = (nodes as JsonObject[]).find(({ op }) => op === "add");
    const step = { type: "modify_node", function_id: "f1", node_id: added?.["node_id"] ?? 0, op: "mul" };
    assert.equal(codeOf(await ann.mutate([step], await ann.hashes("f1"))), "done");
    assert.match(await ann.text("f1"), /x \* 1/u);
    const broken = { type: "insert_node", function_id: "f1", node: { op: 7 }, at: { in: 0, region: "body", index: 0 } };
    assert.equal(codeOf(await ann.mutate([broken], await ann.hashes("f1"))), "programs.text_invalid");
  });
});

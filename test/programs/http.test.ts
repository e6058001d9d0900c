/** Programs over plain HTTP: every promise of the pack, with its statuses. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { httpServer } from "../http/http-server.ts";
import type { HttpAnswer, HttpServer, JsonBody } from "../http/http-server.ts";

let server: HttpServer;
before(async () => {
  server = await httpServer();
});
after(() => server.close());

type Headers = Record<string, string>;

async function agent(name: string): Promise<Headers> {
  const { body } = await server.request("POST", "/v1/agents/register", { body: { name } });
  return { "x-agent-id": String(body["agent_id"]), "x-agent-secret": String(body["secret"]) };
}

/** A program with its routes. */
function routesOf(id: string) {
  const at = `/v1/programs/${id}`;
  const post = (path: string, body: JsonBody, headers: Headers = {}): Promise<HttpAnswer> =>
    server.request("POST", `${at}/${path}`, { body, headers });
  const get = (path: string): Promise<HttpAnswer> => server.request("GET", `${at}/${path}`);
  const hash = async (of: string) => (await get(`functions/${of}`)).body["hash"] as string;
  return {
    post,
    get,
    hash,
    add: (headers: Headers, ...texts: readonly string[]) =>
      post(
        "mutations",
        { mutations: texts.map((text) => ({ type: "add_function", text })), expected_hashes: {} },
        headers,
      ),
    /** Replaces the text of a function. */
    set: async (headers: Headers, of: string, text: string, more: JsonBody = {}): Promise<HttpAnswer> => {
      const mutations = [{ type: "set_function", function_id: of, text }];
      return post("mutations", { mutations, expected_hashes: { [of]: await hash(of) }, ...more }, headers);
    },
  };
}

async function program(id: string, headers: Headers, ...texts: readonly string[]) {
  const made = await server.request("POST", "/v1/programs", { body: { program_id: id, name: id }, headers });
  assert.equal(made.status, 201, made.text);
  const routes = routesOf(id);
  assert.equal((await routes.add(headers, ...texts)).status, 200);
  return routes;
}

const code = ({ status, body }: HttpAnswer): readonly unknown[] => [status, body["code"]];

describe("programs over HTTP", () => {
  test("a denial and the status of a program name the holder, and a batch of functions is all or nothing [G2 G3 G4]", async () => {
    const [ann, bob] = [await agent("ann"), await agent("bob")];
    const { post, get } = await program("locked", ann, "pub fn a() -> i64 { 1 }", "pub fn b() -> i64 { 1 }");
    const batch = { locks: [{ function_id: "f2" }, { function_id: "f1" }], description: "renames a" };
    assert.equal((await post("locks/batch", batch, ann)).status, 200);
    const denied = await post("locks/batch", { locks: [{ function_id: "f3" }, { function_id: "f1" }] }, bob);
    assert.equal(denied.status, 409);
    const [denial] = denied.body["denials"] as readonly { holder: JsonBody; queue_position: number }[];
    const { agent_id: id, agent_name, description, acquired_at, expires_at } = denial?.holder ?? {};
    assert.deepEqual([id, agent_name, description], [ann["x-agent-id"], "ann", "renames a"]);
    const lease = Date.parse(expires_at as string) - Date.parse(acquired_at as string);
    assert.deepEqual([lease, denial?.queue_position], [1_800_000, 1], "a lease of 30 minutes without a heartbeat");
    assert.equal((await post("locks/acquire", { function_id: "f3" }, bob)).status, 200, "the batch left nothing");
    const queued = await post("locks/acquire", { function_id: "f1", wait: true }, bob);
    assert.deepEqual([queued.status, queued.body["queue_position"]], [202, 1]);
    const shown = (await get("locks")).body["locks"] as readonly { function_id: string; queue: readonly JsonBody[] }[];
    assert.equal(shown.find((row) => row.function_id === "f1")?.queue[0]?.["agent_name"], "bob");
  });

  test("a list of functions takes ids and a view in its query, and refuses unknown ones [G12]", async () => {
    const ann = await agent("ann");
    const { get } = await program("listed", ann, "pub fn a() -> i64 { 1 }", "pub fn b() -> i64 { 2 }");
    const { status, body } = await get("functions?function_ids=f2&function_ids=f1&view=text&ids=true");
    const items = body["items"] as readonly JsonBody[];
    assert.deepEqual([status, items.map(({ function_id: id }) => id)], [200, ["f1", "f2"]]);
    assert.match(String(items[1]?.["text"]), /^pub fn b\(\) -> i64 \{\n {2}2#\d+\n/u);
    assert.deepEqual(code(await get("functions?function_ids=f9")), [404, "programs.not_found"]);
    for (const query of ["view=tree", "ids=1", "function_ids=F1", "function_ids="])
      assert.deepEqual(code(await get(`functions?${query}`)), [422, "input_invalid"], query);
  });

  test("an ended agent and an expired lease free functions for the next in the queue [G1 G5]", async () => {
    const [ann, bob] = [await agent("ann"), await agent("bob")];
    const { post, get } = await program("freed", ann, "pub fn a() -> i64 { 1 }", "pub fn b() -> i64 { 1 }");
    await post("locks/acquire", { function_id: "f1" }, ann);
    await post("locks/acquire", { function_id: "f2", ttl_seconds: 1 }, ann);
    for (const id of ["f1", "f2"]) await post("locks/acquire", { function_id: id, wait: true }, bob);
    const holder = async (of: string) => {
      const rows = (await get("locks")).body["locks"] as readonly {
        function_id: string;
        holders: readonly JsonBody[];
      }[];
      return rows.find((row) => row.function_id === of)?.holders[0]?.["agent_name"];
    };
    const wanted = { body: { function_id: "f2", wait: true }, headers: { ...bob, prefer: "wait=20" } };
    assert.equal((await server.request("POST", "/v1/programs/freed/locks/acquire", wanted)).status, 200);
    assert.deepEqual([await holder("f1"), await holder("f2")], ["ann", "bob"], "the lease of f2 has expired");
    const end = await server.request("DELETE", `/v1/agents/${ann["x-agent-id"] ?? ""}`, { headers: ann });
    assert.equal(end.status, 200);
    assert.equal(await holder("f1"), "bob");
  });

  test("mutations answer 428, 423, 409 with the difference, 422 with a counter-example, and 200 in one entry [G2 G6 G7 G9]", async () => {
    const [ann, bob] = [await agent("ann"), await agent("bob")];
    const clamp = (test: string): string =>
      `pub fn clamp(x: i64, low: i64) -> i64 ensures result >= low { if x ${test} low { low } else { x } }`;
    const { post, set, get, hash } = await program(
      "edited",
      ann,
      clamp("<"),
      "pub fn user(x: i64) -> i64 { clamp(x, 0) }",
    );
    const old = await hash("f1");
    const mutations = [{ type: "set_function", function_id: "f1", text: clamp("<=") }];
    assert.deepEqual(code(await post("mutations", { mutations, expected_hashes: {} }, ann)), [
      428,
      "programs.hashes_required",
    ]);
    const missing = await set(ann, "f1", clamp("<="));
    assert.deepEqual(code(missing), [423, "programs.lock_required"]);
    assert.equal((await post("locks/batch", missing.body["batch"] as JsonBody, ann)).status, 200);
    const failed = await set(ann, "f1", clamp(">"));
    assert.deepEqual(code(failed), [422, "programs.verification_failed"]);
    const [error] = failed.body["errors"] as readonly JsonBody[];
    assert.deepEqual([error?.["code"], error?.["function_id"]], ["condition.ensures", "f1"]);
    assert.deepEqual(failed.body["locks_kept"], ["f1"]);
    const accepted = await set(ann, "f1", clamp("<="), { release: true });
    assert.deepEqual([accepted.status, accepted.body["released"]], [200, ["program/edited/function/f1"]]);
    await post("locks/acquire", { function_id: "f1" }, bob);
    const conflict = await post("mutations", { mutations, expected_hashes: { f1: old } }, bob);
    assert.deepEqual(code(conflict), [409, "programs.hash_conflict"]);
    const [changed] = conflict.body["conflicts"] as readonly { changes: JsonBody; changed_by: JsonBody }[];
    assert.equal(changed?.changed_by["agent"], ann["x-agent-id"]);
    assert.deepEqual(Object.keys(changed?.changes ?? {}).sort(), [
      ...["added_edges", "added_nodes", "modified_nodes", "removed_edges", "removed_nodes"],
    ]);
    assert.equal((await post("verify", {})).body["valid"], true);
    assert.match((await get("functions/f2")).body["text"] as string, /clamp\(x, 0\)/u);
  });

  test("six conflicts in a row answer 429 with the time to retry [G11]", async () => {
    const ann = await agent("ann");
    const { post } = await program("tried", ann, "pub fn a() -> i64 { 1 }");
    await post("locks/acquire", { function_id: "f1" }, ann);
    const mutations = [{ type: "set_function", function_id: "f1", text: "pub fn a() -> i64 { 2 }" }];
    const send = () => post("mutations", { mutations, expected_hashes: { f1: "0".repeat(64) } }, ann);
    for (let number = 1; number <= 6; number += 1)
      assert.deepEqual(code(await send()), [409, "programs.hash_conflict"]);
    const refused = await send();
    assert.deepEqual(code(refused), [429, "programs.too_many_conflicts"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 590, refused.headers.get("retry-after") ?? "");
  });

  test("a structure change is refused while another agent locks the structure [G8]", async () => {
    const [ann, bob] = [await agent("ann"), await agent("bob")];
    const { post, add } = await program("planned", ann, "pub fn a() -> i64 { 1 }");
    assert.equal((await post("locks/acquire", { scope: "structure" }, bob)).status, 200);
    assert.deepEqual(code(await add(ann, "pub fn b() -> i64 { 2 }")), [409, "programs.structure_locked"]);
    assert.equal((await add(bob, "pub fn c() -> i64 { 3 }")).status, 200);
    assert.equal((await post("locks/release", { scope: "structure" }, bob)).status, 200);
    assert.equal((await add(ann, "pub fn b() -> i64 { 2 }")).status, 200);
  });

  test("reads answer while everything is locked, and calls, simulation, undo and redo have their routes [G10 G12]", async () => {
    const [ann, bob] = [await agent("ann"), await agent("bob")];
    const { post, get, set, hash } = await program(
      ...(["read", ann, "pub fn leaf(x: i64) -> i64 { x }", "pub fn user(x: i64) -> i64 { leaf(x) }"] as const),
    );
    await post("locks/acquire", { function_id: "f1" }, ann);
    await set(ann, "f1", "pub fn leaf(x: i64) -> i64 { x * 2 }", { release: true });
    assert.equal((await post("locks/acquire", { scope: "program" }, bob)).status, 200);
    const reads = ["functions", "functions/f1?view=graph", "functions/f1/history", "functions/f1/diff?from=1&to=2"];
    for (const path of [...reads, "calls?function_id=f1", "types", "history", "export", "locks"])
      assert.equal((await get(path)).status, 200, path);
    const run = await post("simulate", { function_id: "f2", inputs: [21] });
    assert.deepEqual([run.body["status"], run.body["result"]], ["returned", 42]);
    assert.equal((await post("property-test", { function_id: "f1", cases: 10 })).status, 200);
    await post("locks/release", { scope: "program" }, bob);
    await post("locks/acquire", { function_id: "f1" }, ann);
    const top = (await server.request("GET", "/v1/programs/read/undo", { headers: ann })).body["undo"] as JsonBody;
    const undo = { mutation: top["mutation"], expected_hashes: { f1: await hash("f1") } };
    const undone = await post("undo", undo, ann);
    assert.equal(undone.status, 200, undone.text);
    assert.equal((await post("simulate", { function_id: "f2", inputs: [21] })).body["result"], 21);
    const redo = { mutation: undone.body["position"], expected_hashes: { f1: await hash("f1") } };
    assert.equal((await post("redo", redo, ann)).status, 200);
    assert.equal((await post("verify", { function_ids: ["f1"] })).body["functions"], 2);
  });
});

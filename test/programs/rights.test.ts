/** Replies to callers that may change a program, or a part of it, and not read all of it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient } from "@holdfast/sdk";
import { programs } from "@holdfast/sdk/contract";
import type { Allowance } from "holdfast";
import { isRejection } from "../../server/src/access/gate.ts";
import { openGate } from "../../server/src/access/open-gate.ts";
import { OperatorToken } from "../../server/src/access/operator-token.ts";
import { behindGate } from "../../server/src/assembly/behind-gate.ts";
import { digestOf } from "../../server/src/base/new-secret.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { checkedTransport } from "../access/checked-transport.ts";
import { ledger, ProgramAgent } from "./programs-node.ts";
import type { ProgramsNode } from "./programs-node.ts";

const operatorSecret = "hf_the-operator-of-these-tests-0123456789";

/** An agent of a principal with these rights, behind the gate that a server uses. */
async function agentWith(node: ProgramsNode, allow: readonly Allowance[]): Promise<ProgramAgent> {
  const gate = openGate({
    ...behindGate(node.services, { requiresAgentSecret: false }),
    ...{ operatorToken: new OperatorToken(digestOf(operatorSecret)), requiresToken: true, clock: systemClock },
  });
  const clientWith = (token: string) => {
    const caller = gate.admit({ isLoopback: true, connection: token, door: "http", token });
    assert.ok(!isRejection(caller), JSON.stringify(caller));
    return createClient(checkedTransport(caller.calls), { retry: false });
  };
  const registers: Allowance = { verbs: ["register"], under: "" };
  const token = await clientWith(operatorSecret).tokens.create({ principal: "bob", allow: [...allow, registers] });
  const client = clientWith(token.secret);
  const { agentId, secret } = await client.agents.register({ name: "bob" });
  return new ProgramAgent(client.as({ agentId, secret }), agentId, "ledger");
}

const writer: readonly Allowance[] = [{ verbs: ["write", "lock"], under: "program" }];

/** The data of a reply. The reply must not contain the secret anywhere. */
async function hidden(agent: ProgramAgent, operation: string, input: JsonObject): Promise<JsonObject> {
  const reply = await agent.send(operation, input);
  assert.doesNotMatch(JSON.stringify(reply), /sesame/iu, operation);
  const { outcome } = reply;
  return { ...(outcome.kind === "refusal" && { code: outcome.code }), ...(outcome.data as JsonObject) };
}

const path = "program/ledger/function/f1";
const whole = { path: "program/ledger", mode: "write", scope: "tree" };
const text = (body: string): string => `pub fn sesame(x: i64) -> i64 ensures result == x { ${body} }`;
const set = (body: string, hash: string): JsonObject => ({
  mutations: [{ type: "set_function", function_id: "f1", text: text(body) }],
  expected_hashes: { f1: hash },
});

describe("rights on programs", () => {
  test("a caller that may write but not read a program changes it, and gets ids and hashes alone [X14 G6 G10]", async () => {
    const { node } = await ledger([]);
    await using _ = node;
    const bob = await agentWith(node, writer);
    const seen = new Set<string>();
    const send = (operation: string, input: JsonObject): Promise<JsonObject> => {
      seen.add(operation);
      return hidden(bob, operation, input);
    };
    assert.equal((await send("programs.create", { program_id: "box", name: "Sesame" }))["version"], 1);
    await send("programs.update", {
      program_id: "box",
      changes: { description: "sesame" },
      expected_version: 1,
    });
    const added = await send("programs.mutate", {
      mutations: [{ type: "add_function", text: text("x") }],
      expected_hashes: {},
    });
    const [first] = added["functions"] as JsonObject[];
    assert.deepEqual(Object.keys(added).sort(), [
      ...["changed", "created", "functions", "position", "program_id", "types", "version"],
    ]);
    assert.deepEqual(Object.keys(first ?? {}).sort(), ["change", "function_id", "hash", "previous_hash", "version"]);
    assert.deepEqual(added["created"], [{ kind: "function", id: "f1" }]);
    const hash = first?.["hash"] as string;
    await bob.done("acquire-lock", { paths: [path] });
    const changed = await send("programs.mutate", { ...set("x + 0", hash), release: true });
    assert.deepEqual(changed["released"], [path]);
    const [now] = changed["functions"] as JsonObject[];
    await bob.done("acquire-lock", { paths: [path] });
    const undone = await send("programs.undo", {
      ...{ mutation: changed["position"] ?? 0, expected_hashes: { f1: now?.["hash"] ?? "" } },
    });
    assert.equal((undone["functions"] as JsonObject[])[0]?.["hash"], hash);
    const redone = await send("programs.redo", { mutation: undone["position"] ?? 0, expected_hashes: { f1: hash } });
    assert.equal(redone["changed"], true, JSON.stringify(redone));
    const imported = await send("programs.import", { program_id: "box", text: `@id("f1")\n${text("x")}` });
    assert.equal(imported["changed"], true, JSON.stringify(imported));
    await bob.done("acquire-lock", { paths: [whole] });
    await send("programs.delete", { expected_version: redone["version"] ?? 0 });
    const writes = programs.operations.filter(({ kind }) => kind === "write").map(({ name }) => name);
    assert.deepEqual([...seen].sort(), writes.sort(), "every write of the pack is covered");
  });

  test("a refusal names codes, ids and hashes to a caller that may not read, and no text, node or counter-example [X14 G6 G9]", async () => {
    const { node, ann } = await ledger([text("x")]);
    await using _ = node;
    const bob = await agentWith(node, writer);
    const hash = await ann.hash("f1");
    const old = "0".repeat(64);
    assert.equal(await bob.code("programs.get-function", { function_id: "f1" }), "not_allowed");
    await ann.done("acquire-lock", { paths: [path], purpose: "sesame" });
    const missing = { function_id: "f1", path, mode: "write", scope: "self" };
    assert.deepEqual(await hidden(bob, "programs.mutate", set("x", hash)), {
      ...{ code: "programs.lock_required", missing: [missing], acquire: [{ path, mode: "write", scope: "self" }] },
      batch: { locks: [{ function_id: "f1", mode: "write" }] },
    });
    await ann.release("f1");
    await bob.done("acquire-lock", { paths: [path] });
    assert.deepEqual(await hidden(bob, "programs.mutate", set("x", old)), {
      ...{ code: "programs.hash_conflict", program_id: "ledger", tries: 1, tries_max: 6 },
      conflicts: [{ function_id: "f1", expected_hash: old, current_hash: hash }],
    });
    const error = { severity: "error", function_id: "f1" };
    const kept = { program_id: "ledger", locks_kept: ["f1"] };
    assert.deepEqual(await hidden(bob, "programs.mutate", set("x + 1", hash)), {
      ...{ code: "programs.verification_failed", ...kept, errors: [{ ...error, code: "condition.ensures" }] },
    });
    assert.deepEqual(await hidden(bob, "programs.mutate", set("sesam(x)", hash)), {
      ...{ code: "programs.text_invalid", ...kept, errors: [{ ...error, code: "name.unknown" }] },
    });
    assert.deepEqual(await hidden(bob, "programs.mutate", { ...set("x", hash), expected_hashes: {} }), {
      ...{ code: "programs.hashes_required", missing: ["f1"] },
    });
    // The replay of a refusal under its key hides as much as the first answer.
    for (const replayed of [false, true]) {
      const reply = await bob.send("programs.mutate", set("x + 1", hash), "k1");
      assert.equal(reply.replayed, replayed);
      assert.doesNotMatch(JSON.stringify(reply), /sesame|inputs|condition"/u);
    }
  });

  test("a caller that may read one function alone gets its findings, and those of others without text [X14 G9]", async () => {
    const { node, ann } = await ledger([
      "pub fn mine(x: i64) -> i64 { guarded(5) }",
      "pub fn guarded(sesame: i64) -> i64 requires sesame > 4 { sesame }",
      "pub fn user(sesame: i64) -> i64 ensures result > 4 { mine(sesame) }",
    ]);
    await using _ = node;
    const bob = await agentWith(node, [{ verbs: ["read", "write", "lock"], under: path }]);
    await bob.done("acquire-lock", { paths: [path] });
    const hash = await ann.hash("f1");
    const mine = (body: string): JsonObject => ({
      mutations: [{ type: "set_function", function_id: "f1", text: `pub fn mine(x: i64) -> i64 { ${body} }` }],
      expected_hashes: { f1: hash },
    });
    const errorsOf = async (body: string) =>
      (await hidden(bob, "programs.mutate", mine(body)))["errors"] as JsonObject[];
    assert.deepEqual(await errorsOf("0"), [{ code: "condition.ensures", severity: "error", function_id: "f3" }]);
    const found = await errorsOf("guarded(x)");
    const [other = {}] = found.filter((error) => error["case_of"] !== undefined);
    const [broken = {}] = found.filter((error) => error["case_of"] === undefined);
    assert.deepEqual([other["case_of"], other["inputs"]], ["f3", undefined], "inputs of another function");
    assert.deepEqual(
      [broken["code"], broken["function_id"], broken["because"], broken["condition"], broken["message"]],
      ["condition.requires", "f1", "f2", undefined, undefined],
    );
    assert.ok(broken["inputs"] !== undefined && broken["line"] !== undefined, "its own function is shown");
    const [unknown = {}] = await errorsOf("sesam");
    assert.deepEqual([unknown["code"], unknown["line"], unknown["suggestion"]], ["name.unknown", 1, undefined]);
    // A type error of its own function has all its members.
    const mismatch = JSON.stringify(await errorsOf('"text"'));
    assert.match(mismatch, /"code":"type.mismatch"/u);
    assert.match(mismatch, /"message":"/u);
    const shown = await ann.send("programs.check-mutation", { mutations: mine("0")["mutations"] ?? [] });
    assert.match(JSON.stringify(shown), /sesame/u, "a caller that may read everything gets the texts");
  });
});

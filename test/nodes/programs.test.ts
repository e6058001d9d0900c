/** Programs on two nodes over one Postgres. Each node has its own thread of checks and its own rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgramAgent, codeOf } from "../programs/programs-node.ts";
import { type PostgresNode, shareJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

async function agentOn({ client }: PostgresNode, name: string): Promise<ProgramAgent> {
  const { agentId, secret } = await client.agents.register({ name });
  return new ProgramAgent(client.as({ agentId, secret }), agentId, "ledger");
}

const lower = { f1: "pub fn f() -> i64 { 0 - 0 }", f2: "pub fn k() -> i64 { 0 * 1 }" };
const higher = { f1: "pub fn f() -> i64 { 1 }", f2: "pub fn k() -> i64 { 1 }" };

test("one of two mutations on two nodes that together break a caller is accepted, and keyed retries on the other node give one answer [G7 G9 X2 X7]", async () => {
  const shared = shareJournal(await processPostgres());
  try {
    const nodes = (await Promise.all([1, 2].map(() => shared.node()))) as [PostgresNode, PostgresNode];
    const [ann, bob] = [await agentOn(nodes[0], "ann"), await agentOn(nodes[1], "bob")];
    await ann.done("programs.create", { program_id: "ledger", name: "Ledger" });
    await ann.add(
      "pub fn f() -> i64 { 1 }",
      "pub fn k() -> i64 { 1 }",
      "pub fn g() -> i64 ensures result > 0 { f() + k() }",
    );
    await ann.lock(["f1"]);
    await bob.lock(["f2"]);
    for (let round = 0; round < 6; round += 1) {
      const replies = await Promise.all([ann.set({ f1: lower.f1 }), bob.set({ f2: lower.f2 })]);
      assert.deepEqual(replies.map(codeOf).sort(), ["done", "programs.verification_failed"], `round ${String(round)}`);
      assert.equal((await bob.done("programs.verify"))["valid"], true);
      assert.deepEqual((await Promise.all([ann.set({ f1: higher.f1 }), bob.set({ f2: higher.f2 })])).map(codeOf), [
        "done",
        "done",
      ]);
    }
    // The same command with the same key, sent to both nodes at once, is one mutation.
    const { version } = await ann.done("programs.get");
    const input = {
      mutations: [{ type: "set_function", function_id: "f1", text: "pub fn f() -> i64 { 7 }" }],
      expected_hashes: await ann.hashes("f1"),
    };
    const twin = new ProgramAgent(nodes[1].client.as({ agentId: ann.id }), ann.id, "ledger");
    const sent = await Promise.all([ann, twin, ann, twin].map((agent) => agent.send("programs.mutate", input, "k1")));
    assert.equal(new Set(sent.map(({ outcome }) => JSON.stringify(outcome))).size, 1);
    assert.equal(codeOf(sent[0] as (typeof sent)[number]), "done");
    assert.equal((await bob.done("programs.get"))["version"], (version as number) + 1);
    assert.equal(await bob.text("f1"), "pub fn f() -> i64 {\n  7\n}\n");
  } finally {
    await shared.close();
  }
});

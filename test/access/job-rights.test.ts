import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowance, Verb } from "@holdfast/sdk/contract";
import type { Client } from "holdfast";
import { gatedNode } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";

async function clientFor(node: GatedNode, name: string, ...allow: readonly [Verb[], string][]): Promise<Client> {
  const rules: Allowance[] = allow.map(([verbs, under]) => ({ verbs, under }));
  return node.clientWith({ token: await node.tokenFor(name, rules), connection: name });
}

test("a token for one type of job submits, works and reads that type and no other [W13]", async () => {
  const node = await gatedNode();
  const sender = await clientFor(node, "sender", [["write"], "job/mail"], [["lock"], "free"]);
  const worker = await clientFor(node, "worker", [["work"], "job/mail"], [["register"], ""]);
  const reader = await clientFor(node, "reader", [["read"], "job/tiles"]);
  const code = async (client: Client, operation: string, input: object): Promise<string> => {
    const { outcome } = await client.execute(operation, input);
    return outcome.kind === "done" ? "done" : outcome.code;
  };
  const job = { type: "mail", id: "j1", payload: "sesame", locks: ["free/x"] };
  assert.equal(await code(sender, "jobs.submit", { ...job, type: "tiles" }), "not_allowed");
  assert.equal(await code(sender, "jobs.submit", { ...job, locks: ["closed/x"] }), "not_allowed");
  const { outcome } = await sender.execute("jobs.submit", job);
  assert.deepEqual(outcome.data, { id: "j1", state: "ready", duplicate: false });
  // A job of another type is answered like one that does not exist.
  for (const client of [sender, reader])
    assert.equal(await code(client, "jobs.get", { id: "j1" }), client === sender ? "not_allowed" : "jobs.unknown");
  assert.equal(await code(reader, "jobs.cancel", { id: "j1" }), "not_allowed");
  const { agentId } = await worker.agents.register({ name: "w" });
  const working = worker.as({ agentId });
  assert.equal(await code(working, "jobs.offer", { types: ["tiles"], slots: 1 }), "not_allowed");
  assert.equal(await code(working, "jobs.take", { types: ["mail", "tiles@disk-1"] }), "not_allowed");
  assert.equal(await code(working, "jobs.take", { types: ["mail@disk-1"] }), "done");
  const offered = await working.execute("jobs.offer", { types: ["mail"], slots: 1 });
  const [started] = (offered.outcome.data as { readonly next: readonly { claim: string; payload: string }[] }).next;
  assert.equal(started?.payload, "sesame");
  assert.equal(await code(sender, "jobs.complete", { id: "j1", claim: started.claim }), "not_allowed");
  assert.equal(await code(working, "jobs.complete", { id: "j1", claim: started.claim }), "done");
  assert.equal(await code(reader, "jobs.get", { id: "j1" }), "jobs.unknown");
  await node.stop();
});

test("only a caller with the right to operate changes the caps of jobs, and the refusal is recorded [W8 W13]", async () => {
  const node = await gatedNode();
  const caller = await clientFor(node, "caller", [["read", "write", "lock", "register", "work"], ""]);
  for (const [operation, input] of [
    ["jobs.configure", { max_global_jobs: 9_999 }],
    ["jobs.pause", { type: "mail" }],
    ["jobs.resume", { type: "mail" }],
  ] as const) {
    const { outcome } = await caller.execute(operation, input);
    assert.equal(outcome.kind === "refusal" && outcome.code, "not_allowed", operation);
  }
  const stats = await caller.execute("jobs.stats", {});
  assert.equal((stats.outcome.data as { readonly max_global_jobs: number }).max_global_jobs, 1_000);
  await node.stop();
});

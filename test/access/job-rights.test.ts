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
  assert.equal(await code(working, "jobs.get", { id: "j1" }), "done");
  assert.equal(await code(sender, "jobs.complete", { id: "j1", claim: started.claim }), "not_allowed");
  assert.equal(await code(working, "jobs.complete", { id: "j1", claim: started.claim }), "done");
  // A worker reads the payloads of its types, and no results.
  for (const client of [reader, working]) assert.equal(await code(client, "jobs.get", { id: "j1" }), "jobs.unknown");
  await node.stop();
});

test("a job waits only for jobs that its sender may read or submit, and others are answered as unknown [W13]", async () => {
  const node = await gatedNode();
  const code = async (client: Client, operation: string, input: object): Promise<string> => {
    const { outcome } = await client.execute(operation, input);
    return outcome.kind === "done" ? "done" : outcome.code;
  };
  await node.operator.jobs.submit("payroll", null, { id: "secret" });
  await node.operator.jobs.submit("mail", null, { id: "m1" });
  const sender = await clientFor(node, "sender", [["write"], "job/mail"]);
  const after = { type: "mail", after: ["secret"] };
  assert.equal(await code(sender, "jobs.submit", after), "jobs.unknown");
  assert.equal(await code(sender, "jobs.submit-many", { jobs: [{ type: "mail" }, after] }), "jobs.unknown");
  assert.equal(await code(sender, "jobs.submit", { ...after, after: ["m1"] }), "done");
  assert.equal(await code(sender, "jobs.submit", { type: "mail", locks: ["free/x"] }), "not_allowed");
  const nightly = { id: "nightly", cron: "@daily", job: { type: "mail" } };
  assert.equal(await code(sender, "jobs.put-schedule", nightly), "done");
  const locked = { ...nightly, job: { type: "mail", locks: ["free/x"] } };
  assert.equal(await code(sender, "jobs.put-schedule", locked), "not_allowed");
  for (const jobs of [undefined, "mail", [null], [{ type: "mail", locks: 1 }]])
    assert.match(await code(sender, "jobs.submit-many", { jobs }), /^(?:input_invalid|not_allowed)$/u);
  const reader = await clientFor(node, "reader", [["write"], "job/mail"], [["read"], "job/payroll"]);
  assert.equal(await code(reader, "jobs.submit", after), "done");
  await node.stop();
});

test("a job that left the ring of ended jobs is read by callers that may read its type, and by no other [W13]", async () => {
  const node = await gatedNode();
  const { operator } = node;
  await operator.jobs.submit("payroll", null, { id: "old" });
  await operator.jobs.cancel({ id: "old" });
  for (let part = 0; part < 10; part += 1) {
    await operator.jobs.submitMany(Array.from({ length: 1_000 }, () => ({ type: "mail" })));
    await operator.jobs.cancel({ type: "mail" });
  }
  const reader = await clientFor(node, "reader", [["read"], "job/payroll"]);
  const { id, type, state } = await reader.jobs.get("old");
  assert.deepEqual([id, type, state], ["old", "payroll", "cancelled"]);
  const other = await clientFor(node, "other", [["read"], "job/mail"]);
  await assert.rejects(other.jobs.get("old"), { code: "jobs.unknown" });
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

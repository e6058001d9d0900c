/** Limits of counts that protect the memory, each at its real size. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Decider } from "../locks/decider.ts";
import { gatedNode, operatorSecret } from "./gated-node.ts";

test("an owner has a maximum of tickets, and a cancelled ticket frees its slot [X15]", () => {
  const decider = new Decider();
  decider.acquire("holder", "a");
  const tickets = Array.from({ length: 1_000 }, (_, index) => decider.wait("waiter", `a/${index}`));
  assert.ok(tickets.every(({ code }) => code === "done"));
  assert.equal(decider.wait("waiter", "a/more").code, "lock_limit");
  assert.equal(decider.wait("another", "a/more").code, "done");
  decider.decide("cancel-ticket", { ticket: tickets[0]?.data["ticket"] ?? "", owner_id: "waiter" });
  assert.equal(decider.wait("waiter", "a/more").code, "done");
});

test("a space has a maximum of tokens, and a revoked token frees its slot [X15]", () => {
  const decider = new Decider();
  let secretCount = 0;
  const create = () => {
    const input = { principal: "ci", allow: [{ verbs: ["read"], under: "a" }] };
    return decider.decide(
      "create-token",
      { ...input, secret_hash: String((secretCount += 1)).padStart(64, "0") },
      "operator",
    );
  };
  const first = create();
  for (let count = 1; count < 10_000; count += 1) create();
  const refused = create();
  assert.deepEqual([refused.code, refused.data], ["token_limit", { limit: 10_000 }]);
  decider.decide("revoke-token", { token_id: first.data["token_id"] ?? "" }, "operator");
  assert.equal(create().code, "done");
});

test("a lock shows its newest release request, and keeps at most sixteen [X15]", async () => {
  const node = await gatedNode();
  const holder = await node.operator.operations.acquireLock({ paths: ["a"], ownerId: "holder", ttlMs: 600_000 });
  assert.ok(holder.granted);
  const bytesWith = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index += 1) {
      const { agentId: id, secret } = await node.operator.agents.register({});
      const asker = node.clientWith({ token: operatorSecret, connection: "operator" }).as({ agentId: id, secret });
      await asker.locks.requestRelease("a", "x".repeat(100));
      await node.operator.agents.end(id);
    }
    return node.engine.read((state) => state.bytes);
  };
  const full = await bytesWith(16);
  assert.equal(await bytesWith(5), full, "the oldest requests leave");
  await node.stop();
});

test("a mission has a maximum of assignments [X15]", async () => {
  const node = await gatedNode();
  const { planning } = node.operator;
  const range = { from: "2027-01-01T00:00:00Z", to: "2027-01-02T00:00:00Z" };
  await planning.organizations.create({ id: "o", name: "O" });
  await planning.projects.create({ id: "p", organizationId: "o", name: "P" });
  await planning.collaborators.create({ id: "jane", organizationId: "o", name: "Jane" });
  await planning.missions.create({ id: "m", projectId: "p", name: "M", ...range });
  const assign = (index: number) =>
    planning.assignments.create({ id: `a${index}`, missionId: "m", collaboratorId: "jane", role: "r", ...range });
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => assign(index)));
  await assert.rejects(assign(1_000), { code: "planning.too_many", data: { limit: 1_000 } });
  await node.stop();
});

import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { checkOf, auditOperations } from "@holdfast/sdk/contract";
import type { AuditItem, Client } from "holdfast";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { refusedWith } from "../api/refused-with.ts";

async function allPages(client: Client, query: Parameters<Client["audit"]["list"]>[0] = {}): Promise<AuditItem[]> {
  const items: AuditItem[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await client.audit.list({ ...query, ...defined({ before }) });
    items.push(...page.items);
    if (page.next === null) return items;
    before = page.next;
  }
}

promiseOnEveryStore(
  "the audit contains the author and the revisions before and after each change [P8]",
  async (client) => {
    await client.entities.create("plan", "1", { a: 1 });
    await client.entities.patch("plan", "1", { merge: { a: 2 } });
    await client.entities.delete("plan", "1");
    await client.entities.create("plan", "1", { a: 3 });
    const { items } = await client.audit.list({ subject: "plan/1" });
    assert.deepEqual(
      items.map(({ operation, outcome, changes, by }) => ({ operation, outcome, changes, by })),
      [
        ["create-entity", 4, null, "1.4"],
        ["delete-entity", 3, "1.2", "1.3"],
        ["patch-entity", 2, "1.1", "1.2"],
        ["create-entity", 1, null, "1.1"],
      ].map(([operation, version, priorRevision, revision]) => ({
        operation,
        outcome: "done",
        changes: [{ subject: "plan/1", version, priorRevision, revision }],
        by: { principal: "alice" },
      })),
    );
  },
);

promise("the audit contains version conflicts and deadlocks with their subjects [P8 X6]", async (client) => {
  await client.entities.create("plan", "1", { a: 1 });
  await assert.rejects(
    client.entities.replace("plan", "1", { a: 2 }, { expectedVersion: 7 }),
    refusedWith("concurrency_mismatch"),
  );
  const lock = (path: string, ownerId: string) =>
    client.operations.acquireLock({ paths: [path].flat(), ownerId, wait: true, ttlMs: 60_000 });
  await lock("a", "ann");
  await lock("b", "bob");
  await lock("b", "ann");
  await assert.rejects(lock("a", "bob"), refusedWith("deadlock"));
  const refused = await allPages(client, { outcome: "refused" });
  assert.deepEqual(
    refused.map(({ outcome, subjects, events }) => ({ outcome, subjects, events })),
    [
      { outcome: "deadlock", subjects: ["lock/a"], events: ["evt.lock.deadlock"] },
      { outcome: "concurrency_mismatch", subjects: ["plan/1"], events: ["evt.plan.conflict"] },
    ],
  );
  assert.deepEqual(await allPages(client, { outcome: "deadlock" }), refused.slice(0, 1));
});

promise(
  "the audit contains the subject of a refusal with a key, and the reason of a change of settings",
  async (client) => {
    await assert.rejects(client.entities.replace("plan", "9", 1, { key: "k-1" }), refusedWith("entity_not_found"));
    await client.run("configure", { settings: { state_hash_every: 1_000 }, reason: "more often" });
    const [configured, missing] = await allPages(client);
    assert.deepEqual([missing?.outcome, missing?.subjects], ["entity_not_found", ["plan/9"]]);
    assert.deepEqual([configured?.operation, configured?.reason], ["configure", "more often"]);
  },
);

promise("the audit can be filtered by operation, agent, subject, principal, position and time", async (client) => {
  const ann = await client.agents.register({ name: "ann" });
  const asAnn = client.as(ann);
  for (const id of ["1", "2", "3"]) await asAnn.entities.create("plan", id, {});
  await client.entities.create("other", "1", {});
  const subjects = async (query: Parameters<Client["audit"]["list"]>[0]) =>
    (await allPages(client, query)).flatMap((item) => item.subjects);
  assert.deepEqual(await subjects({ agent: ann.agentId }), ["plan/3", "plan/2", "plan/1"]);
  assert.deepEqual(await subjects({ subject: "plan/" }), ["plan/3", "plan/2", "plan/1"]);
  assert.deepEqual(await subjects({ operation: "create-entity", subject: "other/1" }), ["other/1"]);
  assert.deepEqual(await subjects({ principal: "unknown" }), []);
  const made = await client.audit.list({ operation: "create-entity" });
  const [last, , second] = made.items;
  assert.deepEqual(await subjects({ after: second!.position, before: last!.position }), ["plan/3"]);
  const afterLast = new Date(Date.parse(last!.time) + 1).toISOString();
  assert.deepEqual(await subjects({ toTime: "1970-01-01T00:00:00Z" }), []);
  assert.equal((await subjects({ toTime: afterLast })).length, (await subjects({})).length);
  assert.deepEqual(await subjects({ fromTime: afterLast }), []);
});

promise("the pages of the audit contain each entry once, and match the schema [P8]", async (client) => {
  for (let index = 0; index < 25; index += 1) await client.entities.create("plan", String(index), { index });
  const check = checkOf(auditOperations["list-audit"].output);
  const page = await client.run("list-audit", { limit: 10 });
  assert.equal(check(page), undefined);
  assert.equal(page.items.length, 10);
  const items = await allPages(client, { limit: 7, operation: "create-entity" });
  assert.deepEqual(
    items.map(({ subjects }) => subjects[0]),
    Array.from({ length: 25 }, (_, index) => `plan/${24 - index}`),
  );
});

promise(
  "a filtered page of the audit reads a bounded number of entries, and returns where to continue",
  async (client) => {
    await client.entities.create("rare", "1", {});
    await Promise.all(
      Array.from({ length: 1_200 }, (_, index) => client.entities.create("plan", String(index), { index })),
    );
    const first = await client.audit.list({ subject: "rare/" });
    assert.deepEqual(first.items, []);
    assert.notEqual(first.next, null);
    assert.deepEqual(
      (await allPages(client, { subject: "rare/" })).map(({ subjects }) => subjects),
      [["rare/1"]],
    );
    // The index finds a single subject directly.
    assert.equal((await client.audit.list({ subject: "rare/1" })).items.length, 1);
    const forward = await client.journal.list({ principal: "unknown" });
    assert.deepEqual(forward.items, []);
    assert.notEqual(forward.next, null);
  },
);

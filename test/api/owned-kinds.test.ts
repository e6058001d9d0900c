import assert from "node:assert/strict";
import { test } from "node:test";
import { defineKind, open, refuse } from "holdfast";
import type { Client } from "holdfast";
import { problemOf } from "@holdfast/sdk/contract";
import Type from "typebox";
import { refusalOf } from "./refused-with.ts";

const note = defineKind({
  type: "note",
  ownedBy: "notes",
  value: Type.Object({ text: Type.String() }),
});

const secret = defineKind({
  type: "secret",
  value: Type.Object({ text: Type.String() }),
  readRule: ({ agent }, id) => (agent === undefined ? undefined : refuse("closed", { id: id ?? null })),
});

test("a general write of an entity that a pack owns is refused, and reads are free", async () => {
  await using client = await open({ memory: true }, { kinds: [note] });
  const writes = [
    client.entities.create("note", "1", { text: "a" }),
    client.entities.replace("note", "1", { text: "a" }),
    client.entities.patch("note", "1", { merge: { text: "a" } }),
    client.entities.delete("note", "1"),
  ];
  for (const write of writes) {
    const { code, data } = await refusalOf(write);
    assert.deepEqual([code, data], ["notes.own_operations", { type: "note" }]);
  }
  assert.deepEqual((await client.entities.list("note")).items, []);
});

test("a read rule is asked by get-entity, list-history and list-entities, and operators are not asked", async () => {
  await using client = await open({ memory: true }, { kinds: [secret] });
  await client.entities.create("secret", "1", { text: "a" });
  const agent = client.as(await client.agents.register({ name: "reader" }));
  for (const [read, id] of [
    [agent.entities.get("secret", "1"), "1"],
    [agent.entities.history("secret", "1"), "1"],
    [agent.entities.list("secret"), null],
  ] as const) {
    const { code, data } = await refusalOf(read);
    assert.deepEqual([code, data], ["secret.closed", { id }]);
  }
  assert.equal((await client.entities.get("secret", "1")).version, 1);
});

test("a refusal with `audited` is recorded although the request has no key", async () => {
  const strict = defineKind({
    type: "strict",
    value: Type.Object({ count: Type.Integer() }),
    rule: (next) => (next?.count === 13 ? refuse("unlucky", {}, { audited: true }) : undefined),
    commands: {
      count: { summary: "Refuses.", input: {}, event: "counted", decide: () => refuse("silent") },
    },
  });
  await using client = await open({ memory: true }, { kinds: [strict] });
  await client.entities.create("strict", "1", { count: 1 });
  assert.equal((await refusalOf(client.entities.replace("strict", "1", { count: 13 }))).code, "strict.unlucky");
  assert.equal((await refusalOf(client.run("count-strict", { id: "1" }))).code, "strict.silent");
  assert.deepEqual(await refusals(client), ["strict.unlucky"]);
});

test("a rule that demands locks names the missing ones with their holders, and a holder passes", async () => {
  const shelf = defineKind({
    type: "shelf",
    value: Type.Object({ count: Type.Integer() }),
    rule: (_next, _previous, { path, requireLocks }) => requireLocks([{ path, scope: "tree" }]),
  });
  await using client = await open({ memory: true }, { kinds: [shelf] });
  const [holder, other] = await Promise.all(
    ["holder", "other"].map(async (name) => client.as(await client.agents.register({ name }))),
  );
  assert.ok(holder !== undefined && other !== undefined);
  await holder.operations.acquireLock({ paths: ["shelf/1"], scope: "tree", ttlMs: 60_000 });
  const { code, data } = await refusalOf(other.entities.create("shelf", "1", { count: 1 }));
  const [missing] = data["missing"] as { path: string; mode: string; scope: string; holders: { owner_id: string }[] }[];
  assert.deepEqual(
    [code, missing?.path, missing?.mode, missing?.scope, missing?.holders.length],
    [...["shelf.lock_required", "shelf/1", "write", "tree"], 1],
  );
  assert.deepEqual([problemOf(code).status, problemOf(code).retry], [423, "new-key-after-read"]);
  assert.deepEqual(data["acquire"], [{ path: "shelf/1", mode: "write", scope: "tree" }]);
  assert.equal((await holder.entities.create("shelf", "1", { count: 1 })).version, 1);
});

async function refusals(client: Client): Promise<readonly string[]> {
  return (await client.audit.list({ outcome: "refused" })).items.map(({ outcome }) => outcome);
}

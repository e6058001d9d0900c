import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entityOperations, packs } from "@holdfast/sdk/contract";
import type { Allowance, Verb } from "@holdfast/sdk/contract";
import type { CallReply, Client } from "holdfast";
import { redactWriteReply } from "../../server/src/access/redact-write-reply.ts";
import { gatedNode } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";

/** Members of a write reply that a caller without read permission may see. */
const metadata = [
  ...["id", "version", "revision", "previous_revision", "changed"],
  ...["changed_at", "changed_by", "position"],
];

const range = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T17:00:00Z" };
const kept = { from: "2027-03-02T08:00:00Z", to: "2027-03-03T17:00:00Z" };

/** Every write operation of the packs, ordered so that each one succeeds. The secret is in every text field. */
const steps: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["create-organization", { id: "acme", name: "sesame works" }],
  ["update-organization", { id: "acme", changes: { name: "sesame" } }],
  ["create-project", { id: "bridge", organization_id: "acme", name: "sesame", description: "sesame" }],
  ["update-project", { id: "bridge", changes: { name: "sesame bridge" } }],
  ["create-collaborator", { id: "ann", organization_id: "acme", name: "sesame", email: "sesame@acme.example" }],
  ["update-collaborator", { id: "ann", changes: { name: "sesame ann" } }],
  ["create-mission", { id: "weld", project_id: "bridge", name: "sesame", ...range }],
  ["update-mission", { id: "weld", changes: { description: "sesame" } }],
  ["create-assignment", { id: "weld-ann", mission_id: "weld", collaborator_id: "ann", role: "sesame", ...range }],
  ["update-assignment", { id: "weld-ann", changes: kept }],
  ["archive-assignment", { id: "weld-ann" }],
  ["unarchive-assignment", { id: "weld-ann" }],
  ["transition-mission", { id: "weld", to: "planned" }],
  ["transition-mission", { id: "weld", to: "locked" }],
  ["reopen-mission", { id: "weld", reason: "rain" }],
  ["transition-mission", { id: "weld", to: "cancelled" }],
  ["archive-mission", { id: "weld" }],
  ["unarchive-mission", { id: "weld" }],
  ["archive-collaborator", { id: "ann" }],
  ["unarchive-collaborator", { id: "ann" }],
  ["archive-project", { id: "bridge" }],
  ["unarchive-project", { id: "bridge" }],
  ["archive-organization", { id: "acme" }],
  ["unarchive-organization", { id: "acme" }],
  ["create-mission", { id: "paint", project_id: "bridge", name: "sesame paint", ...range }],
  ["create-assignment", { id: "paint-ann", mission_id: "paint", collaborator_id: "ann", role: "sesame", ...kept }],
  ["delete-assignment", { id: "paint-ann" }],
  ["delete-mission", { id: "paint" }],
  ["create-project", { organization_id: "acme", name: "sesame tunnel" }],
  ["create-organization", { id: "solo", name: "sesame solo" }],
  ["create-project", { id: "alone", organization_id: "solo", name: "sesame" }],
  ["create-collaborator", { id: "bob", organization_id: "solo", name: "sesame" }],
  ["delete-collaborator", { id: "bob" }],
  ["delete-project", { id: "alone" }],
  ["delete-organization", { id: "solo" }],
];

const noEntry = { position: 1, replayed: false, events: [] };

const types = packs.flatMap((pack) => pack.resources.map(({ type }) => type));

async function plannerWith(node: GatedNode, verbs: readonly Verb[]): Promise<Client> {
  const allow: Allowance[] = types.map((under) => ({ verbs: [...verbs], under }));
  return node.clientWith({ token: await node.tokenFor(verbs.join("-"), allow), connection: verbs.join("-") });
}

describe("replies to callers with write but not read permission", () => {
  test("a pack operation reports success to a caller that may write but not read, without the resource's values", async () => {
    const writes = packs.flatMap(({ operations }) => Object.values(operations).filter(({ kind }) => kind === "write"));
    const covered = [...new Set(steps.map(([operation]) => operation))].sort();
    assert.deepEqual(covered, writes.map(({ name }) => name).sort(), "every write operation is covered");
    const node = await gatedNode();
    const writer = await plannerWith(node, ["write", "operate"]);
    for (const [operation, input] of steps) {
      const reply = await writer.execute(operation, input);
      const { outcome } = reply;
      assert.equal(outcome.kind, "done", `${operation}: ${JSON.stringify(outcome)}`);
      const names = Object.keys(outcome.data as object);
      assert.deepEqual(
        names.filter((name) => !metadata.includes(name)),
        [],
        operation,
      );
      for (const name of ["id", "version", "revision", "changed"])
        assert.ok(names.includes(name), `${operation} ${name}`);
      assert.doesNotMatch(JSON.stringify(reply), /sesame/, operation);
    }
    await node.stop();
  });

  test("a refusal of a pack gives its reason to a caller that may not read, without values or changes of others", async () => {
    const node = await gatedNode();
    for (const [operation, input] of steps.slice(0, 10)) await node.operator.run(operation, input);
    const writer = await plannerWith(node, ["write", "operate"]);
    const refusals: (readonly [string, object, string])[] = [
      [
        "update-project",
        { id: "bridge", changes: { name: "x" }, expected_version: 1 },
        "planning.concurrency_mismatch",
      ],
      ["archive-project", { id: "bridge", expected_revision: "1.1" }, "planning.concurrency_mismatch"],
      [
        "update-project",
        { id: "bridge", changes: { name: "x" }, if_unchanged: [{ pointer: "/name" }] },
        "field_changed",
      ],
      ["create-project", { id: "other", organization_id: "acme", name: "sesame bridge" }, "planning.name_taken"],
      ["transition-mission", { id: "weld", to: "completed" }, "planning.transition_invalid"],
      ["delete-organization", { id: "acme" }, "planning.in_use"],
      ["update-mission", { id: "weld", changes: { to: kept.from } }, "planning.outside_range"],
    ];
    const visible = ["type", "id", "expected_version", "current_version", "current_revision"];
    for (const [operation, input, code] of refusals) {
      const reply = await writer.execute(operation, input);
      const { outcome } = reply;
      assert.equal(outcome.kind === "refusal" ? outcome.code : "done", code, operation);
      const names = Object.keys(outcome.data as object);
      assert.deepEqual(
        names.filter((name) => !visible.includes(name)),
        [],
        `${operation} ${code}`,
      );
      assert.doesNotMatch(JSON.stringify(reply), /sesame/, operation);
    }
    const reader = await plannerWith(node, ["read", "write"]);
    const clash = await reader.execute("update-project", { id: "bridge", changes: { name: "x" }, expected_version: 1 });
    assert.match(JSON.stringify(clash), /sesame bridge/, "a caller with read permission gets the values");
    await node.stop();
  });

  test("a caller that may read one of two resources sees the values of that one only", async () => {
    const node = await gatedNode();
    for (const [operation, input] of steps.slice(0, 3)) await node.operator.run(operation, input);
    await node.operator.run("create-project", { id: "tunnel", organization_id: "acme", name: "sesame tunnel" });
    const allow: Allowance[] = [
      { verbs: ["write"], under: "planning-project" },
      { verbs: ["read"], under: "planning-project/bridge" },
    ];
    const half = node.clientWith({ token: await node.tokenFor("half", allow) });
    const update = (id: string) => half.execute("update-project", { id, changes: { description: "sesame" } });
    assert.match(JSON.stringify(await update("bridge")), /sesame/);
    assert.doesNotMatch(JSON.stringify(await update("tunnel")), /sesame/);
    await node.stop();
  });

  test("an entity operation returns only metadata to a caller that may write but not read", async () => {
    const node = await gatedNode();
    const writer = node.clientWith({ token: await node.tokenFor("writer", [{ verbs: ["write"], under: "doc" }]) });
    const target = { type: "doc", id: "1" };
    const inputs: Readonly<Record<string, object>> = {
      "create-entity": { value: { s: "sesame" } },
      "replace-entity": { value: { s: "sesame", more: 1 } },
      "patch-entity": { merge: { more: 2 } },
      "delete-entity": {},
    };
    const writes = Object.values(entityOperations).filter(({ kind }) => kind === "write");
    assert.deepEqual(Object.keys(inputs).sort(), writes.map(({ name }) => name).sort());
    for (const [operation, input] of Object.entries(inputs)) {
      const { outcome } = await writer.execute(operation, { ...target, ...input });
      assert.equal(outcome.kind, "done");
      const others = Object.keys(outcome.data as object).filter((name) => ![...metadata, "type"].includes(name));
      assert.deepEqual(others, [], operation);
    }
    await node.stop();
  });

  test("a command of a kind returns only metadata to a caller that may write but not read", () => {
    const kindCommands = new Map([["close-ticket", "ticket"]]);
    const answer = (outcome: CallReply["outcome"], under: string) =>
      redactWriteReply(
        {
          principal: "writer",
          allow: [
            { verbs: ["write"], under: "ticket" },
            { verbs: ["read"], under },
          ],
        },
        { operation: "close-ticket", input: { id: "1" }, kindCommands, reply: { ...noEntry, outcome } },
      ).outcome.data;
    const done = { kind: "done", data: { type: "ticket", id: "1", version: 2, value: { s: "sesame" } } } as const;
    assert.deepEqual(answer(done, "doc"), { type: "ticket", id: "1", version: 2 });
    assert.deepEqual(answer(done, "ticket/1"), done.data);
    const refusal = { kind: "refusal", code: "ticket.closed", data: { since: "sesame", id: "2" } } as const;
    assert.deepEqual([answer(refusal, "ticket/2"), answer(refusal, "ticket/1")], [{}, refusal.data]);
  });
});

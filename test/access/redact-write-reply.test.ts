import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entityOperations, packs } from "@holdfast/sdk/contract";
import type { Allowance, Verb } from "@holdfast/sdk/contract";
import type { CallReply, Client } from "holdfast";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import Type from "typebox";
import { redactWriteReply } from "../../server/src/access/redact-write-reply.ts";
import { defineKind } from "../../server/src/features/entities/kind.ts";
import { operationRecord } from "../../server/src/operations/operation-record.ts";
import type { OperationRecord } from "../../server/src/operations/operation-record.ts";
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
  ["planning.create-organization", { id: "acme", name: "sesame works" }],
  ["planning.update-organization", { id: "acme", changes: { name: "sesame" } }],
  ["planning.create-project", { id: "bridge", organization_id: "acme", name: "sesame", description: "sesame" }],
  ["planning.update-project", { id: "bridge", changes: { name: "sesame bridge" } }],
  [
    "planning.create-collaborator",
    { id: "ann", organization_id: "acme", name: "sesame", email: "sesame@acme.example" },
  ],
  ["planning.update-collaborator", { id: "ann", changes: { name: "sesame ann" } }],
  ["planning.create-mission", { id: "weld", project_id: "bridge", name: "sesame", ...range }],
  ["planning.update-mission", { id: "weld", changes: { description: "sesame" } }],
  [
    "planning.create-assignment",
    { id: "weld-ann", mission_id: "weld", collaborator_id: "ann", role: "sesame", ...range },
  ],
  ["planning.update-assignment", { id: "weld-ann", changes: kept }],
  ["planning.archive-assignment", { id: "weld-ann" }],
  ["planning.unarchive-assignment", { id: "weld-ann" }],
  ["planning.transition-mission", { id: "weld", to: "planned" }],
  ["planning.transition-mission", { id: "weld", to: "locked" }],
  ["planning.reopen-mission", { id: "weld", reason: "rain" }],
  ["planning.transition-mission", { id: "weld", to: "cancelled" }],
  ["planning.archive-mission", { id: "weld" }],
  ["planning.unarchive-mission", { id: "weld" }],
  ["planning.archive-collaborator", { id: "ann" }],
  ["planning.unarchive-collaborator", { id: "ann" }],
  ["planning.archive-project", { id: "bridge" }],
  ["planning.unarchive-project", { id: "bridge" }],
  ["planning.archive-organization", { id: "acme" }],
  ["planning.unarchive-organization", { id: "acme" }],
  ["planning.create-mission", { id: "paint", project_id: "bridge", name: "sesame paint", ...range }],
  [
    "planning.create-assignment",
    { id: "paint-ann", mission_id: "paint", collaborator_id: "ann", role: "sesame", ...kept },
  ],
  ["planning.delete-assignment", { id: "paint-ann" }],
  ["planning.delete-mission", { id: "paint" }],
  ["planning.create-project", { organization_id: "acme", name: "sesame tunnel" }],
  ["planning.create-organization", { id: "solo", name: "sesame solo" }],
  ["planning.create-project", { id: "alone", organization_id: "solo", name: "sesame" }],
  ["planning.create-collaborator", { id: "bob", organization_id: "solo", name: "sesame" }],
  ["planning.delete-collaborator", { id: "bob" }],
  ["planning.delete-project", { id: "alone" }],
  ["planning.delete-organization", { id: "solo" }],
];

const intentDiff = { diff: { secret: "sesame" }, source: "sesame", reason: "sesame" };
const intentPlan = { pipeline: "sesame", bridges: [{ name: "input" }, { name: "output" }] };

/** The writes of intents, ordered so that each one succeeds. `fence` is set to the one of the lock of the intent. */
const intentSteps: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["intents.create", { id: "7", payload: { secret: "sesame" }, technical_actor: "sesame" }],
  ["intents.update", { id: "7", changes: { more: "sesame" } }],
  ["intents.update-many", { ids: ["7"], changes: { most: "sesame" } }],
  ["intents.transition", { id: "7", to: "normalized" }],
  ["intents.reevaluate", { id: "7", ...intentDiff }],
  ["intents.run", { id: "7", fence: "", ...intentPlan }],
  ["intents.advance", { id: "7", fence: "", run: 1, step: "input", outcome: "done", changes: { b: "sesame" } }],
  ["intents.stop", { id: "7", reason: "sesame" }],
  ["intents.advance", { id: "7", fence: "", run: 1, step: "output", outcome: "done", note: "sesame" }],
  ["intents.delete", { id: "7", fence: "" }],
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
    const covered = [...new Set([...steps, ...intentSteps].map(([operation]) => operation))].sort();
    // The reply of intents.configure has settings, and only operators send it. test/programs/rights.test.ts covers programs.
    const others = writes.filter(
      ({ name, hasOpenReply }) =>
        name !== "intents.configure" && !name.startsWith("programs.") && hasOpenReply !== true,
    );
    const expected = others.map(({ name }) => name);
    assert.deepEqual(covered, expected.sort(), "every write operation is covered");
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

  test("a caller that may write but not read an intent gets neither its payload, its status nor its run [X14]", async () => {
    const node = await gatedNode();
    const writer = await plannerWith(node, ["write", "operate", "lock"]);
    let fence = "";
    for (const [operation, input] of intentSteps) {
      if (operation === "intents.run") {
        const held = await writer.operations.acquireLock({ paths: ["intent/7"], ownerId: "w" });
        assert.ok(held.granted);
        ({ fence } = held);
      }
      const reply = await writer.execute(operation, input["fence"] === undefined ? input : { ...input, fence });
      assert.equal(reply.outcome.kind, "done", `${operation}: ${JSON.stringify(reply.outcome)}`);
      assert.doesNotMatch(JSON.stringify(reply), /sesame|normalized|running/, operation);
    }
    const other = await plannerWith(node, ["write"]);
    await writer.run("intents.create", { id: "8", payload: {} });
    await writer.operations.acquireLock({ paths: ["intent/8"], ownerId: "w", purpose: "sesame" });
    const { outcome } = await other.execute("intents.transition", { id: "8", to: "failed" });
    assert.deepEqual(outcome, { kind: "refusal", code: "intents.lock_timeout", data: {} });
    await node.stop();
  });

  test("a refusal of a pack gives its reason to a caller that may not read, without values or changes of others", async () => {
    const node = await gatedNode();
    for (const [operation, input] of steps.slice(0, 10)) await node.operator.run(operation, input);
    const writer = await plannerWith(node, ["write", "operate"]);
    const refusals: (readonly [string, object, string])[] = [
      [
        "planning.update-project",
        { id: "bridge", changes: { name: "x" }, expected_version: 1 },
        "planning.concurrency_mismatch",
      ],
      ["planning.archive-project", { id: "bridge", expected_revision: "1.1" }, "planning.concurrency_mismatch"],
      [
        "planning.update-project",
        { id: "bridge", changes: { name: "x" }, if_unchanged: [{ pointer: "/name" }] },
        "field_changed",
      ],
      [
        "planning.create-project",
        { id: "other", organization_id: "acme", name: "sesame bridge" },
        "planning.name_taken",
      ],
      ["planning.transition-mission", { id: "weld", to: "completed" }, "planning.transition_invalid"],
      ["planning.delete-organization", { id: "acme" }, "planning.in_use"],
      ["planning.update-mission", { id: "weld", changes: { to: kept.from } }, "planning.outside_range"],
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
    const clash = await reader.execute("planning.update-project", {
      id: "bridge",
      changes: { name: "x" },
      expected_version: 1,
    });
    assert.match(JSON.stringify(clash), /sesame bridge/, "a caller with read permission gets the values");
    await node.stop();
  });

  test("a caller that may read one of two resources sees the values of that one only", async () => {
    const node = await gatedNode();
    for (const [operation, input] of steps.slice(0, 3)) await node.operator.run(operation, input);
    await node.operator.run("planning.create-project", {
      id: "tunnel",
      organization_id: "acme",
      name: "sesame tunnel",
    });
    const allow: Allowance[] = [
      { verbs: ["write"], under: "planning-project" },
      { verbs: ["read"], under: "planning-project/bridge" },
    ];
    const half = node.clientWith({ token: await node.tokenFor("half", allow) });
    const update = (id: string) => half.execute("planning.update-project", { id, changes: { description: "sesame" } });
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
    const record = closeTicket();
    const answer = (outcome: CallReply["outcome"], under: string) =>
      redactWriteReply(
        {
          principal: "writer",
          allow: [
            { verbs: ["write"], under: "ticket" },
            { verbs: ["read"], under },
          ],
        },
        { record, input: { ...emptyInput, id: "1" }, options: { inputBytes: 0 }, answer: fail, fail },
        { ...noEntry, outcome },
      ).outcome.data;
    const done = { kind: "done", data: { type: "ticket", id: "1", version: 2, value: { s: "sesame" } } } as const;
    assert.deepEqual(answer(done, "doc"), { type: "ticket", id: "1", version: 2 });
    assert.deepEqual(answer(done, "ticket/1"), done.data);
    const refusal = { kind: "refusal", code: "ticket.closed", data: { since: "sesame", id: "2" } } as const;
    assert.deepEqual([answer(refusal, "ticket/2"), answer(refusal, "ticket/1")], [{}, refusal.data]);
  });
});

const fail = (): never => assert.fail("the call is not answered");

function closeTicket(): OperationRecord {
  const commands = { close: { summary: "Closes it.", event: "closed", input: {}, decide: () => ({}) } };
  const [command] = defineKind({ type: "ticket", value: Type.Object({}), commands }).commands;
  assert.ok(command !== undefined);
  return operationRecord(command.operation, "ticket");
}

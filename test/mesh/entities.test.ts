import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRuntime, defineKind } from "holdfast";
import { publicOperations, packs } from "@holdfast/sdk/contract";
import Type from "typebox";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { SubjectActions } from "../../server/src/doors/nats/subject-actions.ts";
import { MeshAgent, type MeshMessage } from "./mesh-client.ts";
import { type MeshNode, operatorToken, originals, startMeshNode } from "./mesh-node.ts";
import { type PrivateNats, startNats } from "./private-nats.ts";

const ticket = defineKind({
  type: "ticket",
  value: Type.Object({ status: Type.String() }),
  commands: {
    close: {
      summary: "Closes it.",
      input: {},
      event: "closed",
      decide: (current) => ({ ...current, status: "closed" }),
    },
  },
});

/** The outcome in a whole reply. */
const outcomeOf = ({ data }: MeshMessage) =>
  data["outcome"] as { kind: string; code?: string; data: Record<string, unknown> };

describe("entity commands over a real nats-server", () => {
  let nats: PrivateNats;
  let node: MeshNode;
  let agent: MeshAgent;

  before(async () => {
    nats = await startNats();
    node = await startMeshNode(nats.url, { kinds: [ticket] });
    agent = await MeshAgent.connect(nats.url);
  });

  after(async () => {
    await agent[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  test("a command over NATS may expect a version, and without one it applies to any version [M1 M5]", async () => {
    const create = { entity_id: "1", value: { n: 1 }, expected_version: 0 };
    const made = await agent.command("cmd.document.put", create);
    assert.equal(made.headers["Holdfast-Event"], "evt.document.created");
    assert.equal(outcomeOf(made).data["version"], 1);
    await agent.command("cmd.document.replace", { entity_id: "1", value: { n: 2 }, expected_version: 1 });
    const unconditional = await agent.command("cmd.document.patch", { entity_id: "1", merge: { m: 1 } });
    assert.equal(outcomeOf(unconditional).data["version"], 3);
    await agent.command("cmd.document.delete", { entity_id: "1" });
    const again = await agent.command("cmd.document.create", { entity_id: "1", value: {} });
    assert.equal(outcomeOf(again).data["version"], 5);
    const set = await agent.command("cmd.document.replace", { entity_id: "1", value: {}, version: 77 });
    assert.equal(set.headers["Holdfast-Problem"], "input_invalid");
    const read = await agent.request("req.document.get", { entity_id: "1" });
    assert.equal(outcomeOf(read).data["version"], 5);
  });

  test("a version mismatch over NATS changes nothing, publishes a conflict with four fields, and the answer explains it [M2]", async () => {
    await agent.command("cmd.plan.create", { entity_id: "1", value: { a: 1 } });
    await agent.command("cmd.plan.patch", { entity_id: "1", merge: { a: 2 } });
    const lost = await agent.command("cmd.plan.patch", { entity_id: "1", merge: { a: 3 }, expected_version: 1 });
    const { code, data } = outcomeOf(lost);
    assert.equal(code, "concurrency_mismatch");
    assert.ok(Array.isArray(data["changes"]), "the answer contains the changes");
    assert.equal(lost.headers["Holdfast-Event"], "evt.plan.conflict");
    const events = await agent.eventsUntil("evt.plan.conflict");
    assert.deepEqual(events.at(-1)?.data, {
      entity_id: "1",
      expected_version: 1,
      current_version: 2,
      reason: "Optimistic locking failure: version mismatch",
    });
    const read = await agent.request("req.plan.get", { entity_id: "1" });
    assert.deepEqual(outcomeOf(read).data["value"], { a: 2 });
    assert.equal(outcomeOf(read).data["version"], 2);
  });

  test("a repeated key over NATS gets the same answer, and the first event is published again with a mark [M3 M4]", async () => {
    const create = { entity_id: "k", value: {}, idempotency_key: "create-k" };
    const first = await agent.command("cmd.plan.create", create);
    const again = await agent.command("cmd.plan.create", create);
    assert.deepEqual({ ...again.data, replayed: false }, first.data);
    assert.equal(again.headers["Holdfast-Replayed"], "true");
    const stale = { entity_id: "k", merge: { a: 1 }, expected_version: 9, idempotency_key: "stale-k" };
    const conflict = await agent.command("cmd.plan.patch", stale);
    const { idempotency_key: key, ...plain } = stale;
    const repeated = await agent.command("cmd.plan.patch", plain, { "Idempotency-Key": key });
    assert.deepEqual({ ...repeated.data, replayed: false }, conflict.data);
    const position = conflict.headers["Holdfast-Position"];
    const atConflict = (all: readonly MeshMessage[]) =>
      all.filter(
        ({ subject, headers }) => subject === "evt.plan.conflict" && headers["Holdfast-Position"] === position,
      );
    const published = atConflict(await agent.events((all) => atConflict(all).length === 2));
    assert.deepEqual(published[1]?.data, published[0]?.data);
    assert.deepEqual(
      published.map(({ headers }) => headers["Holdfast-Replayed"]),
      [undefined, "true"],
    );
    assert.equal(originals(published).length, 1);
  });

  test("a command with two different keys, or with a reserved key, is refused [M4]", async () => {
    const create = { entity_id: "x", value: {}, idempotency_key: "one" };
    const both = await agent.command("cmd.plan.create", create, { "Idempotency-Key": "two" });
    assert.equal(both.headers["Holdfast-Problem"], "idempotency_key_invalid");
    const own = await agent.command("cmd.plan.create", { ...create, idempotency_key: "nats:HOLDFAST_COMMANDS:1" });
    assert.equal(own.headers["Holdfast-Problem"], "idempotency_key_invalid");
  });

  test("a NATS request is answered at its reply subject, and no stream stores it [M11]", async () => {
    const made = await agent.request("req.plan.create", { entity_id: "r", value: {} });
    assert.equal(outcomeOf(made).kind, "done");
    assert.equal(made.data["replayed"], false);
    const again = await agent.request("req.plan.create", { entity_id: "r", value: {} });
    assert.equal(outcomeOf(again).code, "entity_exists");
  });

  test("an answer is never sent to a subject for commands, for events or for the nats-server [M11]", async () => {
    for (const address of [
      "cmd.plan.delete",
      "evt.plan.created",
      "req.plan.get",
      "$JS.API.STREAM.DELETE.X",
      "a.*",
      "",
    ]) {
      const asked = await agent.request("req.plan.list", {}, { "Holdfast-Reply-To": address });
      assert.equal(asked.headers["Holdfast-Problem"], "request_malformed", address);
    }
  });

  test("commands of kinds and of packs have their own NATS subjects [M1 X8]", async () => {
    await agent.command("cmd.ticket.create", { entity_id: "t", value: { status: "open" } });
    const closed = await agent.command("cmd.ticket.close", { entity_id: "t", expected_version: 1 });
    assert.equal(closed.headers["Holdfast-Event"], "evt.ticket.closed");
    const made = await agent.command("cmd.planning.create-organization", { name: "Us" });
    assert.equal(outcomeOf(made).kind, "done");
    const listed = await agent.request("req.planning.list-organizations", {});
    assert.equal((outcomeOf(listed).data["items"] as unknown[]).length, 1);
  });

  test("each operation of the contract has a NATS subject, and each subject maps to an operation [X8]", async () => {
    const actions = new SubjectActions(appOperations([ticket]), new Map([["close-ticket", "ticket"]]));
    const known = new Set([
      ...publicOperations.map(({ name }) => name),
      ...packs.flatMap(({ operations }) => operations.map(({ name }) => name)),
      "close-ticket",
    ]);
    const reached = actions.all("document").map(([entity, action]) => actions.find(entity, action)?.operation);
    assert.deepEqual(new Set(reached), known);
    for (const subject of ["req.operation.expire-lock", "req.lock.steal", "req.plan.burn", "req.plan", "req.a.b.c"]) {
      assert.equal((await agent.request(subject, {})).headers["Holdfast-Problem"], "operation_unknown", subject);
    }
  });

  test("a command with a token has the rights of its principal, and one without has the configured principal [M14]", async () => {
    const asOperator = { Authorization: `Bearer ${operatorToken}` };
    const allow = [{ under: "plan", verbs: ["read"] }];
    const created = await agent.request("req.operation.create-token", { principal: "reader", allow }, asOperator);
    const { secret } = outcomeOf(created).data;
    const write = { entity_id: "t", value: {} };
    const refused = await agent.command("cmd.plan.create", write, { "Holdfast-Token": String(secret) });
    assert.equal(refused.headers["Holdfast-Problem"], "not_allowed");
    const wrong = await agent.command("cmd.plan.create", write, { Authorization: "Bearer nonsense" });
    assert.equal(wrong.headers["Holdfast-Problem"], "token_invalid");
    const made = await agent.command("cmd.plan.create", write);
    assert.deepEqual(outcomeOf(made).data["changed_by"], { principal: "mesh" });
    const operators = await agent.request("req.operation.create-token", { principal: "p", allow });
    assert.equal(operators.headers["Holdfast-Problem"], "not_allowed");
  });
});

test("a command without a token is refused if no principal is configured [M14]", async () => {
  await using nats = await startNats();
  const runtime = await createRuntime({ journal: { memory: true }, nats: { servers: [nats.url] } });
  await using agent = await MeshAgent.connect(nats.url);
  const answer = await agent.command("cmd.plan.create", { entity_id: "1", value: {} });
  assert.equal(answer.headers["Holdfast-Problem"], "token_required");
  await assert.rejects(runtime.client.entities.get("plan", "1"), { code: "entity_not_found" });
  await runtime.close();
});

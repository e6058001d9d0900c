/** Intents over NATS: a worker with only a NATS client, and the published audit events. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MeshAgent, type MeshMessage } from "./mesh-client.ts";
import { type MeshNode, originals, startMeshNode } from "./mesh-node.ts";
import { type PrivateNats, startNats } from "./private-nats.ts";

const outcomeOf = ({ data }: MeshMessage) =>
  data["outcome"] as { kind: string; code?: string; data: Record<string, unknown> };

describe("intents over a real nats-server", () => {
  let nats: PrivateNats;
  let node: MeshNode;
  let agent: MeshAgent;

  before(async () => {
    nats = await startNats();
    node = await startMeshNode(nats.url);
    agent = await MeshAgent.connect(nats.url);
  });

  after(async () => {
    await agent[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  test("intents are created, moved, corrected and updated over NATS, and a refusal has its code [B1 B4 B6 X8]", async () => {
    for (const id of ["1", "2"]) await agent.command("cmd.intents.create", { id, payload: { chairs: 2 } });
    await agent.command("cmd.intents.transition", { id: "1", to: "Processed" });
    const invalid = await agent.command("cmd.intents.transition", { id: "1", to: "received" });
    assert.equal(invalid.headers["Holdfast-Problem"], "intents.transition_invalid");
    assert.deepEqual(outcomeOf(invalid).data["allowed"], ["processed", "corrected", "completed", "failed"]);
    const correction = { id: "1", diff: { chairs: 3 }, source: "judge", reason: "one was missing" };
    const first = outcomeOf(await agent.command("cmd.intents.reevaluate", correction)).data;
    const again = outcomeOf(await agent.command("cmd.intents.reevaluate", correction)).data;
    assert.deepEqual([first["already_applied"], again["already_applied"]], [false, true]);
    assert.deepEqual([again["correction_id"], again["applied_at"]], [first["correction_id"], first["applied_at"]]);
    const none = await agent.command("cmd.intents.update-many", { ids: ["2", "3"], changes: { sold: true } });
    assert.equal(none.headers["Holdfast-Problem"], "entity_not_found");
    await agent.command("cmd.intents.update-many", { ids: ["2", "1"], changes: { sold: true } });
    const read = outcomeOf(await agent.request("req.intents.get", { id: "1" })).data;
    assert.deepEqual([read["status"], read["payload"]], ["corrected", { chairs: 3, sold: true }]);
  });

  test("a worker runs a pipeline over NATS with four operations, and its audit events are published [B5 B11 X8]", async () => {
    await agent.command("cmd.intents.create", { id: "3", payload: {} });
    const lock = { paths: ["intent/3"], owner_id: "worker", ttl_seconds: 15 };
    const { fence } = outcomeOf(await agent.command("cmd.operation.acquire-lock", lock)).data;
    const plan = { id: "3", fence, pipeline: "orders", bridges: [{ name: "input" }, { name: "output" }] };
    await agent.command("cmd.intents.run", plan);
    const step = { id: "3", fence, run: 1, outcome: "done" };
    const early = await agent.command("cmd.intents.advance", { ...step, step: "output", to: "processed" });
    assert.equal(early.headers["Holdfast-Problem"], "intents.step_out_of_order");
    await agent.command("cmd.intents.advance", { ...step, step: "input", to: "processed" });
    const last = await agent.command("cmd.intents.advance", { ...step, step: "output", to: "completed" });
    assert.equal((outcomeOf(last).data["run"] as { readonly state: string }).state, "completed");
    await agent.command("cmd.operation.release-lock", { fence, owner_id: "worker" });
    const isEnd = ({ subject }: MeshMessage) => subject === "evt.intent.run_ended";
    const published = originals(await agent.events((events) => events.some(isEnd)));
    const names = published.map(({ subject }) => subject).filter((subject) => /bridge|status|run_/u.test(subject));
    assert.deepEqual(names.slice(-8), [
      ...["evt.intent.run_started", "evt.intent.bridge_started"],
      ...["evt.intent.status_changed", "evt.intent.bridge_completed", "evt.intent.bridge_started"],
      ...["evt.intent.status_changed", "evt.intent.bridge_completed", "evt.intent.run_ended"],
    ]);
  });
});

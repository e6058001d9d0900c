import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRuntime, type Runtime } from "holdfast";
import { lockNode } from "../locks/lock-node.ts";
import { MeshAgent } from "./mesh-client.ts";
import { startMeshNode } from "./mesh-node.ts";
import { type PrivateNats, startNats } from "./private-nats.ts";

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const lease = { ttl_seconds: 60 };

describe("lock actions over a real nats-server", () => {
  let nats: PrivateNats;
  let runtime: Runtime;
  let agent: MeshAgent;

  before(async () => {
    nats = await startNats();
    runtime = await createRuntime({
      journal: { memory: true },
      nats: { servers: [nats.url], principal: "mesh" },
      component_toggles: { lock_manager: true },
    });
    agent = await MeshAgent.connect(nats.url);
  });

  after(async () => {
    await agent[Symbol.asyncDispose]();
    await runtime.close();
    await nats[Symbol.asyncDispose]();
  });

  const acquire = (resource_id: string, owner_id: string, more = {}, headers = {}) =>
    agent.command("cmd.lock.acquire", { resource_id, owner_id, ...lease, ...more }, headers);

  test("an acquire of a free path is granted, and answer and event have the same fields and fence [M7 M13]", async () => {
    const answer = await acquire("doc/1", "ann");
    assert.equal(answer.headers["Holdfast-Event"], "evt.lock.acquired");
    assert.deepEqual(Object.keys(answer.data).toSorted(), ["expires_at", "owner_id", "resource_id"]);
    assert.match(String(answer.data["expires_at"]), isoTime);
    const event = (await agent.eventsUntil("evt.lock.acquired")).at(-1);
    assert.ok(event);
    assert.deepEqual(event.data, answer.data);
    assert.equal(event.headers["Holdfast-Position"], answer.headers["Holdfast-Position"]);
    assert.equal(event.headers["Holdfast-Fence"], answer.headers["Holdfast-Fence"]);
  });

  test("an acquire of a held path is denied with the earliest holder, and the denial is published [M7]", async () => {
    await acquire("doc/2", "ann");
    const answer = await acquire("doc/2", "bob");
    const expected = {
      resource_id: "doc/2",
      requested_by: "bob",
      current_owner: "ann",
      reason: "held by another owner",
    };
    assert.equal(answer.headers["Holdfast-Event"], "evt.lock.denied");
    assert.deepEqual(answer.data, expected);
    const event = (await agent.eventsUntil("evt.lock.denied")).at(-1);
    assert.ok(event);
    assert.deepEqual(event.data, expected);
    assert.equal(event.headers["Holdfast-Position"], answer.headers["Holdfast-Position"]);
  });

  test("an acquire by the holder gets the same fence, and is published as acquired [M7]", async () => {
    const first = await acquire("doc/3", "ann");
    for (const ttl_seconds of [1, 600]) {
      const again = await acquire("doc/3", "ann", { ttl_seconds });
      assert.equal(again.headers["Holdfast-Event"], "evt.lock.acquired");
      assert.equal(again.headers["Holdfast-Fence"], first.headers["Holdfast-Fence"]);
      const at = again.headers["Holdfast-Position"];
      const events = await agent.events((all) =>
        all.some(({ subject, headers }) => subject === "evt.lock.acquired" && headers["Holdfast-Position"] === at),
      );
      assert.deepEqual(events.findLast(({ subject }) => subject === "evt.lock.acquired")?.data, again.data);
    }
  });

  test("an acquire over NATS needs ttl_seconds from 1 to 86,400, and unknown fields are refused [M7]", async () => {
    for (const ttl_seconds of [undefined, 0, 86_401, 1.5, "60", null]) {
      const answer = await acquire("doc/4", "ann", { ttl_seconds });
      assert.equal(answer.headers["Holdfast-Problem"], "input_invalid", String(ttl_seconds));
    }
    const extra = await acquire("doc/4", "ann", { mode: "read" });
    assert.equal(extra.headers["Holdfast-Problem"], "input_invalid");
    assert.equal((await runtime.client.locks.list({ under: "doc/4" })).items.length, 0);
  });

  test("the owner refreshes and releases a lock over NATS, and both are published with their fields [M8]", async () => {
    const acquired = await acquire("doc/5", "ann", { ttl_seconds: 2 });
    const named = { resource_id: "doc/5", owner_id: "ann" };
    const longer = await agent.command("cmd.lock.refresh", { ...named, ttl_seconds: 900 });
    assert.equal(longer.headers["Holdfast-Event"], "evt.lock.refreshed");
    assert.equal(longer.headers["Holdfast-Fence"], acquired.headers["Holdfast-Fence"]);
    assert.deepEqual(Object.keys(longer.data).toSorted(), ["expires_at", "owner_id", "resource_id"]);
    assert.ok(String(longer.data["expires_at"]) > String(acquired.data["expires_at"]));
    await agent.command("cmd.lock.refresh", named);
    const released = await agent.command("cmd.lock.release", named);
    assert.equal(released.headers["Holdfast-Event"], "evt.lock.released");
    assert.deepEqual(released.data, named);
    const events = await agent.eventsUntil("evt.lock.released");
    assert.deepEqual(events.at(-1)?.data, named);
    assert.deepEqual(events.find(({ subject }) => subject === "evt.lock.refreshed")?.data["owner_id"], "ann");
  });

  test("a release of a lock that the owner does not hold is refused, and no event is published [M8]", async () => {
    await acquire("doc/6", "ann");
    const answer = await agent.command("cmd.lock.release", { resource_id: "doc/6", owner_id: "bob" });
    assert.equal(answer.headers["Holdfast-Problem"], "lock_not_held");
    assert.equal(answer.data["title"], "The caller does not hold this lock");
    const later = await acquire("doc/6b", "ann");
    const at = Number(later.headers["Holdfast-Position"]);
    const events = await agent.events((all) => Number(all.at(-1)?.headers["Holdfast-Position"]) >= at);
    const between = events.filter(
      ({ headers }) => headers["Holdfast-Position"] === answer.headers["Holdfast-Position"],
    );
    assert.deepEqual(between, []);
  });

  test("only its own agent can use a registered owner, and other owner names need no registration [M14]", async () => {
    const registered = await agent.request("req.operation.register-agent", { name: "carl" });
    const { agent_id: id, secret } = (registered.data as { outcome: { data: Record<string, string> } }).outcome.data;
    const stranger = await acquire("doc/7", String(id));
    assert.equal(stranger.headers["Holdfast-Problem"], "owner_taken");
    const own = await acquire("doc/7", String(id), {}, { "X-Agent-Id": String(id), "X-Agent-Secret": String(secret) });
    assert.equal(own.headers["Holdfast-Event"], "evt.lock.acquired");
    await agent.request("req.operation.end-agent", { agent_id: id }, { "X-Agent-Id": String(id) });
    const ended = await acquire("doc/8", "dora", {}, { "X-Agent-Id": String(id) });
    assert.equal(ended.headers["Holdfast-Problem"], "agent_unknown");
    assert.match(String(ended.data["ended_at"]), isoTime);
  });

  test("a lock does not block writes, and a write with a stale fence is refused [M10]", async () => {
    const acquired = await acquire("note/1", "ann");
    const fence = acquired.headers["Holdfast-Fence"];
    const create = { entity_id: "1", value: { text: "a" } };
    assert.equal((await agent.command("cmd.note.create", create)).headers["Holdfast-Problem"], undefined);
    const replace = { entity_id: "1", value: { text: "b" }, fence };
    assert.equal((await agent.command("cmd.note.replace", replace)).headers["Holdfast-Event"], "evt.note.changed");
    await agent.command("cmd.lock.release", { resource_id: "note/1", owner_id: "ann" });
    assert.equal((await agent.command("cmd.note.replace", replace)).headers["Holdfast-Problem"], "fence_stale");
  });
});

test("a lease expires by the clock of the runtime, with an entry, and the expiry is published to the mesh [M8 M9]", async () => {
  await using nats = await startNats();
  const node = await lockNode();
  const mesh = await startMeshNode(nats.url, { engine: node.engine });
  await using agent = await MeshAgent.connect(nats.url);
  const acquired = agent.command("cmd.lock.acquire", { resource_id: "doc/9", owner_id: "ann", ttl_seconds: 5 });
  assert.equal((await acquired).headers["Holdfast-Event"], "evt.lock.acquired");
  const before = node.engine.head.position;
  await node.clock.pass(4_900);
  assert.equal(node.engine.head.position, before);
  await node.clock.pass(2_000);
  const events = await agent.eventsUntil("evt.lock.expired");
  assert.deepEqual(events.at(-1)?.data, { resource_id: "doc/9" });
  assert.ok(Number(events.at(-1)?.headers["Holdfast-Position"]) > before);
  await mesh[Symbol.asyncDispose]();
  await node.stop();
});

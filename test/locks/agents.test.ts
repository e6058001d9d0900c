import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { after, granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };

describe("agents", () => {
  test("an agent registers, is listed, and frees all its locks and tickets in one entry when it ends [G1]", async () => {
    const node = await lockNode();
    const [a, b] = [await node.agent("a"), await node.agent("b")];
    assert.match(a.id, /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/u);
    const listed = await node.client.agents.list({ limit: 1 });
    assert.deepEqual(
      listed.items.map(({ name }) => name),
      ["a"],
    );
    assert.equal((await node.client.agents.list({ after: listed.next! })).items[0]?.agentId, b.id);
    for (const path of ["x", "y", "z"]) await rawAcquire(a, path, ttl);
    const waiting = queued(await rawAcquire(b, "y", { ...ttl, wait: true }));
    const me = await a.agents.whoAmI();
    assert.deepEqual([me.agent?.name, me.holds.length, me.waits.length], ["a", 3, 0]);
    const before = node.engine.head.position;
    await a.agents.end();
    assert.equal(node.engine.head.position, before + 1);
    assert.deepEqual(
      (await node.client.locks.list()).items.map(({ path }) => path),
      ["y"],
    );
    assert.equal((await b.locks.ticket(waiting.ticket)).state, "granted");
    await node.stop();
  });

  test("a call by an unknown or ended agent is refused with the time and the reason of its end [M14]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    await node.client.agents.end(a.id, { reason: "done" });
    const refused = await refusalOf(rawAcquire(a, "x", ttl));
    assert.deepEqual(
      [refused.code, refused.status, refused.data["why"], refused.data["by"]],
      ["agent_unknown", 401, "requested", "local"],
    );
    assert.ok(typeof refused.data["endedAt"] === "string");
    await assert.rejects(a.entities.create("t", "1", {}), refusedWith("agent_unknown"));
    await assert.rejects(node.client.as({ agentId: "nobody" }).agents.heartbeat(), refusedWith("agent_unknown"));
    await node.stop();
  });

  test("an agent authenticates with its secret, and the journal contains only the hash of it [M14 G1]", async () => {
    const node = await lockNode();
    const registered = await node.client.agents.register({ name: "a" });
    const thief = node.client.as({ agentId: registered.agentId, secret: "guessed" });
    await assert.rejects(thief.agents.whoAmI(), refusedWith("agent_unknown"));
    assert.equal((await node.client.as(registered).agents.whoAmI()).agent?.name, "a");
    const text = JSON.stringify(node.journal.batches);
    assert.ok(!text.includes(registered.secret));
    await node.stop();
  });

  test("an agent that registers again with its own key keeps its id, its locks and its tickets [G1]", async () => {
    const node = await lockNode();
    const first = await node.client.agents.register({ ownKey: "worker-1", name: "w" });
    const held = granted(await rawAcquire(node.client.as(first), "x", ttl));
    const again = await node.client.agents.register({ ownKey: "worker-1" });
    assert.deepEqual([again.agentId, again.resumed], [first.agentId, true]);
    const me = await node.client.as(again).agents.whoAmI();
    assert.equal(me.holds[0]?.fence, held.fence);
    await assert.rejects(
      node.client.as(first).agents.whoAmI(),
      refusedWith("agent_unknown"),
      "the old secret is invalid",
    );
    await node.stop();
  });

  test("an agent that is silent for an hour ends with its children, and no lock outlives its agent [G1]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const child = node.client.as(await node.client.agents.register({ parent: a.id }));
    const held = granted(await child.operations.acquireLock({ paths: ["x"], ttlMs: 86_400_000 }));
    assert.ok(
      Date.parse(held.expiresAt) - Date.parse(held.acquiredAt) <= 66 * 60_000,
      "the lease ends with the registration",
    );
    await node.clock.pass(59 * 60_000, 1_000);
    await child.agents.whoAmI();
    assert.equal((await node.client.locks.list()).items.length, 1);
    await node.clock.pass(7 * 60_000, 1_000);
    assert.equal((await node.client.locks.list()).items.length, 0);
    assert.equal((await refusalOf(child.agents.whoAmI())).data["why"], "parent_ended");
    await node.stop();
  });

  test("an agent renews all its locks with one heartbeat, and all heartbeats of a tick share one entry [X11 G1]", async () => {
    const node = await lockNode();
    const agents = await Promise.all(["a", "b", "c"].map((name) => node.agent(name)));
    for (const [index, agent] of agents.entries()) {
      for (const path of ["1", "2"]) await rawAcquire(agent, `${String(index)}/${path}`, ttl);
    }
    await node.clock.pass(20_000, 500);
    const before = node.engine.head.position;
    await after(node, Promise.all(agents.map((agent) => agent.agents.heartbeat())));
    assert.equal(node.engine.head.position, before + 1);
    await node.clock.pass(20_000, 500);
    assert.equal((await node.client.locks.records()).items.length, 6);
    await node.clock.pass(12_000, 500);
    assert.equal((await node.client.locks.records()).items.length, 0);
    await node.stop();
  });

  test("an idle agent stays registered, and most of its heartbeats write no entry [X11]", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const before = node.engine.head.position;
    for (let beat = 0; beat < 30; beat += 1) {
      await a.agents.heartbeat();
      await node.clock.pass(10_000, 1_000);
    }
    assert.ok(node.engine.head.position - before <= 1, "five minutes of heartbeats are one entry");
    await node.stop();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallReply } from "holdfast";
import { replayedLockReply } from "../../server/src/app/calls/lock-replies.ts";
import { agentLimits } from "../../server/src/features/agents/agent-table.ts";
import { lockLimits } from "../../server/src/features/locks/tables/settings.ts";
import { refusalOf } from "../api/refused-with.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire } from "./raw-acquire.ts";

const ttl = { ttlMs: 3_600_000 };
const wait = { ...ttl, wait: true, ticketMs: 600_000 };
const named = ({ events }: CallReply, name: string) =>
  events.filter((event) => event.name === name).map(({ data }) => data as Record<string, unknown>);

describe("end of a family of agents", () => {
  test("the end of a family grants nothing to its members, because all their tickets leave before any lock is freed [X5 G1]", async () => {
    const node = await lockNode();
    const parent = await node.agent("parent");
    const [one, other] = await Promise.all(
      ["one", "other"].map(async (name) =>
        node.client.as(await node.client.agents.register({ name, parent: parent.id })),
      ),
    );
    await rawAcquire(one!, "x", ttl);
    await rawAcquire(parent, "y", ttl);
    queued(await rawAcquire(parent, "x", wait));
    queued(await rawAcquire(other!, "x", wait));
    queued(await rawAcquire(other!, "y", wait));
    const stranger = queued(await rawAcquire(node.client, "x", { ...wait, ownerId: "stranger" }));
    const reply = await node.client.execute("end-agent", { agent_id: parent.id });
    assert.deepEqual(
      named(reply, "evt.lock.acquired").map(({ owner_id }) => owner_id),
      ["stranger"],
    );
    assert.equal(named(reply, "evt.agent.ended").length, 3);
    assert.equal(named(reply, "evt.lock.cancelled").length, 3);
    assert.equal((await node.client.locks.ticket(stranger.ticket)).state, "granted");
    assert.equal((await node.client.locks.records()).items.length, 1);
    await node.stop();
  });

  test("the end of a family with too many locks for one entry continues in the next entries and grants it nothing [G1]", async () => {
    const node = await lockNode();
    const parent = await node.agent("parent");
    const child = node.client.as(await node.client.agents.register({ parent: parent.id }));
    for (let set = 0; set < 9; set += 1) {
      const paths = Array.from({ length: 1_000 }, (_, index) => `big/${String(set)}/${String(index)}`);
      await rawAcquire(set % 2 === 0 ? parent : child, paths, ttl);
    }
    const last = queued(await rawAcquire(node.client, "big/8/999", { ...wait, ownerId: "last" }));
    const before = node.engine.head.position;
    const reply = await node.client.execute("end-agent", { agent_id: parent.id });
    assert.equal(reply.outcome.kind, "done");
    assert.ok(reply.events.length < 2 * lockLimits.eventsPerEntryMax, String(reply.events.length));
    const refused = await refusalOf(rawAcquire(node.client, "elsewhere", { ...ttl, ownerId: parent.id }));
    assert.equal(refused.code, "owner_taken");
    await node.clock.pass(1_000);
    await loopTicks(20);
    assert.deepEqual(
      (await node.client.locks.records()).items.map(({ owner }) => owner),
      ["last"],
    );
    assert.equal((await node.client.locks.ticket(last.ticket)).state, "granted");
    assert.ok(node.engine.head.position - before < 12, "a few entries are enough");
    await node.stop();
  });

  test("the end of a family fits its entries, because descendants and paths per owner are limited [G1]", async () => {
    const node = await lockNode();
    const parent = await node.agent("parent");
    const register = (under: string) => node.client.agents.register({ parent: under });
    const first = await register(parent.id);
    for (let count = 1; count < agentLimits.descendantsMax; count += 1)
      await register(count % 2 === 0 ? parent.id : first.agentId);
    assert.equal((await refusalOf(register(first.agentId))).code, "agent_limit");
    const set = Array.from({ length: 1_000 }, (_, index) => `p/${String(index)}`);
    for (let round = 0; round < 10; round += 1)
      await rawAcquire(
        parent,
        set.map((path) => `${String(round)}/${path}`),
        ttl,
      );
    assert.equal((await refusalOf(rawAcquire(parent, "one-more", ttl))).code, "lock_limit");
    await parent.agents.end();
    assert.equal((await node.client.agents.list()).items.length, 0);
    await node.clock.pass(1_000);
    await loopTicks(20);
    assert.equal((await node.client.locks.records()).items.length, 0);
    granted(await rawAcquire(node.client, "0/p/0", { ...ttl, ownerId: "next" }));
    await node.stop();
  });
});

test("a repeated reply never promises more than the agent had when the agent ends meanwhile [G1 M2]", async () => {
  const node = await lockNode();
  const registered = await node.client.agents.register({ inactivityMs: 60_000 });
  const given = granted(await rawAcquire(node.client.as(registered), "p", ttl));
  /** The agent ends right after the first read of the state. */
  const { engine } = node;
  const read = engine.read.bind(engine);
  engine.read = async (look) => {
    engine.read = read;
    const seen = await read(look);
    await node.client.execute("end-agent", { agent_id: registered.agentId });
    return seen;
  };
  const recorded = { granted: true, fence: given.fence, expires_at: given.expiresAt };
  const again = await replayedLockReply(engine, recorded, {});
  assert.deepEqual([again["still_held"], again["expires_at"]], [true, given.expiresAt]);
  assert.equal((await replayedLockReply(engine, recorded, {}))["still_held"], false);
  await node.stop();
});

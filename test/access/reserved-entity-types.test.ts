/**
 * Entities whose type has the same name as one of Holdfast's own subjects, such as `lock`. They are treated like all
 * entities.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { events, recordedAs } from "@holdfast/sdk/contract";
import type { Allowance, Verb } from "@holdfast/sdk/contract";
import type { Client, WatchedEvent } from "holdfast";
import { meshEvent } from "../../server/src/doors/nats/mesh-event.ts";
import { refusalOf } from "../api/refused-with.ts";
import { granted } from "../locks/lock-node.ts";
import { gatedNode } from "./gated-node.ts";
import type { GatedNode } from "./gated-node.ts";
import { rawAcquire, rawLocks } from "../locks/raw-acquire.ts";

/** The first segments of Holdfast's own event types and subjects. */
const ownWords = [
  ...new Set([...Object.keys(events).map((type) => type.slice(0, type.indexOf("."))), "ticket", "entry"]),
].filter((word) => word !== "entity");

const path = "repo/x/a";
const held = { ownerId: "boss", ttlMs: 600_000 };

function allowing(verbs: readonly Verb[], under: string): Allowance {
  return { verbs: [...verbs], under };
}

async function clientFor(node: GatedNode, name: string, ...allow: Allowance[]): Promise<Client> {
  return node.clientWith({ token: await node.tokenFor(name, allow), connection: name });
}

/** The events up to the one about the last subject. */
async function seenUntil(watched: AsyncIterableIterator<WatchedEvent>, last: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { name, subject } of watched) {
    if (subject === last) break;
    seen.push(`${name} ${subject}`);
  }
  return seen;
}

async function textOfHistory(client: Client): Promise<string> {
  return JSON.stringify(await client.locks.history(path));
}

describe("entities with reserved type names", () => {
  for (const word of ownWords) {
    test(`an entity of the type "${word}" is fully visible to a caller with read and write permission for that type alone`, async () => {
      const node = await gatedNode();
      const client = await clientFor(node, "tracker", allowing(["read", "write"], word), allowing(["read"], "last"));
      const watched = client.watch();
      const made = await client.execute("create-entity", { type: word, id: "42", value: { n: 1 } });
      const patched = await client.execute("patch-entity", { type: word, id: "42", merge: { n: 2 } });
      const late = await client.execute("patch-entity", { type: word, id: "42", merge: {}, expected_version: 1 });
      await node.operator.entities.create("last", "1", {});
      const expected = ["created", "changed", "conflict"].map((verb) => `evt.${word}.${verb} ${word}/42`);
      const published = [made, patched, late].flatMap((reply) => reply.events);
      assert.deepEqual(
        published.map(({ name, subject }) => `${name} ${subject}`),
        expected,
      );
      assert.deepEqual(await seenUntil(watched, "last/1"), expected);
      const { items } = await client.entities.history(word, "42");
      assert.equal(items.length, 3);
      await node.stop();
    });
  }

  test("a caller that may read entities of every reserved type sees none of Holdfast's own events by that right", async () => {
    const node = await gatedNode();
    const allow = ownWords.map((word) => allowing(["read"], word));
    const reader = await clientFor(node, "reader", ...allow);
    const watched = reader.watch();
    const { operator } = node;
    await node.clientWith().execute("configure-locks", { lock_manager: false });
    const { tokenId: id } = await operator.tokens.create({ principal: "p", allow: [allowing(["read"], "doc")] });
    await operator.tokens.revoke(id);
    await operator.agents.end((await operator.agents.register({ name: "somebody" })).agentId);
    const { position } = await operator.entities.create("doc", "1", {});
    await operator.entities.replace("doc", "1", { n: 2 });
    await operator.run("erase-payload", { position, reason: "asked for" });
    await operator.run("configure-locks", { lock_manager: true });
    granted(await rawAcquire(operator, path, held));
    await rawAcquire(operator, path, { ...held, ownerId: "next", wait: true });
    await operator.entities.create("ticket", "last", {});
    assert.deepEqual(await seenUntil(watched, "ticket/last"), []);
    const all = (await seenUntil(operator.watch({ after: "1.0" }), "ticket/last")).map((line) => line.split(".")[1]);
    for (const word of ["token", "agent", "payload", "locks", "lock", "access"]) assert.ok(all.includes(word), word);
    await node.stop();
  });

  test("an entity of the type lock is hidden from a caller that may only lock its path, and from the lock's history", async () => {
    const node = await gatedNode();
    const locker = await clientFor(node, "locker", allowing(["lock"], "repo/x"));
    const watched = locker.watch();
    granted(await rawAcquire(node.operator, path, held));
    const { entities } = node.operator;
    await entities.create("lock", path, { s: "sesame" });
    for (let n = 0; n < 2; n += 1) await entities.patch("lock", path, { merge: { s: `sesame${n}` } });
    assert.doesNotMatch(await textOfHistory(locker), /sesame/);
    assert.doesNotMatch(await textOfHistory(node.operator), /sesame/);
    const { items, next } = await locker.locks.history(path, { limit: 1 });
    assert.deepEqual([items.length, next], [1, null], "a page of the history holds only events of the lock");
    await node.operator.locks.release({ paths: [path] }, { ownerId: held.ownerId });
    granted(await rawAcquire(node.operator, "repo/x/last", held));
    const seen = await seenUntil(watched, "lock/repo/x/last");
    assert.deepEqual(seen, [`evt.lock.acquired lock/${path}`, `evt.lock.released lock/${path}`]);
    await node.stop();
  });

  test("an entity of the type lock does not hide the holder of the lock on the same path, at any position", async () => {
    const node = await gatedNode();
    const locks = rawLocks(node.operator);
    const { entities } = node.operator;
    const first = granted(await locks.acquire(path, held));
    await entities.create("lock", path, {});
    const during = node.engine.head.position;
    for (let n = 0; n < 120; n += 1) await entities.patch("lock", path, { merge: { n } });
    const long = node.engine.head.position;
    await locks.release({ fence: first.fence }, { ownerId: held.ownerId, note: "half done" });
    await entities.patch("lock", path, { merge: { n: -1 } });
    const free = node.engine.head.position;
    const holdersAt = async (position: number) =>
      (await locks.statusAt(path, position)).holders.map(({ ownerId: owner }) => owner);
    assert.deepEqual([await holdersAt(during), await holdersAt(long)], [["boss"], ["boss"]]);
    assert.deepEqual(await holdersAt(free), []);
    const second = granted(await locks.acquire(path, { ownerId: "next", ttlMs: 600_000 }));
    assert.deepEqual(
      second.leftBefore.map(({ by, note }) => [by, note]),
      [["boss", "half done"]],
    );
    await node.stop();
  });

  test("an entity of the type lock has its own history and versions, apart from the lock on the same path", async () => {
    const node = await gatedNode();
    const locks = rawLocks(node.operator);
    const { entities } = node.operator;
    const reader = await clientFor(node, "reader", allowing(["read"], "lock"));
    await entities.create("lock", path, { n: 1 });
    const lost = await refusalOf(reader.entities.history("lock", "repo/x/none"));
    granted(await locks.acquire([path, "repo/x/none"], held));
    await entities.patch("lock", path, { merge: { n: 2 } });
    await locks.release({ paths: [path] }, { ownerId: held.ownerId });
    await entities.patch("lock", path, { merge: { n: 3 } });
    assert.deepEqual((await reader.entities.get("lock", path, { version: 2 })).value, { n: 2 });
    const { items } = await reader.entities.history("lock", path);
    assert.deepEqual(
      items.map(({ event, version }) => [event, version]),
      [
        ["evt.lock.changed", 3],
        ["evt.lock.changed", 2],
        ["evt.lock.created", 1],
      ],
    );
    assert.equal(lost.code, "entity_not_found");
    const refusal = await refusalOf(reader.entities.history("lock", "repo/x/none"));
    assert.equal(refusal.code, "entity_not_found", "a lock without an entity is not an entity");
    const late = await refusalOf(entities.patch("lock", path, { merge: { n: 9 } }, { expectedVersion: 1 }));
    assert.match(JSON.stringify(late.data["changes"]), /"before":1,"after":3/);
    const audit = await node.operator.audit.list({ subject: `lock/${path}`, operation: "patch-entity" });
    const priors = audit.items.flatMap(({ changes }) => changes.map(({ priorRevision: prior }) => prior));
    assert.deepEqual(priors, ["1.2", "1.1"]);
    await node.stop();
  });

  test("an entity of the type agent is not shown to the agent of the same id, and does not hide the reason of its end", async () => {
    const node = await gatedNode();
    const client = await clientFor(node, "ci", allowing(["lock", "register"], "repo"));
    const agent = await client.agents.register({ name: "a" });
    const own = client.watch({ owner: agent.agentId });
    await node.operator.entities.create("agent", agent.agentId, { s: "sesame" });
    await node.operator.agents.end(agent.agentId);
    await node.operator.entities.patch("agent", agent.agentId, { merge: { s: "sesame" } });
    const first = (await own.next()).value as WatchedEvent;
    assert.equal(first.name, "evt.agent.ended");
    const gone = await refusalOf(client.as(agent).operations.acquireLock({ paths: ["repo/a"] }));
    assert.deepEqual([gone.code, gone.data["by"]], ["agent_unknown", "operator"]);
    await node.stop();
  });

  test("an event of an entity of the type lock carries the entity's id on the mesh, with any event name of its kind", () => {
    const event = { name: "evt.lock.acquired", subject: "lock/front-door", data: { version: 1, value: {} } };
    const entity = meshEvent(recordedAs("entity.replaced", { ...event }));
    assert.deepEqual(entity.data, { entity_id: "front-door", version: 1, value: {} });
    const lock = meshEvent(
      recordedAs("lock.acquired", { ...event, data: { resource_id: "front-door", fence: "1.1" } }),
    );
    assert.deepEqual([lock.data["resource_id"], "entity_id" in lock.data], ["front-door", false]);
  });
});

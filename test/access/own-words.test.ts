/** Entities may be of types that are called like what is Holdfast's own. They are entities, and nothing else. */
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

/** The first words of Holdfast's own events and of what they are about. */
const ownWords = [
  ...new Set([...Object.keys(events).map((type) => type.slice(0, type.indexOf("."))), "ticket", "entry"]),
].filter((word) => word !== "entity");

const path = "repo/x/a";
const held = { ownerId: "boss", ttlSeconds: 600 };

function allowing(verbs: readonly Verb[], under: string): Allowance {
  return { verbs: [...verbs], under };
}

async function comer(node: GatedNode, name: string, ...allow: Allowance[]): Promise<Client> {
  return node.clientWith({ token: await node.tokenFor(name, allow), connection: name });
}

/** What is seen up to the entity that comes last. */
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

describe("an entity is an entity", () => {
  for (const word of ownWords) {
    test(`also of the type "${word}": whoever may read and write it alone sees all of it`, async () => {
      const node = await gatedNode();
      const client = await comer(node, "tracker", allowing(["read", "write"], word), allowing(["read"], "last"));
      const watched = client.watch();
      const made = await client.execute("create-entity", { type: word, id: "42", value: { n: 1 } });
      const patched = await client.execute("patch-entity", { type: word, id: "42", merge: { n: 2 } });
      const late = await client.execute("patch-entity", { type: word, id: "42", merge: {}, expected_version: 1 });
      await node.operator.entities.create("last", "1", {});
      const expected = ["created", "changed", "conflict"].map((verb) => `evt.${word}.${verb} ${word}/42`);
      const told = [made, patched, late].flatMap((reply) => reply.events);
      assert.deepEqual(
        told.map(({ name, subject }) => `${name} ${subject}`),
        expected,
      );
      assert.deepEqual(await seenUntil(watched, "last/1"), expected);
      const { items } = await client.entities.history(word, "42");
      assert.equal(items.length, 3);
      await node.stop();
    });
  }

  test("of whatever type may be read by who sees none of Holdfast's own events by that right", async () => {
    const node = await gatedNode();
    const allow = ownWords.map((word) => allowing(["read"], word));
    const reader = await comer(node, "reader", ...allow);
    const watched = reader.watch();
    const { operator } = node;
    await node.clientWith().execute("configure-locks", { lock_manager: false });
    const { token_id: id } = await operator.tokens.create({ principal: "p", allow: [allowing(["read"], "doc")] });
    await operator.tokens.revoke(id);
    await operator.agents.end((await operator.agents.register({ name: "somebody" })).agent_id);
    const { position } = await operator.entities.create("doc", "1", {});
    await operator.entities.replace("doc", "1", { n: 2 });
    await operator.run("erase-payload", { position, reason: "asked for" });
    await operator.run("configure-locks", { lock_manager: true });
    granted(await operator.locks.acquire(path, held));
    await operator.locks.acquire(path, { ...held, ownerId: "next", wait: true });
    await operator.entities.create("ticket", "last", {});
    assert.deepEqual(await seenUntil(watched, "ticket/last"), []);
    const all = (await seenUntil(operator.watch({ after: "1.0" }), "ticket/last")).map((line) => line.split(".")[1]);
    for (const word of ["token", "agent", "payload", "locks", "lock", "access"]) assert.ok(all.includes(word), word);
    await node.stop();
  });

  test("of the type lock is not shown to who may lock the path that is its id, nor listed among its locks", async () => {
    const node = await gatedNode();
    const locker = await comer(node, "locker", allowing(["lock"], "repo/x"));
    const watched = locker.watch();
    granted(await node.operator.locks.acquire(path, held));
    const { entities } = node.operator;
    await entities.create("lock", path, { s: "sesame" });
    for (let n = 0; n < 2; n += 1) await entities.patch("lock", path, { merge: { s: `sesame${n}` } });
    assert.doesNotMatch(await textOfHistory(locker), /sesame/);
    assert.doesNotMatch(await textOfHistory(node.operator), /sesame/);
    const { items, next } = await locker.locks.history(path, { limit: 1 });
    assert.deepEqual(
      [items.length, next],
      [1, null],
      "a page holds what happened to the lock, not what lies before it",
    );
    await node.operator.locks.release({ paths: [path] }, { ownerId: held.ownerId });
    granted(await node.operator.locks.acquire("repo/x/last", held));
    const seen = await seenUntil(watched, "lock/repo/x/last");
    assert.deepEqual(seen, [`evt.lock.acquired lock/${path}`, `evt.lock.released lock/${path}`]);
    await node.stop();
  });

  test("of the type lock hides nobody who holds the path that is its id, at whatever position it is asked for", async () => {
    const node = await gatedNode();
    const { locks, entities } = node.operator;
    const first = granted(await locks.acquire(path, held));
    await entities.create("lock", path, {});
    const during = node.engine.head.position;
    for (let n = 0; n < 120; n += 1) await entities.patch("lock", path, { merge: { n } });
    const long = node.engine.head.position;
    await locks.release({ fence: first.fence }, { ownerId: held.ownerId, note: "half done" });
    await entities.patch("lock", path, { merge: { n: -1 } });
    const free = node.engine.head.position;
    const holdersAt = async (position: number) =>
      (await locks.statusAt(path, position)).holders.map(({ owner_id: owner }) => owner);
    assert.deepEqual([await holdersAt(during), await holdersAt(long)], [["boss"], ["boss"]]);
    assert.deepEqual(await holdersAt(free), []);
    const second = granted(await locks.acquire(path, { ownerId: "next", ttlSeconds: 600 }));
    assert.deepEqual(
      second.left_before.map(({ by, note }) => [by, note]),
      [["boss", "half done"]],
    );
    await node.stop();
  });

  test("of the type lock has its own history and versions, whatever happens to the lock of the same name", async () => {
    const node = await gatedNode();
    const { locks, entities } = node.operator;
    const reader = await comer(node, "reader", allowing(["read"], "lock"));
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
    const still = await refusalOf(reader.entities.history("lock", "repo/x/none"));
    assert.equal(still.code, "entity_not_found", "a lock alone is no entity");
    const late = await refusalOf(entities.patch("lock", path, { merge: { n: 9 } }, { expectedVersion: 1 }));
    assert.match(JSON.stringify(late.data["changes"]), /"before":1,"after":3/);
    const audit = await node.operator.audit.list({ subject: `lock/${path}`, operation: "patch-entity" });
    const priors = audit.items.flatMap(({ changes }) => changes.map(({ prior_revision: prior }) => prior));
    assert.deepEqual(priors, ["1.2", "1.1"]);
    await node.stop();
  });

  test("of the type agent is told to no agent as its own, and hides from none why it ended", async () => {
    const node = await gatedNode();
    const client = await comer(node, "ci", allowing(["lock", "register"], "repo"));
    const agent = await client.agents.register({ name: "a" });
    const own = client.watch({ owner: agent.agent_id });
    await node.operator.entities.create("agent", agent.agent_id, { s: "sesame" });
    await node.operator.agents.end(agent.agent_id);
    await node.operator.entities.patch("agent", agent.agent_id, { merge: { s: "sesame" } });
    const first = (await own.next()).value as WatchedEvent;
    assert.equal(first.name, "evt.agent.ended");
    const gone = await refusalOf(client.as(agent).locks.acquire("repo/a"));
    assert.deepEqual([gone.code, gone.data["by"]], ["agent_unknown", "operator"]);
    await node.stop();
  });

  test("of the type lock is told over the mesh with its id, whatever its kind calls a change", () => {
    const told = { name: "evt.lock.acquired", subject: "lock/front-door", data: { version: 1, value: {} } };
    const entity = meshEvent(recordedAs("entity.replaced", { ...told }));
    assert.deepEqual(entity.data, { entity_id: "front-door", version: 1, value: {} });
    const lock = meshEvent(recordedAs("lock.acquired", { ...told, data: { resource_id: "front-door", fence: "1.1" } }));
    assert.deepEqual([lock.data["resource_id"], "entity_id" in lock.data], ["front-door", false]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, WatchedEvent } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { gatedNode } from "./gated-node.ts";

/** The events up to the one about the last subject. */
async function seenUntil(events: AsyncIterableIterator<WatchedEvent>, last: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { name, subject } of events) {
    if (subject === last) break;
    seen.push(`${name} ${subject}`);
  }
  return seen;
}

async function work(client: Client): Promise<void> {
  await client.entities.create("doc", "seen", {});
  await client.entities.create("secret", "1", {});
  const [inside, both] = [
    await client.operations.acquireLock({ paths: ["doc/seen"], ownerId: "o", ttlMs: 60_000 }),
    await client.operations.acquireLock({ paths: ["doc/other", "secret/2"], ownerId: "o", ttlMs: 60_000 }),
  ];
  assert.ok(inside.granted && both.granted);
  await client.locks.release({ fence: inside.fence }, { ownerId: "o" });
  await client.entities.create("doc", "last", {});
}

test("a watch omits events that its caller may not read, and starts after the moment of the request", async () => {
  const node = await gatedNode();
  const client = node.clientWith({ token: await node.tokenFor("ci", [{ verbs: ["read"], under: "doc" }]) });
  const live = client.watch();
  await work(node.operator);
  await node.operator.agents.register({ name: "somebody" });
  const visible = ["evt.doc.created doc/seen", "evt.lock.acquired lock/doc/seen", "evt.lock.released lock/doc/seen"];
  assert.deepEqual(await seenUntil(live, "doc/last"), visible);
  assert.deepEqual(
    await seenUntil(client.watch({ after: "1.0" }), "doc/last"),
    visible,
    "a watch from a cursor omits them too",
  );
  const all = await seenUntil(node.clientWith().watch({ after: "1.0" }), "doc/last");
  assert.ok(all.length > visible.length + 3, "a caller that may read everything sees all events");
  await node.stop();
});

test("an agent gets the events about itself, including its end, with a token that may only lock [M14]", async () => {
  const node = await gatedNode();
  const client = node.clientWith({
    token: await node.tokenFor("ci", [{ verbs: ["lock", "register"], under: "repo" }]),
  });
  const agent = await client.agents.register({ name: "a" });
  const stranger = await node.operator.agents.register({ name: "b" });
  const own = client.watch({ owner: agent.agentId });
  const others = client.watch({ after: "1.0" });
  await node.operator.as(stranger).operations.acquireLock({ paths: ["elsewhere"], ttlMs: 60_000 });
  await client.as(agent).operations.acquireLock({ paths: ["repo/a"] });
  await node.operator.agents.end(agent.agentId);
  const names: string[] = [];
  for await (const { name } of own) if (names.push(name) === 3) break;
  assert.deepEqual(names.toSorted(), ["evt.agent.ended", "evt.lock.acquired", "evt.lock.released"]);
  await client.as(await client.agents.register({ name: "c" })).operations.acquireLock({ paths: ["repo/last"] });
  const seen = await seenUntil(others, "lock/repo/last");
  assert.ok(!seen.some((line) => line.includes("elsewhere") || line.includes(stranger.agentId)), seen.join("\n"));
  await node.stop();
});

test("a watch ends when its token is revoked, before it delivers another event [P6]", async () => {
  const node = await gatedNode();
  const allow = [{ verbs: ["read" as const], under: "" }];
  const { secret, tokenId } = await node.operator.tokens.create({ principal: "ci", allow });
  const events = node.clientWith({ token: secret }).watch();
  const first = events.next();
  await node.operator.entities.create("doc", "1", {});
  assert.equal(((await first).value as WatchedEvent).subject, "doc/1");
  const second = events.next();
  await node.operator.tokens.revoke(tokenId);
  await assert.rejects(second, refusedWith("token_invalid"));
  await node.stop();
});

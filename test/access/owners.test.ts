import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowance } from "holdfast";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { gatedNode } from "./gated-node.ts";
import { rawAcquire, rawLocks } from "../locks/raw-acquire.ts";

const everything: Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

async function annAndBob() {
  const node = await gatedNode();
  const ann = node.clientWith({ token: await node.tokenFor("ann", everything), connection: "ann" });
  const bob = node.clientWith({ token: await node.tokenFor("bob", everything), connection: "bob" });
  return { node, ann, bob };
}

const shared = { ownerId: "worker-1", ttlMs: 60_000 };

test("an owner id without registration belongs to its principal while it has a lock or a ticket [M14]", async () => {
  const { node, ann, bob } = await annAndBob();
  const held = await rawAcquire(ann, "repo/a", shared);
  assert.ok(held.granted);
  const { fence } = held;
  const attempts = [
    () => bob.locks.release({ fence }, shared),
    () => bob.locks.release({ paths: ["repo/a"] }, shared),
    () => bob.locks.renew({ fence }, shared),
    () => bob.locks.downgrade({ fence }, "read", shared),
    () => bob.locks.transfer({ fence }, "mine", shared),
    () => rawAcquire(bob, "repo/b", shared),
    () => bob.locks.requestRelease("repo/a", "please", shared),
  ];
  for (const attempt of attempts) await assert.rejects(attempt(), refusedWith("owner_taken"));
  await assert.rejects(bob.locks.release({ fence }, { ownerId: "mine" }), refusedWith("lock_not_held"));
  const another = await rawAcquire(ann, "repo/b", shared);
  assert.ok(another.granted);
  await ann.locks.release({ fence }, shared);
  await assert.rejects(rawAcquire(bob, "repo/c", shared), refusedWith("owner_taken"), "the owner still has repo/b");
  await ann.locks.release({ fence: another.fence }, shared);
  assert.ok((await rawAcquire(bob, "repo/a", shared)).granted, "an owner id without locks is free");
  await assert.rejects(rawAcquire(ann, "repo/b", shared), refusedWith("owner_taken"));
  await node.stop();
});

test("no caller can act as an owner whose name begins with holdfast:, or hand it a lock [M14]", async () => {
  const { node, ann } = await annAndBob();
  const own = await rawAcquire(ann, "repo/a", shared);
  assert.ok(own.granted);
  const { fence } = own;
  const reserved = { ownerId: "holdfast:job:j1", ttlMs: 60_000 };
  for (const caller of [ann, node.operator]) {
    const attempts = [
      () => rawAcquire(caller, "repo/b", reserved),
      () => rawAcquire(caller, "repo/a", { ...reserved, wait: true }),
      () => caller.locks.release({ fence }, reserved),
      () => caller.locks.renew({ fence }, reserved),
      () => caller.locks.requestRelease("repo/a", "please", reserved),
    ];
    for (const attempt of attempts) await assert.rejects(attempt(), refusedWith("owner_taken"));
  }
  await assert.rejects(ann.locks.transfer({ fence }, reserved.ownerId, shared), refusedWith("owner_taken"));
  await node.stop();
});

test("a ticket belongs to its principal after another caller's entry grants it, and after an upgrade [M14]", async () => {
  const { node, ann, bob } = await annAndBob();
  const first = await bob.operations.acquireLock({ paths: ["repo/a"], ownerId: "bobs", ttlMs: 60_000 });
  assert.ok(first.granted);
  const queued = await rawAcquire(ann, "repo/a", { ...shared, mode: "upgradeable", wait: true });
  assert.ok(!queued.granted);
  await assert.rejects(bob.locks.cancel(queued.ticket, shared), refusedWith("owner_taken"));
  await bob.locks.release({ fence: first.fence }, { ownerId: "bobs" });
  await assert.rejects(bob.locks.accept(queued.ticket, shared), refusedWith("owner_taken"));
  const granted = await ann.locks.accept(queued.ticket, shared);
  assert.ok(granted.granted);
  const reader = await bob.operations.acquireLock({ paths: ["repo/a"], ownerId: "bobs", mode: "read", ttlMs: 60_000 });
  assert.ok(reader.granted);
  await ann.locks.upgrade({ fence: granted.fence }, { ...shared, wait: true });
  await bob.locks.release({ fence: reader.fence }, { ownerId: "bobs" });
  const { holds } = await ann.agents.whoAmI({ ownerId: "worker-1" });
  assert.equal(holds[0]?.paths[0]?.mode, "write");
  await assert.rejects(bob.locks.release({ paths: ["repo/a"] }, shared), refusedWith("owner_taken"));
  assert.deepEqual((await ann.locks.release({ paths: ["repo/a"] }, shared)).released, ["repo/a"]);
  await node.stop();
});

test("a lock that is transferred to a registered agent belongs to that agent, for any sender [M14]", async () => {
  const { node, ann, bob } = await annAndBob();
  const agent = await bob.agents.register({ name: "b" });
  const held = await rawAcquire(ann, "repo/a", shared);
  assert.ok(held.granted);
  await bob.as(agent).operations.acquireLock({ paths: ["repo/a"], ttlMs: 60_000, wait: true });
  await ann.locks.transfer({ fence: held.fence }, agent.agentId, shared);
  await assert.rejects(
    ann.locks.release({ paths: ["repo/a"] }, { ownerId: agent.agentId }),
    refusedWith("owner_taken"),
  );
  assert.deepEqual((await bob.as(agent).locks.release({ paths: ["repo/a"] })).released, ["repo/a"]);
  await node.stop();
});

test("a visible fence is accepted only from the principal that holds the lock [X3 W13]", async () => {
  const { node, ann, bob } = await annAndBob();
  const held = await rawAcquire(ann, "doc/1", shared);
  assert.ok(held.granted);
  const { fence } = held;
  await assert.rejects(bob.entities.create("doc", "1", "bob's", { fence }), refusedWith("fence_stale"));
  await ann.entities.create("doc", "1", "ann's", { fence });
  await node.stop();
});

test("a lock is transferred to another principal only while that one has a ticket for all its paths [X14 X15]", async () => {
  const { node, ann, bob } = await annAndBob();
  const agent = await bob.agents.register({ name: "b" });
  const asAgent = rawLocks(bob.as(agent));
  const held = await rawAcquire(ann, ["repo/a", "repo/b/c"], shared);
  assert.ok(held.granted);
  const transfer = () => ann.locks.transfer({ fence: held.fence }, agent.agentId, shared);
  const refusal = await refusalOf(transfer());
  assert.deepEqual([refusal.code, refusal.status, refusal.data], ["transfer_refused", 403, { ownerId: agent.agentId }]);
  const wait = { ttlMs: 60_000, wait: true };
  await asAgent.acquire("repo/a", wait);
  await assert.rejects(transfer(), refusedWith("transfer_refused"), "one path of two");
  await asAgent.acquire("repo/b", { ...wait, mode: "read" });
  await assert.rejects(transfer(), refusedWith("transfer_refused"), "a weaker mode");
  await asAgent.acquire("repo/b", { ...wait, scope: "self" });
  await assert.rejects(transfer(), refusedWith("transfer_refused"), "not the tree");
  await asAgent.acquire("repo/b", wait);
  const { fence } = await transfer();
  assert.deepEqual((await asAgent.release({ fence })).released, ["repo/a", "repo/b/c"]);
  const own = await rawAcquire(ann, "repo/z", shared);
  assert.ok(own.granted);
  await ann.locks.transfer({ fence: own.fence }, "worker-2", shared);
  await node.stop();
});

test("an agent has only children of its own principal, so no other principal uses up its family [X15]", async () => {
  const { node, ann, bob } = await annAndBob();
  const parent = await ann.agents.register({ name: "parent" });
  const refusal = await refusalOf(bob.agents.register({ parent: parent.agentId }));
  assert.deepEqual([refusal.code, refusal.data["agentId"]], ["agent_unknown", parent.agentId]);
  const child = await ann.agents.register({ parent: parent.agentId });
  assert.equal(child.parent, parent.agentId);
  await node.stop();
});

test("a release request names the calling agent or principal as its author, regardless of the owner that it sends [X14]", async () => {
  const { node, ann, bob } = await annAndBob();
  await rawAcquire(ann, "repo/a", shared);
  const cursor = await node.client.cursor();
  const asked = async () => (await ann.locks.status("repo/a")).holders[0]?.askedToRelease;
  await bob.locks.requestRelease("repo/a", "now", { ownerId: "operator" });
  assert.equal(await asked(), "bob for operator: now");
  const agent = await bob.agents.register({});
  await bob.as(agent).locks.requestRelease("repo/a", "soon");
  assert.equal(await asked(), `${agent.agentId}: soon`);
  const authors: unknown[] = [];
  for await (const { data } of node.client.watch({ after: cursor, names: ["evt.lock.release_requested"] })) {
    const { by, by_owner: owner } = data as { readonly by: string; readonly by_owner?: string };
    if (authors.push([by, owner]) === 2) break;
  }
  assert.deepEqual(authors, [
    ["bob", "operator"],
    [agent.agentId, undefined],
  ]);
  await node.stop();
});

test("an author has one open release request per lock, and an equal one writes no entry [X15]", async () => {
  const { node, ann, bob } = await annAndBob();
  await rawAcquire(ann, "repo/a", shared);
  await rawAcquire(ann, "repo/b", shared);
  const entries = async (reason: string, client = bob): Promise<number> => {
    const before = node.engine.head.position;
    assert.deepEqual((await client.locks.requestRelease("repo", reason)).asked, ["worker-1"]);
    return node.engine.head.position - before;
  };
  assert.deepEqual([await entries("now"), await entries("now"), await entries("please")], [1, 0, 1]);
  const cid = node.clientWith({ token: await node.tokenFor("cid", everything), connection: "cid" });
  assert.deepEqual([await entries("please", cid), await entries("please")], [1, 0]);
  await rawAcquire(ann, "repo/c", shared);
  assert.equal(await entries("please"), 1, "only the new lock gets the request");
  await node.stop();
});

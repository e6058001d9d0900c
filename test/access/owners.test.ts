import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowance } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { gatedNode } from "./gated-node.ts";

const everything: Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

async function annAndBob() {
  const node = await gatedNode();
  const ann = node.clientWith({ token: await node.tokenFor("ann", everything), connection: "ann" });
  const bob = node.clientWith({ token: await node.tokenFor("bob", everything), connection: "bob" });
  return { node, ann, bob };
}

const shared = { ownerId: "worker-1", ttlSeconds: 60 };

test("an owner id without registration belongs to its principal while it has a lock or a ticket [M14]", async () => {
  const { node, ann, bob } = await annAndBob();
  const held = await ann.locks.acquire("repo/a", shared);
  assert.ok(held.granted);
  const { fence } = held;
  const attempts = [
    () => bob.locks.release({ fence }, shared),
    () => bob.locks.release({ paths: ["repo/a"] }, shared),
    () => bob.locks.renew({ fence }, shared),
    () => bob.locks.downgrade({ fence }, "read", shared),
    () => bob.locks.transfer({ fence }, "mine", shared),
    () => bob.locks.acquire("repo/b", shared),
    () => bob.locks.requestRelease("repo/a", "please", shared),
  ];
  for (const attempt of attempts) await assert.rejects(attempt(), refusedWith("owner_taken"));
  await assert.rejects(bob.locks.release({ fence }, { ownerId: "mine" }), refusedWith("lock_not_held"));
  const another = await ann.locks.acquire("repo/b", shared);
  assert.ok(another.granted);
  await ann.locks.release({ fence }, shared);
  await assert.rejects(bob.locks.acquire("repo/c", shared), refusedWith("owner_taken"), "the owner still has repo/b");
  await ann.locks.release({ fence: another.fence }, shared);
  assert.ok((await bob.locks.acquire("repo/a", shared)).granted, "an owner id without locks is free");
  await assert.rejects(ann.locks.acquire("repo/b", shared), refusedWith("owner_taken"));
  await node.stop();
});

test("a ticket belongs to its principal after another caller's entry grants it, and after an upgrade [M14]", async () => {
  const { node, ann, bob } = await annAndBob();
  const first = await bob.locks.acquire("repo/a", { ownerId: "bobs", ttlSeconds: 60 });
  assert.ok(first.granted);
  const queued = await ann.locks.acquire("repo/a", { ...shared, mode: "upgradeable", wait: true });
  assert.ok(!queued.granted);
  await assert.rejects(bob.locks.cancel(queued.ticket, shared), refusedWith("owner_taken"));
  await bob.locks.release({ fence: first.fence }, { ownerId: "bobs" });
  await assert.rejects(bob.locks.accept(queued.ticket, shared), refusedWith("owner_taken"));
  const granted = await ann.locks.accept(queued.ticket, shared);
  assert.ok(granted.granted);
  const reader = await bob.locks.acquire("repo/a", { ownerId: "bobs", mode: "read", ttlSeconds: 60 });
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
  const held = await ann.locks.acquire("repo/a", shared);
  assert.ok(held.granted);
  await ann.locks.transfer({ fence: held.fence }, agent.agent_id, shared);
  await assert.rejects(
    ann.locks.release({ paths: ["repo/a"] }, { ownerId: agent.agent_id }),
    refusedWith("owner_taken"),
  );
  assert.deepEqual((await bob.as(agent).locks.release({ paths: ["repo/a"] })).released, ["repo/a"]);
  await node.stop();
});

test("a visible fence is accepted only from the principal that holds the lock [X3 W13]", async () => {
  const { node, ann, bob } = await annAndBob();
  const held = await ann.locks.acquire("doc/1", shared);
  assert.ok(held.granted);
  const { fence } = held;
  await assert.rejects(bob.entities.create("doc", "1", "bob's", { fence }), refusedWith("fence_stale"));
  await ann.entities.create("doc", "1", "ann's", { fence });
  await node.stop();
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LockMode, LockScope } from "holdfast";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { Decider, eventLines } from "./decider.ts";
import { granted, lockNode, queued } from "./lock-node.ts";
import { rawAcquire, rawTryAcquire, rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 30_000 };

describe("modes", () => {
  promiseOnEveryStore(
    "a read lock shares with reads and one upgradeable lock, and a write lock shares with nothing [W1]",
    async (client) => {
      const shares = async (one: LockMode, other: LockMode, path: string): Promise<boolean> => {
        await rawAcquire(client, path, { ...ttl, mode: one, ownerId: "a" });
        const answer = await rawTryAcquire(client, path, { ...ttl, mode: other, ownerId: "b" });
        return answer.granted;
      };
      const modes: LockMode[] = ["read", "upgradeable", "write"];
      const found: string[] = [];
      for (const one of modes)
        for (const other of modes) if (await shares(one, other, `m/${one}-${other}`)) found.push(`${one}+${other}`);
      assert.deepEqual(found, ["read+read", "read+upgradeable", "upgradeable+read"]);
    },
  );

  promise("a lock on one path is unaffected by grants and releases on another path [W1]", async (client) => {
    const locks = rawLocks(client);
    const read = async (path: string, ownerId: string) =>
      granted(await locks.acquire(path, { ...ttl, mode: "read", ownerId }));
    const writes = async (path: string): Promise<boolean> =>
      (await locks.tryAcquire(path, { ...ttl, ownerId: "writer" })).granted;
    const [one, other] = [await read("one", "a"), await read("other", "a")];
    await locks.release({ fence: one.fence }, { ownerId: "a" });
    assert.equal(await writes("other"), false, "the path still has its reader");
    const [first, second] = [await read("one", "b"), await read("one", "c")];
    await locks.release({ fence: first.fence }, { ownerId: "b" });
    assert.equal(await writes("one"), false, "the path still has one of its two readers");
    await locks.release({ fence: second.fence }, { ownerId: "c" });
    await locks.release({ fence: other.fence }, { ownerId: "a" });
    assert.deepEqual([await writes("one"), await writes("other")], [true, true]);
  });

  promise("an upgrade is atomic and succeeds only without other readers [W1]", async (client) => {
    const locks = rawLocks(client);
    const mine = granted(await locks.acquire("p", { ...ttl, mode: "upgradeable", ownerId: "a" }));
    const other = granted(await locks.acquire("p", { ...ttl, mode: "read", ownerId: "b" }));
    await assert.rejects(locks.upgrade({ fence: mine.fence }, { ownerId: "a" }), refusedWith("lock_denied"));
    const waiting = queued(await locks.upgrade({ fence: mine.fence }, { wait: true, ownerId: "a" }));
    await assert.rejects(locks.acquire("p", { ...ttl, mode: "read", ownerId: "c" }), refusedWith("lock_denied"));
    const reply = await client.execute("release-lock", { fence: other.fence, owner_id: "b" });
    assert.deepEqual(
      reply.events.map(({ name }) => name),
      ["evt.lock.released", "evt.lock.upgraded"],
    );
    assert.equal((await locks.checkFence("p", mine.fence)).valid, false, "the old fence is invalid");
    const [holder] = (await locks.status("p")).holders;
    assert.deepEqual([holder?.ownerId, holder?.mode], ["a", "write"]);
    assert.equal((await locks.ticket(waiting.ticket)).state, "granted");
  });

  test("an upgrade is granted before a waiting writer, and a downgrade admits readers but no writer [W1]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const wait = { ...ttl, wait: true };
    const a = granted(await locks.acquire("p", { ...ttl, mode: "upgradeable", ownerId: "a" }));
    const b = granted(await locks.acquire("p", { ...ttl, mode: "read", ownerId: "b" }));
    const writer = queued(await locks.acquire("p", { ...wait, ownerId: "w" }));
    queued(await locks.upgrade({ fence: a.fence }, { wait: true, ownerId: "a" }));
    await locks.release({ fence: b.fence }, { ownerId: "b" });
    const [held] = (await locks.status("p")).holders;
    assert.deepEqual([held?.ownerId, held?.mode], ["a", "write"]);
    await locks.downgrade({ fence: held!.fence }, "read", { ownerId: "a" });
    assert.equal((await locks.ticket(writer.ticket)).state, "waiting");
    await locks.release({ paths: ["p"] }, { ownerId: "a" });
    assert.equal((await locks.ticket(writer.ticket)).state, "granted");
    await node.stop();
  });

  test("a path that is released while its upgrade waits is free and is not granted again with the upgrade [W1 M8]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a:read b:read");
    decider.acquire("bob", "b:read");
    assert.equal(decider.decide("upgrade-lock", { path: "a", owner_id: "ann", wait: true }).data["granted"], false);
    const { events } = decider.release("ann", "a");
    assert.deepEqual(eventLines(events), ["lock.cancelled ann part_released", "lock.released ann"]);
    assert.equal(decider.acquire("cid", "a").code, "done");
    assert.deepEqual(eventLines(decider.release("bob", "b").events), ["lock.released bob"]);
    assert.deepEqual(decider.holders(), ["ann: b read", "cid: a write"]);
    assert.equal(decider.decide("upgrade-lock", { path: "b", owner_id: "ann" }).data["granted"], true);
  });

  promise(
    "an owner that re-enters its lock does not wait behind the writer that waits for that lock",
    async (client) => {
      const locks = rawLocks(client);
      await locks.acquire("p", { ...ttl, mode: "read", ownerId: "a" });
      queued(await locks.acquire("p", { ...ttl, wait: true, ownerId: "w" }));
      granted(await locks.acquire("p/1", { ...ttl, mode: "read", ownerId: "a" }));
    },
  );
});

describe("hierarchy", () => {
  promise(
    "a tree lock excludes ancestors and descendants and is excluded by them, and a self lock covers one record [X2]",
    async (client) => {
      const cases: [string, LockScope, string, LockScope, boolean][] = [
        ["a/1", "tree", "a/1/b/2", "tree", false],
        ["a/1/b/2", "tree", "a/1", "tree", false],
        ["a/1", "tree", "a/1/b/2", "self", false],
        ["a/1/b/2", "self", "a/1", "tree", false],
        ["a/1", "self", "a/1/b/2", "tree", true],
        ["a/1/b/2", "tree", "a/1", "self", true],
        ["a/1", "self", "a/1", "self", false],
        ["a/1", "self", "a/1", "tree", false],
        ["a/1", "tree", "a/2", "tree", true],
        ["a/1", "tree", "a/10", "tree", true],
      ];
      for (const [index, [held, heldScope, wanted, scope, isFree]] of cases.entries()) {
        const root = `case/${String(index)}`;
        const first = granted(await rawAcquire(client, `${root}/${held}`, { ...ttl, scope: heldScope, ownerId: "a" }));
        const answer = await rawTryAcquire(client, `${root}/${wanted}`, { ...ttl, scope, ownerId: "b" });
        assert.equal(answer.granted, isFree, `${held} ${heldScope}, then ${wanted} ${scope}`);
        await client.locks.release({ fence: first.fence }, { ownerId: "a" });
        if (!isFree) granted(await rawAcquire(client, `${root}/${wanted}`, { ...ttl, scope, ownerId: "b" }));
      }
    },
  );

  promise(
    "a read lock of a tree shares with reads below it, and a writer below it waits for the tree [X2]",
    async (client) => {
      const locks = rawLocks(client);
      const tree = granted(await locks.acquire("a", { ...ttl, mode: "read", ownerId: "t" }));
      granted(await locks.acquire("a/b/c", { ...ttl, mode: "read", ownerId: "r" }));
      const writer = queued(await locks.acquire("a/b/d", { ...ttl, wait: true, ownerId: "w" }));
      await assert.rejects(locks.acquire("a", { ...ttl, mode: "read", ownerId: "u" }), refusedWith("lock_denied"));
      await locks.release({ fence: tree.fence }, { ownerId: "t" });
      assert.equal((await locks.ticket(writer.ticket)).state, "granted");
      const status = await locks.status("a/b");
      assert.deepEqual(
        status.below.map(({ path }) => path),
        ["a/b/c", "a/b/d"],
      );
    },
  );
});

describe("transfers", () => {
  test("a transfer grants the lock to a child with a new fence, and the waiters then wait for the child", async () => {
    const node = await lockNode();
    const a = await node.agent("a");
    const registered = await node.client.agents.register({ parent: a.id, name: "child" });
    const child = node.client.as(registered);
    const held = granted(await rawAcquire(a, "p", ttl));
    const next = queued(await rawAcquire(node.client, "p", { ...ttl, wait: true, ownerId: "n" }));
    const given = await a.locks.transfer({ fence: held.fence }, registered.agentId);
    assert.notEqual(given.fence, held.fence);
    await assert.rejects(a.locks.release({ fence: held.fence }), refusedWith("lock_not_held"));
    assert.equal((await child.agents.whoAmI()).holds.length, 1);
    await child.locks.release({ fence: given.fence });
    assert.equal((await a.locks.ticket(next.ticket)).state, "granted");
    await node.stop();
  });

  promise("a transfer to an agent that has no registration is refused [M14]", async (client) => {
    const locks = rawLocks(client);
    const held = granted(await locks.acquire("p", { ...ttl, ownerId: "a" }));
    const gone = "0b7e4a3c-91d2-4a55-8c1f-2f6de0a1b4c7";
    await assert.rejects(locks.transfer({ fence: held.fence }, gone, { ownerId: "a" }), refusedWith("agent_unknown"));
    await locks.transfer({ fence: held.fence }, "b", { ownerId: "a" });
  });

  test("a transfer that would close a cycle is refused with the cycle [X6]", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const x = granted(await locks.acquire("x", { ...ttl, ownerId: "a" }));
    await locks.acquire("y", { ...ttl, ownerId: "b" });
    queued(await locks.acquire("x", { ...ttl, wait: true, ownerId: "b" }));
    queued(await locks.acquire("y", { ...ttl, wait: true, ownerId: "c" }));
    const refused = await refusalOf(locks.transfer({ fence: x.fence }, "c", { ownerId: "a" }));
    assert.equal(refused.code, "deadlock");
    await node.stop();
  });

  promise("a transfer is refused while its caller keeps another lock on the path [X2]", async (client) => {
    const locks = rawLocks(client);
    const tree = granted(await locks.acquire("t", { ...ttl, ownerId: "a" }));
    const leaf = granted(await locks.acquire("t/1", { ...ttl, ownerId: "a" }));
    await assert.rejects(locks.transfer({ fence: leaf.fence }, "b", { ownerId: "a" }), refusedWith("lock_denied"));
    await locks.release({ fence: tree.fence }, { ownerId: "a" });
    await locks.transfer({ fence: leaf.fence }, "b", { ownerId: "a" });
  });

  promise("a release request informs the holder of its author and the reason, and releases nothing", async (client) => {
    const locks = rawLocks(client);
    const held = granted(await locks.acquire("p/1", { ...ttl, ownerId: "a" }));
    const { asked } = await locks.requestRelease("p", "I must deploy", { ownerId: "b" });
    assert.deepEqual(asked, ["a"]);
    assert.equal((await locks.status("p/1")).holders[0]?.askedToRelease, "alice for b: I must deploy");
    assert.equal((await locks.checkFence("p/1", held.fence)).valid, true);
    await assert.rejects(locks.requestRelease("q", "why not", { ownerId: "b" }), refusedWith("lock_not_held"));
  });
});

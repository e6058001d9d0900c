import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client, QueuePlace, ReleaseRequest } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { onEveryTransport } from "./every-transport.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import { pausableClient } from "./pausable-client.ts";

const queued = (client: Client, count: number, path = "doc/1") =>
  soon(async () => (await client.locks.status(path)).queue.length === count);

onEveryTransport(
  "a waiter gets the lock when it is free and can read how the previous holder left it [X5]",
  async (client) => {
    const [ann, bob] = [client.agent({ name: "ann" }), client.agent({ name: "bob" })];
    const lock = held(await ann.acquire("doc/1", { purpose: "draft" }));
    const waiting = bob.acquire("doc/1");
    await queued(client, 1);
    await lock.release({ note: "half done" });
    await using got = held(await waiting);
    const [left] = await got.leftBefore();
    assert.deepEqual(
      [left?.how, left?.by, left?.purpose, left?.note],
      ["released", lock.ownerId, "draft", "half done"],
    );
  },
);

describe("waiting", () => {
  test("a waiter keeps its ticket alive for as long as needed and reports each change of its place [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob, eve] = [node.fresh("ann"), node.fresh("bob"), node.fresh("eve")];
    const lock = held(await ann.acquire("doc/1"));
    const second = bob.acquire("doc/1");
    await queued(node.client, 1);
    const places: QueuePlace[] = [];
    const third = eve.acquire("doc/1", { onPlace: (place) => places.push(place) });
    await queued(node.client, 2);
    await node.clock.pass(180_000, 250);
    assert.equal((await node.client.locks.status("doc/1")).queue.length, 2);
    await lock.release();
    await node.clock.pass(11_000, 250);
    await held(await second).release();
    await held(await third).release();
    assert.deepEqual(
      places.map(({ place }) => place),
      [2, 1],
    );
    assert.equal(places[0]?.waitsFor[0]?.name, "ann");
  });

  test("a wait ends when its signal aborts at any moment, and leaves no lock and no ticket", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await held(await bob.acquire("warm")).release();
    const lock = held(await ann.acquire("doc/1"));
    for (let moment = 0; moment < 12; moment += 1) {
      const stop = new AbortController();
      const waiting = bob.acquire("doc/1", { signal: stop.signal }).catch((error: unknown) => error);
      await loopTicks(moment);
      stop.abort(new Error(`stop ${moment}`));
      assert.match(String(await waiting), new RegExp(`stop ${moment}`, "u"));
    }
    await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 0);
    await lock.release();
    await loopTicks(20);
    assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    const early = AbortSignal.abort(new Error("before"));
    await assert.rejects(bob.acquire("doc/1", { signal: early }), /before/u);
  });

  test("a wait that is aborted at the moment of the grant releases it, and the signal has no effect after the grant", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    for (let moment = 0; moment < 10; moment += 1) {
      const lock = held(await ann.acquire("doc/1"));
      const stop = new AbortController();
      const waiting = bob.acquire("doc/1", { signal: stop.signal }).catch(() => undefined);
      await queued(node.client, 1);
      const released = lock.release();
      await loopTicks(moment);
      stop.abort();
      await released;
      const got = await waiting;
      if (got?.granted === true) {
        assert.equal(got.state, "held");
        await got.release();
      }
      await soon(async () => (await node.client.locks.status("doc/1")).holders.length === 0);
    }
  });

  test("an upgrade that is aborted at the moment of its grant never loses the held lock [W1]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    for (let moment = 0; moment < 40; moment += 1) {
      const lock = held(await ann.acquire("doc/1", { mode: "upgradeable" }));
      const reader = held(await bob.acquire("doc/1", { mode: "read" }));
      const stop = new AbortController();
      const upgrading = lock.upgrade({ signal: stop.signal }).catch(() => undefined);
      await queued(node.client, 1);
      const released = reader.release();
      for (let step = 0; step < moment; step += 1) await Promise.resolve();
      if (moment > 30) await loopTicks(moment - 30);
      stop.abort();
      await Promise.all([released, upgrading]);
      await loopTicks(10);
      assert.equal(lock.state, "held", `moment ${moment}`);
      const { holders, queue } = await node.client.locks.status("doc/1");
      assert.deepEqual([holders.map(({ fence }) => fence), queue], [[lock.fence], []], `moment ${moment}`);
      assert.equal(holders[0]?.mode, lock.mode);
      await lock.release();
      assert.equal((await node.client.locks.status("doc/1")).holders.length, 0);
    }
  });

  test("an upgrade that is aborted before the event of its grant arrives never loses the held lock [W1]", async () => {
    await using node = await clientNode();
    const ann = pausableClient(node, "ann");
    const lock = held(await ann.client.acquire("doc/1", { mode: "upgradeable" }));
    const reader = held(await node.fresh("bob").acquire("doc/1", { mode: "read" }));
    const stop = new AbortController();
    const upgrading = lock.upgrade({ signal: stop.signal });
    await queued(node.client, 1);
    ann.pauses.areEventsPaused = true;
    await reader.release();
    stop.abort(new Error("enough"));
    await assert.rejects(upgrading, /enough/u);
    await soon(() => ann.sent.includes("withdraw-request"));
    await loopTicks(20);
    assert.equal((await node.client.locks.status("doc/1")).holders[0]?.mode, "write");
    ann.resume();
    await soon(() => lock.mode === "write");
    assert.equal(lock.state, "held");
    await lock.release();
    assert.deepEqual((await node.client.locks.status("doc/1")).holders, []);
  });

  test("a waiter misses no grant, however soon after the request it arrives [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    for (let round = 0; round < 30; round += 1) {
      const lock = held(await ann.acquire("doc/1"));
      const waiting = bob.acquire("doc/1");
      await loopTicks(round % 6);
      await lock.release();
      await held(await waiting).release();
    }
  });

  test("a wait that would close a cycle is refused with the cycle [X6]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    const [x, y] = [held(await ann.acquire("x")), held(await bob.acquire("y"))];
    const waiting = ann.acquire("y");
    await queued(node.client, 1, "y");
    await assert.rejects(bob.acquire("x"), refusedWith("deadlock"));
    await y.release();
    await held(await waiting).release();
    await x.release();
  });

  test("a wait that becomes a deadlock by a release of the same agent fails with deadlock [X6]", async () => {
    await using node = await clientNode();
    const [ann, bob, kim] = [node.fresh("ann"), node.fresh("bob"), node.fresh("kim")];
    const [a, p, b] = [held(await ann.acquire("a")), held(await ann.acquire("p")), held(await kim.acquire("b"))];
    const bobs = bob.acquire(["a", "p"]);
    await queued(node.client, 1, "a");
    const refused = assert.rejects(ann.acquire(["a", "b"], { reentrant: true }), refusedWith("deadlock"));
    await queued(node.client, 1, "b");
    await a.release();
    await refused;
    await p.release();
    await held(await bobs).release();
    await b.release();
  });

  test("a wait whose ticket is cancelled by another caller fails with ticket_unknown [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    const lock = held(await ann.acquire("doc/1", { ttlMs: 600_000 }));
    const waiting = bob.acquire("doc/1");
    await queued(node.client, 1);
    const { queue } = await node.client.locks.status("doc/1");
    const [ticket] = queue;
    await node.client
      .as({ agentId: ticket!.ownerId })
      .locks.cancel(ticket!.ticket)
      .catch(() => undefined);
    await assert.rejects(waiting, refusedWith("ticket_unknown"));
    await lock.release();
  });
});

describe("handles", () => {
  test("a handle changes its mode in place by upgrade and downgrade, with a new fence each time", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await using lock = held(await ann.acquire("doc/1", { mode: "upgradeable" }));
    const reader = held(await bob.acquire("doc/1", { mode: "read" }));
    const fences = [lock.fence];
    const no = await lock.tryUpgrade();
    assert.ok(no !== true && no.message.includes("bob has a read lock"));
    const upgrading = lock.upgrade();
    await queued(node.client, 1);
    await reader.release();
    await upgrading;
    fences.push(lock.fence);
    assert.equal(lock.mode, "write");
    await lock.downgrade("read");
    fences.push(lock.fence);
    assert.equal(lock.mode, "read");
    await node.clock.pass(60_000, 250);
    assert.equal(lock.state, "held");
    assert.equal(new Set(fences).size, 3);
    await assert.rejects(ann.entities.create("doc", "1", {}, { fence: lock.fence }), refusedWith("fence_stale"));
    assert.equal(await lock.tryUpgrade(), true);
    await ann.entities.create("doc", "1", {}, { fence: lock.fence });
  });

  test("a handle reports release requests, also those before the listener was added, and can be transferred", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), await node.agent("bob")];
    const asked: ReleaseRequest[] = [];
    const lock = held(await ann.acquire("doc/1", { onReleaseRequested: (request) => asked.push(request) }));
    await bob.locks.requestRelease("doc/1", "a hotfix");
    await soon(() => asked.length === 1);
    assert.deepEqual([asked[0]?.by, asked[0]?.reason, asked[0]?.path], [bob.id, "a hotfix", "doc/1"]);
    lock.onReleaseRequested((request) => asked.push(request));
    assert.equal(asked.length, 2);
    await lock.renew({ note: "nearly done" });
    assert.equal((await node.client.locks.status("doc/1")).holders[0]?.note, "nearly done");
    await lock.transfer(bob.id);
    assert.equal(lock.state, "released");
    assert.equal((await node.client.locks.status("doc/1")).holders[0]?.ownerId, bob.id);
  });
});

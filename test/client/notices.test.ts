import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import type { LeaseWarning, OwnerNotice, QueuePlace } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import { doorCallsOf } from "../../server/src/assembly/open.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { queued } from "../locks/lock-node.ts";
import { rawSocketFor } from "../socket/raw-socket.ts";
import { proxyFor } from "../socket/tcp-proxy.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { onEveryTransport } from "./every-transport.ts";
import { rawLocks } from "../locks/raw-acquire.ts";

/** Longer than any of these tests. */
const ttlSeconds = 600;

/** Collects the notices of an owner. */
function noticesOf(node: ClientNode, owner: string): { readonly all: OwnerNotice[]; stop(): Promise<unknown> } {
  const notices = node.client.notices({ owner });
  const all: OwnerNotice[] = [];
  void (async () => {
    for await (const notice of notices) all.push(notice);
  })();
  return { all, stop: async () => notices.return?.() };
}

const placesIn = (notices: readonly OwnerNotice[]): readonly unknown[] =>
  notices.map((notice) => (notice.notice === "place" ? notice.place : notice));

test("a ticket gets a notice of a changed place at once, and then at most once a second [X5]", async () => {
  await using node = await clientNode();
  const owners = ["ann", "bob", "carl", "dora", "eve"];
  for (const owner of owners)
    await node.client.operations.acquireLock({
      paths: ["doc/1"],
      ownerId: owner,
      wait: true,
      ttlMs: ttlSeconds * 1000,
    });
  const listening = noticesOf(node, "eve");
  await soon(() => listening.all.length === 1);
  const leave = async (owner: string): Promise<void> => {
    const [ticket] = (await node.client.locks.status("doc/1")).queue.filter(({ ownerId }) => ownerId === owner);
    await node.client.locks.cancel(ticket!.ticket, { ownerId: owner });
  };
  await node.clock.pass(2_000);
  await leave("bob");
  await soon(async () => {
    await node.clock.pass(50);
    return listening.all.length === 2;
  });
  // Two more leave within the same second. One notice covers both at its end.
  await leave("carl");
  await node.client.locks.release({ paths: ["doc/1"] }, { ownerId: "ann" });
  await node.clock.pass(900);
  assert.deepEqual(placesIn(listening.all), [4, 3]);
  await node.clock.pass(200);
  await soon(() => listening.all.length === 3);
  assert.deepEqual(placesIn(listening.all), [4, 3, 1]);
  const last = listening.all[2] as Extract<OwnerNotice, { notice: "place" }>;
  assert.deepEqual([last.ownerId, last.paths, last.waitsFor[0]?.ownerId], ["eve", ["doc/1"], "dora"]);
  await listening.stop();
});

test("a ticket gets a place notice when a queue above or below it moves, and none for other queues", async () => {
  await using node = await clientNode();
  const locks = rawLocks(node.client);
  const wait = async (owner: string, path: string): Promise<string> =>
    queued(await locks.acquire(path, { ownerId: owner, wait: true, ttlMs: ttlSeconds * 1000 })).ticket;
  await locks.acquire("a/b", { ownerId: "reader", mode: "upgradeable", ttlMs: ttlSeconds * 1000 });
  await locks.acquire("a/b", { ownerId: "other", mode: "read", ttlMs: ttlSeconds * 1000 });
  await locks.acquire("z", { ownerId: "ann", ttlMs: ttlSeconds * 1000 });
  const above = await wait("bob", "a");
  const elsewhere = await wait("bob", "z");
  const mine = await wait("eve", "a/b/c");
  const listening = noticesOf(node, "eve");
  await soon(() => listening.all.length === 1);
  await node.clock.pass(2_000);
  await locks.cancel(elsewhere, { ownerId: "bob" });
  await node.clock.pass(2_000);
  assert.deepEqual(placesIn(listening.all), [2]);
  await locks.upgrade({ path: "a/b" }, { ownerId: "reader", wait: true });
  await node.clock.pass(50);
  await soon(() => listening.all.length === 2);
  await locks.cancel(above, { ownerId: "bob" });
  await node.clock.pass(1_100);
  await soon(() => listening.all.length === 3);
  assert.deepEqual(placesIn(listening.all), [2, 3, 2]);
  await locks.cancel(mine, { ownerId: "eve" });
  await node.clock.pass(2_000);
  assert.equal(listening.all.length, 3);
  await listening.stop();
});

test("a lease gets one notice when a third of it is left, and none while it is renewed [M9]", async () => {
  await using node = await clientNode();
  const locks = rawLocks(node.client);
  const { fence } = (await locks.acquire(["x", "y"], { ownerId: "ann", ttlMs: 30_000 })) as { fence: string };
  const listening = noticesOf(node, "ann");
  for (let round = 0; round < 6; round += 1) {
    await node.clock.pass(15_000, 250);
    await locks.renew({ fence }, { ownerId: "ann" });
  }
  assert.deepEqual(listening.all, []);
  await node.clock.pass(21_000, 250);
  await soon(() => listening.all.length === 1);
  const [notice] = listening.all as readonly OwnerNotice[] as readonly [Extract<OwnerNotice, { notice: "expiring" }>];
  assert.deepEqual([notice.notice, notice.fence, notice.paths], ["expiring", fence, ["x", "y"]]);
  assert.ok(notice.leftMs > 9_000 && notice.leftMs <= 10_000, String(notice.leftMs));
  await node.clock.pass(4_000, 250);
  assert.equal(listening.all.length, 1);
  // A late renewal starts a new lease with its own end.
  await locks.renew({ fence }, { ownerId: "ann" });
  await node.clock.pass(21_000, 250);
  await soon(() => listening.all.length === 2);
  await locks.release({ fence }, { ownerId: "ann" });
  // A lease that starts during the subscription is watched too.
  await locks.acquire("z", { ownerId: "ann", ttlMs: 3_000 });
  await node.clock.pass(2_500, 250);
  await soon(() => listening.all.length === 3);
  await listening.stop();
});

test("a second listener starts with the known places and warnings, and the first one still gets every change", async () => {
  await using node = await clientNode();
  const locks = rawLocks(node.client);
  await locks.acquire("x", { ownerId: "eve", ttlMs: 30_000 });
  await locks.acquire("doc/1", { ownerId: "ann", ttlMs: ttlSeconds * 1000 });
  const { ticket } = queued(await locks.acquire("doc/1", { ownerId: "bob", wait: true, ttlMs: ttlSeconds * 1000 }));
  await locks.acquire("doc/1", { ownerId: "eve", wait: true, ttlMs: ttlSeconds * 1000 });
  const first = noticesOf(node, "eve");
  await soon(() => first.all.length === 1);
  await node.clock.pass(21_000, 250);
  await soon(() => first.all.length === 2);
  await locks.cancel(ticket, { ownerId: "bob" });
  // It starts before the new place is due for the first listener.
  const second = noticesOf(node, "eve");
  await soon(() => second.all.length === 2);
  await node.clock.pass(1_100);
  await soon(() => first.all.length === 3);
  const words = ({ all }: typeof first) =>
    all.map((notice) => (notice.notice === "place" ? notice.place : notice.notice));
  assert.deepEqual(words(first), [2, "expiring", 1]);
  assert.deepEqual(words(second).slice(0, 2), [1, "expiring"]);
  await Promise.all([first.stop(), second.stop()]);
});

test("the server neither follows the journal nor runs a timer for notices without a subscriber", async () => {
  await using node = await clientNode();
  const before = node.engine.health().subscriberCount;
  const listening = noticesOf(node, "ann");
  await soon(() => node.engine.health().subscriberCount === before + 1);
  await listening.stop();
  await loopTicks(2);
  assert.equal(node.engine.health().subscriberCount, before);
});

test("a handle warns before the maximum hold ends or when renewals fail [M9]", async () => {
  await using node = await clientNode();
  const warnings: LeaseWarning[] = [];
  const ann = node.fresh("ann");
  const lock = held(
    await ann.acquire("doc/1", { ttlMs: 30_000, maxHoldMs: 60_000, onExpiring: (warning) => warnings.push(warning) }),
  );
  await node.clock.pass(45_000, 250);
  assert.equal(warnings.length, 0);
  await node.clock.pass(6_000, 250);
  await soon(() => warnings.length === 1);
  assert.ok(warnings[0]!.leftMs > 8_000 && warnings[0]!.leftMs <= 10_000);
  assert.equal(lock.state, "held");
  await node.clock.pass(11_000, 250);
  assert.equal(lock.state, "lost");
});

onEveryTransport("a waiter gets its new place as it moves up, without polling [X5]", async (client) => {
  const [ann, bob, eve] = ["ann", "bob", "eve"].map((name) => client.agent({ name })) as [
    typeof client,
    typeof client,
    typeof client,
  ];
  const lock = held(await ann.acquire("doc/1"));
  const leaving = new AbortController();
  const second = bob.acquire("doc/1", { signal: leaving.signal }).catch(() => undefined);
  await soon(async () => (await client.locks.status("doc/1")).queue.length === 1);
  const places: QueuePlace[] = [];
  const moved = Promise.withResolvers<undefined>();
  const onPlace = (place: QueuePlace): void => {
    places.push(place);
    if (place.place === 1) moved.resolve(undefined);
  };
  const third = eve.acquire("doc/1", { onPlace });
  await soon(async () => (await client.locks.status("doc/1")).queue.length === 2);
  leaving.abort();
  await second;
  await moved.promise;
  await lock.release();
  await held(await third).release();
  assert.deepEqual(
    places.map(({ place }) => place),
    [2, 1],
  );
});

/** A socket door for a node whose clock the test moves. */
async function doorOf(t: TestContext, node: ClientNode): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const door = openSocketDoor({
    ...{ server, clock: systemClock, ids: systemIds, version: "test", operations: node.services.operations },
    report: (message) => assert.fail(message),
    gate: {
      refresh: () => Promise.resolve(false),
      noteRejection: () => undefined,
      admit: ({ connection: caller }) => ({
        ...{ principal: "local", isOperator: false },
        calls: doorCallsOf(node.services, {})({ principal: "local", caller }),
      }),
    },
  });
  t.after(async () => {
    await door.close();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a socket carries replies, events, places and warnings of many owners, and refuses an invalid owner", async (t) => {
  await using node = await clientNode();
  const url = await doorOf(t, node);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  socket.send({ kind: "listen", id: 1, owner: "eve" }, { kind: "listen", id: 2, owner: "ann" });
  socket.send({ kind: "watch", id: 3, owner: "eve" }, { kind: "listen", id: 1, owner: "bob" });
  assert.match(JSON.stringify(await socket.message("problem")), /the id 1 is already in use/u);
  const acquire = (id: number, owner_id: string) => ({
    ...{ kind: "call", id, operation: "acquire-lock" },
    input: { paths: ["doc/1"], wait: true, ttl_seconds: 30, owner_id },
  });
  socket.send(acquire(10, "ann"), acquire(11, "bob"), acquire(12, "eve"));
  assert.equal((await socket.message("events"))["id"], 3);
  const [ticket] = (await node.client.locks.status("doc/1")).queue;
  await node.clock.pass(1_000);
  await node.client.locks.cancel(ticket!.ticket, { ownerId: "bob" });
  await node.clock.pass(1_000);
  const notice = await socket.message("notices");
  assert.deepEqual([notice["id"], placesIn(notice["notices"] as readonly OwnerNotice[])], [1, [1]]);
  await node.clock.pass(19_000, 250);
  const warned = await socket.message("notices");
  assert.deepEqual([warned["id"], (warned["notices"] as readonly OwnerNotice[])[0]?.notice], [2, "expiring"]);
  socket.send(
    { kind: "unwatch", id: 1 },
    { kind: "unwatch", id: 2 },
    { kind: "unwatch", id: 3 },
    { kind: "ping", id: 0 },
  );
  await socket.message("pong");
  await soon(() => node.engine.health().subscriberCount === 0);
  socket.send({ kind: "listen", id: 4 });
  assert.match(JSON.stringify(await socket.message("problem")), /owner/u);
});

test("a client that reconnects gets its place again", async (t) => {
  await using node = await clientNode();
  const proxy = await proxyFor(t, await doorOf(t, node));
  await using client = await connect(proxy.url);
  await node.client.operations.acquireLock({ paths: ["doc/1"], ownerId: "ann", ttlMs: ttlSeconds * 1000 });
  await node.client.operations.acquireLock({ paths: ["doc/1"], ownerId: "bob", wait: true, ttlMs: ttlSeconds * 1000 });
  const notices = client.notices({ owner: "bob" });
  const notice = async (): Promise<unknown> => placesIn([(await notices.next()).value as OwnerNotice])[0];
  assert.equal(await notice(), 1);
  proxy.cut();
  assert.deepEqual([await notice(), proxy.count()], [1, 2]);
  await notices.return?.();
});

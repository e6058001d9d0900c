import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client, DeniedLock, Lock } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { lossyClient } from "./lossy-client.ts";

const path = "doc/1";

const errorOf = (lock: Promise<Lock | DeniedLock>): Promise<unknown> =>
  lock.then(
    () => undefined,
    (error: unknown) => error,
  );

const untilQueued = (node: ClientNode, count: number, at = path): Promise<void> =>
  soon(async () => (await node.client.locks.status(at)).queue.length === count);

/** Another lock, so short that its heartbeats keep any orphaned state alive. */
async function busy(client: Client): Promise<Lock> {
  return held(await client.acquire("other", { ttlMs: 40_000 }));
}

/** Passes more time than any lease and any accept time. */
async function assertNothingLeft(node: ClientNode, at = path): Promise<void> {
  await node.clock.pass(65_000, 250);
  const { holders, queue } = await node.client.locks.status(at);
  assert.deepEqual([holders, queue], [[], []]);
}

describe("orphaned server state", () => {
  for (const [title, method] of [
    ["waits", "acquire"],
    ["does not wait", "tryAcquire"],
  ] as const) {
    test(`an acquire that ${title} and is aborted while its reply is lost leaves no lock and no ticket`, async () => {
      await using node = await clientNode();
      const { client: bob, network } = lossyClient(node, "bob");
      const other = await busy(bob);
      network.lossOf = (operation) => (operation === "acquire-lock" ? "unanswered" : undefined);
      const stop = new AbortController();
      const failing = errorOf(bob[method](path, { signal: stop.signal }));
      await node.clock.pass(500, 50);
      assert.equal((await node.client.locks.status(path)).holders.length, 1);
      stop.abort(new Error("stopped"));
      assert.match(String(await failing), /stopped/u);
      await node.clock.pass(20_000, 250);
      network.lossOf = () => undefined;
      await assertNothingLeft(node);
      assert.equal(other.state, "held");
    });
  }

  for (const loss of ["unsent", "unanswered"] as const) {
    test(`an aborted acquire is withdrawn until the server answers if its withdrawals are ${loss} [X13]`, async () => {
      await using node = await clientNode();
      const { client: bob, sent, network } = lossyClient(node, "bob");
      const other = await busy(bob);
      const stop = new AbortController();
      network.lossOf = (operation) => (operation === "acquire-lock" ? "unanswered" : undefined);
      const failing = errorOf(bob.acquire(path, { signal: stop.signal }));
      await node.clock.pass(500, 50);
      network.lossOf = (operation) => (operation === "withdraw-request" ? loss : undefined);
      stop.abort(new Error("stopped"));
      assert.match(String(await failing), /stopped/u);
      await node.clock.pass(10_000, 250);
      const withdrawalCount = () => sent.filter((operation) => operation === "withdraw-request").length;
      assert.ok(withdrawalCount() > 1);
      network.lossOf = () => undefined;
      await assertNothingLeft(node);
      const answeredCount = withdrawalCount();
      await node.clock.pass(30_000, 250);
      assert.equal(withdrawalCount(), answeredCount, "an answered withdrawal is not repeated");
      assert.equal(other.state, "held");
    });
  }

  test("a waiter that cannot accept its grant during a journal outage leaves no lock and no ticket", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    const other = await busy(bob);
    const lock = held(await ann.acquire(path, { ttlMs: 3_600_000 }));
    const failing = errorOf(bob.acquire(path));
    await node.clock.pass(20_000, 250);
    await lock.release();
    node.journal.failureOf = () => ({ isWritten: false, certain: true, code: "io" });
    await node.clock.pass(25_000, 250);
    node.journal.failureOf = () => undefined;
    await node.clock.pass(5_000, 250);
    assert.ok(refusedWith("journal_unavailable")(await failing));
    await assertNothingLeft(node);
    assert.equal(other.state, "held");
  });

  test("a client that is closed at any moment of its first acquire leaves no lock, no ticket and no agent", async () => {
    await using node = await clientNode();
    for (let moment = 0; moment < 8; moment += 1) {
      const bob = node.client.agent({ name: `bob ${moment}` });
      const failing = errorOf(bob.acquire(path));
      await loopTicks(moment);
      await bob.close();
      const error = await failing;
      if (error !== undefined) assert.ok(refusedWith("closed")(error));
      await loopTicks(20);
      assert.deepEqual((await node.client.locks.status(path)).holders, []);
      assert.deepEqual((await node.client.agents.list()).items, []);
    }
  });

  test("a client that is closed at any moment of a later acquire leaves no lock and no ticket", async () => {
    await using node = await clientNode();
    for (let moment = 0; moment < 12; moment += 1) {
      const bob = node.client.agent({ name: "bob" });
      await held(await bob.acquire("warm")).release();
      const asked = bob.acquire(path).catch((error: unknown) => error);
      for (let step = 0; step < moment; step += 1) await Promise.resolve();
      await bob.close();
      const end = await asked;
      assert.ok(end instanceof Error ? refusedWith("closed")(end) : (end as Lock).state === "released", String(end));
      await loopTicks(20);
      assert.deepEqual((await node.client.locks.status(path)).holders, []);
    }
  });

  test("a client that is closed while it acts as another client's agent leaves that agent no lock and no ticket", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    for (const moment of [...Array(16).keys(), "queued"] as const) {
      const agent = await node.client.agents.register({ name: `theirs ${moment}` });
      const lock = moment === "queued" ? held(await ann.acquire(path)) : undefined;
      const bob = node.client.agent().as(agent);
      await held(await bob.acquire("warm")).release();
      const kept = held(await bob.acquire("kept"));
      const failing = errorOf(bob.acquire(path));
      if (moment === "queued") await untilQueued(node, 1);
      else for (let step = 0; step < moment; step += 1) await Promise.resolve();
      await bob.close();
      assert.ok(refusedWith("closed")(await failing));
      assert.equal(kept.state, "released");
      await lock?.release();
      await loopTicks(5);
      // The agent stays registered, and its heartbeats would keep all its locks.
      const { holds, waits } = await node.client.as(agent).agents.whoAmI();
      assert.deepEqual([holds, waits], [[], []], `moment ${moment}`);
    }
  });

  test("a waiter whose onPlace callback throws leaves no ticket, and a task that shares the ticket keeps it", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await busy(bob);
    const lock = held(await ann.acquire(path, { ttlMs: 600_000 }));
    const onPlace = (): never => {
      throw new Error("a defect of the program");
    };
    await assert.rejects(bob.acquire(path, { onPlace }), /a defect/u);
    await untilQueued(node, 0);
    const sharing = bob.acquire(path);
    await untilQueued(node, 1);
    await assert.rejects(bob.acquire(path, { reentrant: true, onPlace }), /a defect/u);
    await node.clock.pass(1_000, 250);
    await lock.release();
    await held(await sharing).release();
    await assertNothingLeft(node);
  });

  test("an attempt that ends with a deadlock leaves no lock and no ticket, and the next attempt gets its locks", async () => {
    await using node = await clientNode();
    const [ann, bob, eve] = [node.fresh("ann"), node.fresh("bob"), node.fresh("eve")];
    await busy(bob);
    const [x, z] = [held(await ann.acquire("x")), held(await eve.acquire("z"))];
    const late: Promise<unknown>[] = [];
    const work = bob.retryOnDeadlock(async ({ acquire, tried }) => {
      await using _first = held(await acquire("y"));
      if (tried === 1) await untilQueued(node, 1, "y");
      // This promise is not awaited. Its end with the attempt is not an unhandled rejection.
      late.push(acquire("z"));
      if (tried === 1) await untilQueued(node, 1, "z");
      await using _second = held(await acquire("x"));
      await using _third = held((await late.at(-1)) as Lock);
      return tried;
    });
    await soon(async () => (await node.client.locks.status("y")).holders.length === 1);
    await held(await ann.acquire("y")).release();
    await x.release();
    await assert.rejects(late[0]!, /the attempt has ended/u);
    await untilQueued(node, 0, "z");
    await node.clock.pass(1_000, 100);
    await untilQueued(node, 1, "z");
    await z.release();
    assert.equal(await work, 2);
    await assertNothingLeft(node, "z");
  });

  test("an acquire whose ticket ends leaves no weaker lock that it inherited from a withdrawn request [X13]", async () => {
    await using node = await clientNode();
    const bob = held(await node.client.agent({ name: "bob" }).acquire({ path, mode: "read" }));
    const client = node.client.as(await node.client.agents.register({ name: "ann" }));
    const other = await busy(client);
    const weaker = { paths: [{ path, mode: "read" as const }], ttl_seconds: 60 };
    await client.execute("acquire-lock", weaker, { key: "weaker" });
    const failing = errorOf(client.acquire(path));
    await untilQueued(node, 1);
    const [queued] = (await node.client.locks.status(path)).queue;
    await client.run("withdraw-request", { operation: "acquire-lock", key: "weaker" });
    assert.equal((await node.client.locks.status(path)).holders.length, 2, "the stronger request keeps the lock");
    await client.run("cancel-ticket", { ticket: queued?.ticket ?? "" });
    await node.clock.pass(1_000, 50);
    assert.ok(refusedWith("ticket_unknown")(await failing));
    await soon(async () => (await node.client.locks.status(path)).holders.length === 1);
    await bob.release();
    await assertNothingLeft(node);
    assert.equal(other.state, "held");
  });

  test("an attempt that fails at the moment of a grant leaves no lock and no ticket", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await busy(bob);
    for (let moment = 0; moment < 8; moment += 1) {
      const lock = held(await ann.acquire(path));
      const work = bob.retryOnDeadlock(async ({ acquire }) => {
        void acquire(path);
        await untilQueued(node, 1);
        const released = lock.release();
        await loopTicks(moment);
        await released;
        throw new Error("mine");
      });
      await assert.rejects(work, /mine/u);
      await soon(async () => (await node.client.locks.status(path)).holders.length === 0);
    }
    let late: Promise<unknown> | undefined;
    const failed = bob.retryOnDeadlock(async ({ acquire }) => {
      late = loopTicks(3).then(() => assert.rejects(acquire(path), /the attempt has ended/u));
      throw new Error("at once");
    });
    await assert.rejects(failed, /at once/u);
    await late;
    await assertNothingLeft(node);
  });
});

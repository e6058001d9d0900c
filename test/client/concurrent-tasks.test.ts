import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loopTicks } from "../engine/manual-clock.ts";
import type { Lock } from "holdfast";
import { clientNode, denied, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { lossyClient } from "./lossy-client.ts";

const path = "doc/1";
const untilQueued = (node: ClientNode, count: number): Promise<void> =>
  soon(async () => (await node.client.locks.status(path)).queue.length === count);

describe("tasks that share a lock", () => {
  test("two tasks that share a lock wait with one ticket, both get the grant, and the last release frees it [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    const lock = held(await ann.acquire(path));
    const places: number[][] = [[], []];
    const tasks = places.map((seen) =>
      bob.acquire(path, { reentrant: true, onPlace: ({ place }) => seen.push(place) }),
    );
    await soon(() => places.every((seen) => seen.length > 0));
    assert.equal((await node.client.locks.status(path)).queue.length, 1);
    await lock.release();
    const [first, second] = (await Promise.all(tasks)).map(held);
    assert.equal(first!.fence, second!.fence);
    await first!.release();
    assert.equal(second!.state, "held");
    assert.equal((await node.client.locks.status(path)).holders.length, 1);
    await second!.release();
    assert.deepEqual((await node.client.locks.status(path)).holders, []);
  });

  test("a task that gives up leaves the shared ticket to the other task [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob, eve] = [node.fresh("ann"), node.fresh("bob"), node.fresh("eve")];
    const lock = held(await ann.acquire(path));
    const patient = bob.acquire(path);
    await untilQueued(node, 1);
    const behind = eve.acquire(path);
    await untilQueued(node, 2);
    const hasty = bob.tryAcquire(path, { reentrant: true, waitMs: 2_000 });
    const stop = new AbortController();
    const stopped = bob.acquire(path, { reentrant: true, signal: stop.signal });
    await loopTicks(20);
    stop.abort(new Error("enough"));
    await assert.rejects(stopped, /enough/u);
    await node.clock.pass(2_500, 100);
    denied(await hasty);
    await lock.release();
    const mine = held(await patient);
    assert.equal((await node.client.locks.status(path)).queue.length, 1, "the later waiter still waits");
    await mine.release();
    await held(await behind).release();
  });
});

test("an acquire at any moment while an earlier ticket is being cancelled waits and gets the lock [X5]", async () => {
  await using node = await clientNode();
  const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
  for (let moment = 0; moment < 12; moment += 1) {
    const lock = held(await ann.acquire(path));
    const stop = new AbortController();
    const given = bob.acquire(path, { signal: stop.signal }).catch(() => undefined);
    await untilQueued(node, 1);
    stop.abort();
    await given;
    await loopTicks(moment);
    const again = bob.acquire(path);
    await loopTicks(20);
    await untilQueued(node, 1);
    await lock.release();
    await held(await again).release();
  }
});

/** Passes enough time for several retries of any background work. */
async function assertKept(node: ClientNode, lock: Lock, when: string): Promise<void> {
  await node.clock.pass(45_000, 250);
  assert.equal(lock.state, "held", when);
  assert.equal((await node.client.locks.status(path)).holders[0]?.fence, lock.fence, when);
  await lock.release();
  await soon(async () => (await node.client.locks.status(path)).holders.length === 0);
}

/** Waits for single microtasks, and then for whole turns of the loop. */
async function wait(moment: number): Promise<void> {
  for (let step = 0; step < moment; step += 1) await Promise.resolve();
  if (moment > 24) await loopTicks(moment - 24);
}

describe("locks after an earlier acquire", () => {
  test("a lock stays with its holder after an acquire that was aborted at any moment and repeated at once", async () => {
    await using node = await clientNode();
    const bob = node.fresh("bob");
    await held(await bob.acquire("warm")).release();
    for (let moment = 0; moment < 28; moment += 1) {
      const stop = new AbortController();
      const first = bob.acquire(path, { signal: stop.signal }).catch(() => undefined);
      await wait(moment);
      stop.abort();
      const got = await first;
      if (got?.granted === true) await got.release();
      const again = held(await bob.acquire(path));
      await loopTicks(10);
      assert.equal(again.state, "held", `moment ${moment}`);
      assert.equal((await node.client.locks.status(path)).holders.length, 1);
      await again.release();
      assert.equal((await node.client.locks.status(path)).holders.length, 0);
    }
  });

  for (const [title, method] of [
    ["with a wait", "acquire"],
    ["without a wait", "tryAcquire"],
  ] as const) {
    for (const loss of ["unsent", "unanswered"] as const) {
      test(`a lock stays with its holder after an earlier acquire ${title} that was ${loss}`, async () => {
        for (const laterMs of [0, 300, 700, 2_000, 9_000]) {
          await using node = await clientNode();
          const { client: bob, network } = lossyClient(node, "bob", { retry: { totalMs: 1_000 } });
          await held(await bob.acquire("warm")).release();
          network.lossOf = () => loss;
          const first = bob[method](path).catch((error: unknown) => error);
          await node.clock.pass(2_000, 100);
          assert.ok((await first) instanceof Error);
          await node.clock.pass(laterMs, 100);
          network.lossOf = () => undefined;
          await assertKept(node, held(await bob.acquire(path)), `${laterMs} ms later`);
        }
      });
    }
  }

  test("a lock stays with a second task that acquires it at any moment while the first one releases it", async () => {
    await using node = await clientNode();
    const bob = node.fresh("bob");
    for (let moment = 0; moment < 28; moment += 1) {
      const first = held(await bob.acquire(path));
      const asked = bob.acquire(path, { reentrant: true });
      await wait(moment);
      await first.release();
      const second = held(await asked);
      await loopTicks(10);
      assert.equal(second.state, "held", `moment ${moment}`);
      await second.release();
      assert.deepEqual((await node.client.locks.status(path)).holders, []);
    }
  });

  test("a lock stays with the first task when the acquire of a second one is aborted at any moment", async () => {
    await using node = await clientNode();
    const bob = node.fresh("bob");
    for (let moment = 0; moment < 28; moment += 1) {
      const first = held(await bob.acquire(path));
      const stop = new AbortController();
      const asked = bob.acquire(path, { reentrant: true, signal: stop.signal }).catch(() => undefined);
      await wait(moment);
      stop.abort();
      const second = await asked;
      await loopTicks(10);
      assert.equal(first.state, "held", `moment ${moment}`);
      if (second?.granted === true) await second.release();
      await first.release();
      assert.deepEqual((await node.client.locks.status(path)).holders, []);
    }
  });

  test("a lock stays with its holder after an earlier release without a reply", async () => {
    for (const loss of ["unsent", "unanswered"] as const) {
      await using node = await clientNode();
      const { client: bob, network } = lossyClient(node, "bob", { retry: { totalMs: 1_000 } });
      const first = held(await bob.acquire(path, { ttlMs: 600_000 }));
      network.lossOf = (operation) => (operation === "release-lock" ? loss : undefined);
      const released = assert.rejects(first.release());
      await node.clock.pass(2_000, 100);
      await released;
      network.lossOf = () => undefined;
      await assertKept(node, held(await bob.acquire(path)), loss);
    }
  });

  test("a lock stays with its holder after it was treated as lost during a silence of the server", async () => {
    await using node = await clientNode();
    const { client: bob, network } = lossyClient(node, "bob", { retry: false });
    const first = held(await bob.acquire(path, { ttlMs: 30_000 }));
    // The server receives the heartbeats and the client receives no reply. The client gives up a lock that the server
    // still holds for it.
    network.lossOf = (operation) => (operation === "heartbeat" ? "unanswered" : "unsent");
    await node.clock.pass(31_000, 250);
    assert.equal(first.signal.aborted, true);
    assert.equal((await node.client.locks.status(path)).holders[0]?.fence, first.fence);
    network.lossOf = () => undefined;
    const again = held(await bob.acquire(path));
    await assertKept(node, again, "again");
  });

  test("a read lock is never upgraded by an earlier acquire for write that failed", async () => {
    await using node = await clientNode();
    const { client: bob, network } = lossyClient(node, "bob", { retry: false });
    await held(await bob.acquire("warm")).release();
    network.lossOf = () => "unsent";
    await assert.rejects(bob.acquire(path));
    network.lossOf = () => undefined;
    const lock = held(await bob.acquire(path, { mode: "read" }));
    const { fence } = lock;
    await node.clock.pass(45_000, 250);
    assert.deepEqual([lock.fence, lock.mode, lock.state], [fence, "read", "held"]);
    await lock.release();
    await node.clock.pass(2_000, 250);
    assert.deepEqual((await node.client.locks.status(path)).holders, []);
  });
});

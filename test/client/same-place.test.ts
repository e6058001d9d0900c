import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../engine/manual-clock.ts";
import { clientNode, denied, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";

const path = "doc/1";
const inLine = (node: ClientNode, count: number): Promise<void> =>
  soon(async () => (await node.client.locks.status(path)).queue.length === count);

describe("two tasks that share what they lock", () => {
  test("stand in one place, and both have the lock when it is granted; the last one to release frees it [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    const lock = held(await ann.acquire(path));
    const places: number[][] = [[], []];
    const tasks = places.map((told) =>
      bob.acquire(path, { reentrant: true, onPlace: ({ place }) => told.push(place) }),
    );
    await soon(() => places.every((told) => told.length > 0));
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

  test("may give up one by one: the place is kept for the other [X5]", async () => {
    await using node = await clientNode();
    const [ann, bob, eve] = [node.fresh("ann"), node.fresh("bob"), node.fresh("eve")];
    const lock = held(await ann.acquire(path));
    const patient = bob.acquire(path);
    await inLine(node, 1);
    const behind = eve.acquire(path);
    await inLine(node, 2);
    const hasty = bob.acquire(path, { reentrant: true, waitMs: 2_000 });
    const stop = new AbortController();
    const stopped = bob.acquire(path, { reentrant: true, signal: stop.signal });
    await turns(20);
    stop.abort(new Error("enough"));
    await assert.rejects(stopped, /enough/u);
    await node.clock.pass(2_500, 100);
    denied(await hasty);
    await lock.release();
    const mine = held(await patient);
    assert.equal((await node.client.locks.status(path)).queue.length, 1, "who came later waits on");
    await mine.release();
    await held(await behind).release();
  });
});

test("who asks again at any moment while its place is being given up waits on, and gets the lock [X5]", async () => {
  await using node = await clientNode();
  const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
  for (let moment = 0; moment < 12; moment += 1) {
    const lock = held(await ann.acquire(path));
    const stop = new AbortController();
    const given = bob.acquire(path, { signal: stop.signal }).catch(() => undefined);
    await inLine(node, 1);
    stop.abort();
    await given;
    await turns(moment);
    const again = bob.acquire(path);
    await turns(20);
    await inLine(node, 1);
    await lock.release();
    await held(await again).release();
  }
});

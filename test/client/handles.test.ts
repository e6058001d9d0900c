import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { LockUsageError } from "holdfast";
import type { Lock, LockState } from "holdfast";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";

const path = "doc/1";

/** A lock of which nobody knows whether it is held: the server has not been heard for longer than the lease. */
async function uncertainLock(node: ClientNode): Promise<{ readonly lock: Lock; readonly share: () => Promise<Lock> }> {
  const ann = node.fresh("ann", { retry: false });
  const share = async (): Promise<Lock> =>
    held(await ann.acquire(path, { ttlSeconds: 30, patienceMs: 600_000, reentrant: true }));
  return { lock: await share(), share };
}

async function silence(node: ClientNode): Promise<void> {
  node.journal.fate = () => ({ isWritten: false, certain: true, code: "io" });
  await node.clock.pass(40_000, 250);
}

function statesOf(lock: Lock): LockState[] {
  const states: LockState[] = [];
  lock.onStateChange((state) => states.push(state));
  return states;
}

describe("a lock that is released while nobody knows whether it is held", () => {
  test("says so to who waits for certainty, and to who listens", async () => {
    await using node = await clientNode();
    const { lock } = await uncertainLock(node);
    const states = statesOf(lock);
    await silence(node);
    const certain = assert.rejects(lock.certain(), LockUsageError);
    await lock.release().catch(() => undefined);
    await certain;
    assert.deepEqual(states, ["uncertain", "released"]);
    node.journal.fate = () => undefined;
  });

  test("says so to those of the handle that was released, and not to those who share the lock and go on", async () => {
    await using node = await clientNode();
    const { lock, share } = await uncertainLock(node);
    const other = await share();
    const states = [statesOf(lock), statesOf(other)];
    await silence(node);
    const certain = other.certain();
    const ended = assert.rejects(lock.certain(), LockUsageError);
    await lock.release();
    await ended;
    node.journal.fate = () => undefined;
    await node.clock.pass(10_000, 250);
    await certain;
    await other.release();
    assert.deepEqual(states, [
      ["uncertain", "released"],
      ["uncertain", "held", "released"],
    ]);
  });

  test("says so when it is released by closing the client", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const lock = held(await ann.acquire(path));
    const states = statesOf(lock);
    await ann.close();
    await lock.release();
    assert.deepEqual(states, ["released"], "once: the release afterwards is none");
  });
});

test("a task that has released a lock which others share leaves nothing behind on it", async () => {
  await using node = await clientNode();
  const ann = node.fresh("ann");
  const lock = held(await ann.acquire(path));
  const told: string[] = [];
  for (let task = 0; task < 20; task += 1) {
    const options = {
      reentrant: true,
      onReleaseRequested: () => told.push("asked"),
      onExpiring: () => told.push("warned"),
    };
    const inner = held(await ann.acquire(path, options));
    inner.onStateChange((state) => told.push(state));
    await inner.release();
    inner.onReleaseRequested(() => told.push("asked"));
  }
  assert.deepEqual(told.splice(0), Array<LockState>(20).fill("released"));
  assert.equal(getEventListeners(lock.signal, "abort").length, 1, "that of the lock itself");
  let isAsked = false;
  lock.onReleaseRequested(() => {
    isAsked = true;
  });
  await node.client.locks.requestRelease(path, "my turn", { ownerId: "bob" });
  await soon(() => isAsked);
  await node.client.locks.forceRelease(lock.fence, "stuck");
  await soon(() => lock.signal.aborted);
  assert.deepEqual(told, []);
});

for (const how of ["upgrade", "downgrade"] as const) {
  test(`released at any moment while its ${how} is under way, a lock is free, whatever its fence is by then`, async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const other = held(await ann.acquire("doc/2")); // its heartbeats renew all that the agent has
    for (let moment = 0; moment < 4; moment += 1) {
      const lock = held(await ann.acquire(path, { mode: how === "upgrade" ? "read" : "write" }));
      const change = (how === "upgrade" ? lock.upgrade() : lock.downgrade("read")).catch((error: unknown) => error);
      await loopTicks(moment);
      await lock.release();
      const outcome = await change;
      assert.ok(outcome === undefined || outcome instanceof LockUsageError, String(outcome));
      await node.clock.pass(60_000, 1_000);
      assert.deepEqual((await node.client.locks.status(path)).holders, [], `after ${moment} turns`);
    }
    await other.release();
  });
}

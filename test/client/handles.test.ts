import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { LockUsageError } from "holdfast";
import type { Lock, LockState } from "holdfast";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";

const path = "doc/1";

/** A lock in state `uncertain`: no reply from the server for longer than the lease. */
async function uncertainLock(node: ClientNode): Promise<{ readonly lock: Lock; readonly share: () => Promise<Lock> }> {
  const ann = node.fresh("ann", { retry: false });
  const share = async (): Promise<Lock> =>
    held(await ann.acquire(path, { ttlMs: 30_000, uncertainMaxMs: 600_000, reentrant: true }));
  return { lock: await share(), share };
}

async function silence(node: ClientNode): Promise<void> {
  node.journal.failureOf = () => ({ isWritten: false, certain: true, code: "io" });
  await node.clock.pass(40_000, 250);
}

function statesOf(lock: Lock): LockState[] {
  const states: LockState[] = [];
  lock.onStateChange((state) => states.push(state));
  return states;
}

describe("release of an uncertain lock", () => {
  test("a release of an uncertain lock ends certain() and notifies the listeners", async () => {
    await using node = await clientNode();
    const { lock } = await uncertainLock(node);
    const states = statesOf(lock);
    await silence(node);
    const certain = assert.rejects(lock.certain(), LockUsageError);
    await lock.release().catch(() => undefined);
    await certain;
    assert.deepEqual(states, ["uncertain", "released"]);
    node.journal.failureOf = () => undefined;
  });

  test("a release of an uncertain lock notifies its own handle and not the handles that share the lock", async () => {
    await using node = await clientNode();
    const { lock, share } = await uncertainLock(node);
    const other = await share();
    const states = [statesOf(lock), statesOf(other)];
    await silence(node);
    const certain = other.certain();
    const ended = assert.rejects(lock.certain(), LockUsageError);
    await lock.release();
    await ended;
    node.journal.failureOf = () => undefined;
    await node.clock.pass(10_000, 250);
    await certain;
    await other.release();
    assert.deepEqual(states, [
      ["uncertain", "released"],
      ["uncertain", "held", "released"],
    ]);
  });

  test("a release by closing the client notifies the listeners of the lock", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const lock = held(await ann.acquire(path));
    const states = statesOf(lock);
    await ann.close();
    await lock.release();
    assert.deepEqual(states, ["released"], "the release afterwards has no effect");
  });
});

test("a task that releases a shared lock leaves no listeners on it", async () => {
  await using node = await clientNode();
  const ann = node.fresh("ann");
  const lock = held(await ann.acquire(path));
  const calls: string[] = [];
  for (let task = 0; task < 20; task += 1) {
    const options = {
      reentrant: true,
      onReleaseRequested: () => calls.push("asked"),
      onExpiring: () => calls.push("warned"),
    };
    const inner = held(await ann.acquire(path, options));
    inner.onStateChange((state) => calls.push(state));
    await inner.release();
    inner.onReleaseRequested(() => calls.push("asked"));
  }
  assert.deepEqual(calls.splice(0), Array<LockState>(20).fill("released"));
  assert.equal(getEventListeners(lock.signal, "abort").length, 1, "only the listener of the lock itself");
  let isAsked = false;
  lock.onReleaseRequested(() => {
    isAsked = true;
  });
  await node.client.locks.requestRelease(path, "my turn", { ownerId: "bob" });
  await soon(() => isAsked);
  await node.client.locks.forceRelease(lock.fence, "stuck");
  await soon(() => lock.signal.aborted);
  assert.deepEqual(calls, []);
});

for (const how of ["upgrade", "downgrade"] as const) {
  test(`a lock that is released at any moment during its ${how} is free, regardless of its current fence`, async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const other = held(await ann.acquire("doc/2")); // its heartbeats renew all locks of the agent
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

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, HoldfastError, LockLostError } from "holdfast";
import type { Lock, LockState, LossReason, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { clientNode, held, soon } from "./client-node.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

function lossOf(lock: Lock): LossReason | undefined {
  assert.equal(lock.signal.aborted, lock.lost !== undefined);
  if (lock.lost === undefined) return undefined;
  assert.ok(lock.lost instanceof LockLostError);
  assert.equal(lock.state, "lost");
  return lock.lost.why;
}

describe("renewal", () => {
  test("a client renews all its locks with one heartbeat while it holds any, and sends none otherwise [M9]", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const locks = [held(await ann.acquire("a", { ttlMs: 10_000 })), held(await ann.acquire("b", { ttlMs: 40_000 }))];
    await node.clock.pass(120_000, 250);
    assert.deepEqual(
      locks.map(({ state }) => state),
      ["held", "held"],
    );
    const beats = await beatCount(node);
    assert.ok(beats >= 30 && beats <= 46, `about one heartbeat for each third of the shortest lease: ${beats}`);
    for (const lock of locks) await lock.release();
    await node.clock.pass(120_000, 250);
    assert.ok((await beatCount(node)) - beats <= 1);
  });

  test("a client renews each lock and ticket of an owner that is not an agent separately [M9 X5]", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const lock = held(await ann.acquire("a", { ownerId: "x", ttlMs: 10_000 }));
    const waiting = node.fresh("bob").acquire("a", { ownerId: "y" });
    await node.clock.pass(90_000, 250);
    assert.equal(lock.state, "held");
    await lock.release();
    assert.equal(held(await waiting).ownerId, "y");
  });
});

test("a lock whose watch is refused is renewed by fence, so that its loss is noticed within a lease", async () => {
  await using node = await clientNode();
  const inner = transportOf(node.services);
  const refused = new HoldfastError("watch", "watch_limit", { data: { limit: 0 }, position: 0, replayed: false });
  let isRefused = true;
  const watch: Transport["watch"] = (options) => {
    if (isRefused) throw refused;
    return inner.watch(options);
  };
  let ids = 0;
  const ann = createClient({ ...inner, watch }, { clock: clientTime(node.clock, () => `ann-${(ids += 1)}`) });
  const locks = [held(await ann.acquire("a", { ttlMs: 10_000 })), held(await ann.acquire("b", { ttlMs: 10_000 }))];
  const [kept, gone] = locks as [Lock, Lock];
  await node.clock.pass(30_000, 250);
  assert.deepEqual([kept.state, gone.state], ["held", "held"], "each lock is renewed by its fence");
  await node.client.locks.forceRelease(gone.fence, "stuck");
  await node.clock.pass(10_000, 250);
  assert.deepEqual([kept.state, lossOf(gone)], ["held", "forced"]);
  // As soon as the lock is watched, its loss is noticed at once.
  isRefused = false;
  await node.clock.pass(10_000, 250);
  await node.client.locks.forceRelease(kept.fence, "stuck");
  await soon(() => kept.signal.aborted);
  assert.equal(lossOf(kept), "forced");
});

async function beatCount(node: ClientNode): Promise<number> {
  let count = 0;
  const events = node.client.watch({ after: "1.0", names: ["evt.agents.renewed"] });
  const next = async (): Promise<boolean> => {
    const event = await Promise.race([events.next(), loopTicks(30)]);
    return event !== undefined && event.done !== true;
  };
  while (await next()) count += 1;
  await events.return?.();
  return count;
}

describe("lost locks", () => {
  const cases: readonly [LossReason, (node: ClientNode, lock: Lock) => Promise<unknown>][] = [
    ["forced", (node, lock) => node.client.locks.forceRelease(lock.fence, "stuck")],
    ["agent-ended", (node, lock) => node.client.agents.end(lock.ownerId)],
    ["released", (node, lock) => node.client.as({ agentId: lock.ownerId }).locks.release({ fence: lock.fence })],
    [
      "transferred",
      (node, lock) => node.client.as({ agentId: lock.ownerId }).locks.transfer({ fence: lock.fence }, "other"),
    ],
    ["expired", (node) => node.clock.pass(61_000, 250)],
  ];
  for (const [why, lose] of cases) {
    test(`a lock that is lost with reason ${why} aborts its signal, changes its state and ignores a release`, async () => {
      await using node = await clientNode();
      const lock = held(await node.fresh("ann").acquire("doc/1", { maxHoldMs: 60_000 }));
      const states: LockState[] = [];
      lock.onStateChange((state) => states.push(state));
      await lose(node, lock);
      await soon(() => lock.signal.aborted);
      assert.equal(lossOf(lock), why);
      assert.deepEqual(states, ["lost"]);
      await assert.rejects(lock.renew(), (error) => error === lock.lost);
      await lock.release();
      await lock[Symbol.asyncDispose]();
    });
  }

  test("a request whose lock is lost is rejected with the loss unless its callback failed itself", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const force = async (lock: Lock): Promise<void> => {
      await node.client.locks.forceRelease(lock.fence, "stuck");
      await soon(() => lock.signal.aborted);
    };
    await assert.rejects(ann.locks.request("p", force), LockLostError);
    const failing = ann.locks.request("p", async (lock) => {
      await force(lock);
      throw new Error("mine");
    });
    await assert.rejects(failing, /mine/u);
    await ann.locks.request("p", { ifAvailable: true }, (lock) => assert.ok(lock));
  });

  test("an agent that ended is replaced on the next acquire [G1]", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    const first = held(await ann.acquire("p"));
    await node.client.agents.end(first.ownerId);
    await ann.entities.create("doc", "1", {});
    await soon(() => first.signal.aborted);
    assert.equal(lossOf(first), "agent-ended");
    const second = held(await ann.acquire("p"));
    assert.notEqual(second.ownerId, first.ownerId);
  });
});

describe("unresponsive servers", () => {
  test("a lock becomes uncertain shortly before its lease ends without replies, and is lost no later than on the server [M9]", async () => {
    await using node = await clientNode();
    const lock = held(await node.fresh("ann", { retry: false }).acquire("doc/1", { ttlMs: 30_000 }));
    const states: [LockState, number][] = [];
    const from = node.clock.monotonicMs();
    lock.onStateChange((state) => states.push([state, node.clock.monotonicMs() - from]));
    node.journal.failureOf = () => ({ isWritten: false, certain: true, code: "io" });
    await node.clock.pass(40_000, 250);
    assert.equal(lossOf(lock), "server-unreachable");
    assert.deepEqual(
      states.map(([state]) => state),
      ["uncertain", "lost"],
    );
    assert.ok(states[0]![1] >= 27_750 && states[0]![1] <= 28_250, String(states[0]));
    assert.ok(states[1]![1] <= 30_250, String(states[1]));
    node.journal.failureOf = () => undefined;
  });

  test("a lock with uncertainMaxMs continues when the server responds again in time [M9]", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann", { retry: false });
    const lock = held(await ann.acquire("doc/1", { ttlMs: 30_000, uncertainMaxMs: 60_000 }));
    node.journal.failureOf = () => ({ isWritten: false, certain: true, code: "io" });
    await node.clock.pass(40_000, 250);
    assert.deepEqual([lock.state, lock.signal.aborted], ["uncertain", false]);
    const certain = lock.certain();
    node.journal.failureOf = () => undefined;
    await node.clock.pass(10_000, 250);
    await certain;
    assert.equal(lock.state, "held");
    await lock.release();
  });

  const sleeps = [
    { of: "a lease", options: {}, afterMs: 0 },
    { of: "a lease that is as long as the maximum hold", options: { maxHoldMs: 30_000 }, afterMs: 0 },
    { of: "the last lease of a longer hold", options: { maxHoldMs: 60_000 }, afterMs: 45_000 },
  ];
  for (const { of, options, afterMs } of sleeps) {
    test(`a lock is confirmed by the server after the computer slept during ${of} [M9]`, async () => {
      await using node = await clientNode();
      const ann = node.fresh("ann");
      const lock = held(await ann.acquire("doc/1", { ttlMs: 30_000, ...options }));
      await node.clock.pass(afterMs, 250);
      const states: LockState[] = [];
      lock.onStateChange((state) => states.push(state));
      node.clock.jumpWall(3_600_000);
      assert.equal(lock.state, "uncertain");
      await lock.certain();
      assert.deepEqual([lock.state, states], ["held", ["uncertain", "held"]]);
      await lock.release();
    });
  }

  test("a lock that is disposed during an outage is released later, and the disposal does not throw", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann", { retry: false });
    const other = held(await ann.acquire("doc/2"));
    const lock = held(await ann.acquire("doc/1", { ttlMs: 600_000 }));
    node.journal.failureOf = () => ({ isWritten: false, certain: true, code: "io" });
    await lock[Symbol.asyncDispose]();
    assert.equal(lock.state, "released");
    node.journal.failureOf = () => undefined;
    await node.clock.pass(20_000, 250);
    assert.equal(
      (await node.client.locks.status("doc/1")).holders.length,
      0,
      "the heartbeat must not keep the lock forever",
    );
    await other.release();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LockUsageError } from "holdfast";
import type { Client } from "holdfast";
import { refusedWith } from "../api/refused-with.ts";
import { onEveryTransport } from "./every-transport.ts";
import { clientNode, denied, held, soon } from "./client-node.ts";

onEveryTransport(
  "a request holds its lock while the callback runs and returns the result of the callback",
  async (client) => {
    const result = await client.locks.request("doc/1", { purpose: "writing" }, async (lock) => {
      assert.equal(lock.state, "held");
      const { holders } = await client.locks.status("doc/1");
      assert.deepEqual(
        holders.map(({ fence, purpose }) => [fence, purpose]),
        [[lock.fence, "writing"]],
      );
      return "result";
    });
    assert.equal(result, "result");
    assert.equal((await client.locks.status("doc/1")).holders.length, 0);
  },
);

onEveryTransport(
  "a request releases its lock when the callback throws and rejects with the same error",
  async (client) => {
    const failure = new Error("mine");
    await assert.rejects(
      client.locks.request("doc/1", () => {
        throw failure;
      }),
      (error) => error === failure,
    );
    assert.equal((await client.locks.status("doc/1")).holders.length, 0);
  },
);

onEveryTransport("a client without an agent registers one, and ends it when it is closed [G1]", async (client) => {
  const worker = client.agent({ name: "worker", purpose: "testing" });
  await using lock = held(await worker.acquire("doc/1"));
  const [agent] = (await client.agents.list()).items;
  assert.deepEqual([agent?.agentId, agent?.name, agent?.purpose], [lock.ownerId, "worker", "testing"]);
  await worker.close();
  assert.equal((await client.agents.list()).items.length, 0);
  assert.equal((await client.locks.status("doc/1")).holders.length, 0);
  assert.equal(lock.state, "released");
});

onEveryTransport("two agents of a connection exclude each other, first come, first served [X5]", async (client) => {
  const order: string[] = [];
  const agents = ["a", "b", "c"].map((name) => ({ name, own: client.agent({ name }) }));
  let go!: () => void;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const [first, ...others] = agents;
  const work = [
    first!.own.locks.request("doc/1", async () => {
      await gate;
      order.push(first!.name);
    }),
  ];
  await soon(async () => (await client.locks.status("doc/1")).holders.length === 1);
  for (const [index, { name, own }] of others.entries()) {
    work.push(own.locks.request("doc/1", () => void order.push(name)));
    await soon(async () => (await client.locks.status("doc/1")).queue.length === index + 1);
  }
  go();
  await Promise.all(work);
  assert.deepEqual(order, ["a", "b", "c"]);
});

describe("held locks", () => {
  test("a held lock gives null to a callback with ifAvailable and a denial to acquire, with owner, purpose and expiry", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await using lock = held(await ann.acquire("doc/1", { purpose: "renaming" }));
    assert.equal(await bob.locks.request("doc/1", { ifAvailable: true }, (got) => got), null);
    await using no = denied(await bob.tryAcquire("doc/1", { waitMs: 0 }));
    assert.equal(no.holders[0]?.fence, lock.fence);
    assert.match(
      no.message,
      /^doc\/1 is not free: ann has a write lock on doc\/1 for "renaming" since 2026-.* until 2026-.* You would be number 1/u,
    );
  });

  test("a held lock is denied after waitMs, with the last place in the queue", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await using _lock = held(await ann.acquire("doc/1"));
    const waiting = bob.tryAcquire("doc/1", { waitMs: 5_000 });
    await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
    await node.clock.pass(5_000);
    const no = denied(await waiting);
    assert.deepEqual([no.place, no.holders[0]?.name], [1, "ann"]);
    assert.equal((await node.client.locks.status("doc/1")).queue.length, 0);
    const late = bob.locks.request("doc/1", { waitMs: 1_000 }, () => "never").catch((error: unknown) => error);
    await soon(async () => (await node.client.locks.status("doc/1")).queue.length === 1);
    await node.clock.pass(1_000);
    refusedWith("lock_denied")(await late);
  });
});

describe("misuse", () => {
  const cases: readonly [string, (client: Client) => unknown, RegExp][] = [
    ["a missing callback", (c) => c.locks.request("p", {}, undefined as never), /last argument must be the function/u],
    [
      "an option with a typo",
      (c) => c.acquire("p", { purpos: "x" } as never),
      /there is no option `purpos`: it is one of .*\bpurpose\b/u,
    ],
    ["an option of another library", (c) => c.acquire("p", { timeout: 5 } as never), /limits the wait with `waitMs`/u],
    ["a lease out of range", (c) => c.acquire("p", { ttlMs: 0 }), /`ttlMs` is 0, .* 1000 to 86400000/u],
    ["a lease with a fraction", (c) => c.acquire("p", { ttlMs: 1_500.5 }), /a whole number/u],
    [
      "both ifAvailable and waitMs",
      (c) => c.locks.request("p", { ifAvailable: true, waitMs: 5 }, () => undefined),
      /use one of them/u,
    ],
    ["a wait that acquire does not limit", (c) => c.acquire("p", { waitMs: 5 } as never), /use `tryAcquire`/u],
    ["no path", (c) => c.acquire([]), /no path to lock/u],
    ["a path that is not a text", (c) => c.acquire({} as never), /a path is a text/u],
  ];
  for (const [what, misuse, words] of cases) {
    test(`a call with ${what} is refused before it is sent, and the message names the fix`, async () => {
      await using node = await clientNode();
      await assert.rejects(
        async () => misuse(node.fresh("ann")),
        (error) => error instanceof LockUsageError && words.test(error.message),
      );
      assert.equal((await node.client.agents.list()).items.length, 0, "the client sent nothing to the server");
    });
  }

  test("a promise that is used as a lock throws an error that names the missing `await`", async () => {
    await using node = await clientNode();
    const promised = node.fresh("ann").acquire("doc/1");
    assert.throws(() => (promised as unknown as { fence: string }).fence, /`await using lock = await client.acquire/u);
    await assert.rejects(async () => {
      await using _lock = promised as unknown as AsyncDisposable;
    }, LockUsageError);
    await held(await promised).release();
  });

  test("two tasks of one client on the same path are refused unless they use agents of their own or reentrant", async () => {
    await using node = await clientNode();
    const ann = node.fresh("ann");
    await using outer = held(await ann.acquire("repo/x"));
    for (const path of ["repo/x", "repo/x/src", "repo"]) {
      await assert.rejects(ann.acquire(path), /reentrant: true.*client.agent/u, path);
    }
    held(await ann.acquire("repo/y"));
    const inner = held(await ann.acquire("repo/x", { reentrant: true }));
    assert.equal(inner.fence, outer.fence);
    await inner.release();
    assert.equal(outer.state, "held");
    assert.equal(
      (await node.client.locks.checkFence("repo/x", outer.fence)).valid,
      true,
      "the last release frees the lock",
    );
    await outer.release();
    assert.equal((await node.client.locks.checkFence("repo/x", outer.fence)).valid, false);
    await outer.release();
    await assert.rejects(outer.renew(), /was released: acquire it again/u);
  });
});

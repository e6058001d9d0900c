import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConcurrencyConflictError, LockTimeoutError } from "@holdfast/sdk/intent-errors";
import { IntentNotFoundError, InvalidStatusTransitionError } from "@holdfast/sdk/intent-errors";
import { promise } from "../api/with-client.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { clientNode, held, soon } from "../client/client-node.ts";

const correction = { source: "pricing", reason: "the list changed" };

describe("writes through the client", () => {
  onEveryTransport("a client creates, changes, corrects and lists intents [B1 B4 B11]", async ({ intents }) => {
    const made = await intents.create({ id: "1", payload: { text: "two chairs" } });
    assert.deepEqual([made.status, made.version, made.correctionCount], ["received", 1, 0]);
    const changed = await intents.update("1", { lines: 2 }, { expectedVersion: 1 });
    assert.deepEqual(changed.payload, { text: "two chairs", lines: 2 });
    assert.equal((await intents.transition("1", "processed")).status, "processed");
    const applied = await intents.reevaluate("1", { ...correction, diff: { price_list: 7 } });
    assert.deepEqual([applied.status, applied.alreadyApplied, applied.inEffect], ["corrected", false, true]);
    const read = await intents.get("1");
    assert.deepEqual(read.correctionHistory[0]?.diff, { price_list: 7 });
    assert.equal((await intents.listCorrections("1")).items.length, 1);
    assert.deepEqual((await intents.list({ status: "corrected" })).items, [{ id: "1", status: "corrected" }]);
  });

  onEveryTransport("each kind of refusal has its own error [B11]", async ({ intents, agent }) => {
    await intents.create({ id: "1", payload: {} });
    await assert.rejects(intents.get("2"), IntentNotFoundError);
    await assert.rejects(intents.transition("1", "corrected"), InvalidStatusTransitionError);
    await assert.rejects(intents.transition("1", "sold" as never), InvalidStatusTransitionError);
    await assert.rejects(intents.update("1", { a: 1 }, { expectedVersion: 9 }), ConcurrencyConflictError);
    await using other = agent({ name: "bob" });
    await using _lock = await other.acquire("intent/1", { purpose: "a talk" });
    const refused = await intents.transition("1", "processed").catch((error: unknown) => error);
    assert.ok(refused instanceof LockTimeoutError);
    assert.deepEqual([refused.holders[0]?.purpose, refused.retry], ["a talk", "new-key-after-read"]);
  });

  promise(
    "a write that waits is queued and done as soon as the lock is free [B2 B3 X5]",
    async ({ intents, agent }) => {
      await intents.create({ id: "1", payload: {} });
      await using other = agent({ name: "bob" });
      const lock = await other.acquire("intent/1");
      const waiting = intents.transition("1", "processed", { waitMs: 60_000 });
      await soon(async () => (await other.locks.status("intent/1")).queue.length === 1);
      await lock.release();
      assert.equal((await waiting).status, "processed");
      assert.deepEqual((await other.locks.status("intent/1")).holders, []);
    },
  );

  test("a wait ends after the timeout that operators set, with the holders and the time [B2 B3]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    held(await bob.tryAcquire("intent/1", { ttlMs: 60_000 }));
    const waiting = ann.intents.transition("1", "processed", { wait: true }).catch((error: unknown) => error);
    await soon(async () => (await bob.locks.status("intent/1")).queue.length === 1);
    await node.clock.pass(5_001, 250);
    const refused = await waiting;
    assert.ok(refused instanceof LockTimeoutError, String(refused));
    assert.ok(refused.waitedMs >= 5_000 && refused.waitedMs < 5_500, String(refused.waitedMs));
  });

  promise("work under the lock of an intent excludes other writers, and an error releases it [B2]", async (client) => {
    const { intents } = client;
    await intents.create({ id: "1", payload: { n: 1 } });
    await assert.rejects(
      intents.withLock("1", {}, async (locked) => {
        await assert.rejects(intents.transition("1", "processed"), LockTimeoutError);
        await assert.rejects(
          intents.withLock("1", {}, () => Promise.resolve()),
          LockTimeoutError,
        );
        await locked.update({ n: Number(locked.intent.payload["n"]) + 1 });
        throw new Error("enough");
      }),
      /enough/u,
    );
    assert.deepEqual((await intents.get("1")).payload, { n: 2 });
    assert.equal((await intents.transition("1", "processed")).status, "processed");
    await assert.rejects(
      intents.withLock("none", {}, () => Promise.resolve()),
      IntentNotFoundError,
    );
  });

  promise("an update of many intents with a wait takes all locks as one set [B6]", async ({ intents, agent }) => {
    for (const id of ["a", "b"]) await intents.create({ id, payload: {} });
    await using other = agent({ name: "bob" });
    const lock = await other.acquire("intent/b");
    const waiting = intents.updateMany(["b", "a"], { to: "processed" }, { waitMs: 60_000 });
    await soon(async () => (await other.locks.status("intent/b")).queue.length === 1);
    await lock.release();
    const { items } = await waiting;
    assert.deepEqual(
      items.map(({ id, status }) => [id, status]),
      [
        ["a", "processed"],
        ["b", "processed"],
      ],
    );
  });
});

describe("conditional re-evaluation", () => {
  test("a try that loses is repeated after 200 and 400 ms, and the lock ends the race [B4]", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    await client.intents.create({ id: "1", payload: { n: 9 }, status: "processed" });
    const rival = node.fresh("rival");
    const startedMs = node.clock.monotonicMs();
    const reads: number[] = [];
    let pending: Promise<unknown> = Promise.resolve();
    const work = client.intents.reevaluate("1", {
      ...correction,
      // The rival writes between the read and the write of each try, and is refused under the lock.
      diff: () => {
        reads.push(node.clock.monotonicMs() - startedMs);
        const update = { id: "1", changes: { n: reads.length } };
        pending = rival.operations.intents.update(update).catch((error: unknown) => error);
        return { price: 7 };
      },
    });
    await soon(() => reads.length === 1);
    await node.clock.pass(1_000, 10);
    const result = await work;
    assert.deepEqual([result.alreadyApplied, result.status], [false, "corrected"]);
    const [first = 0, second = 0, third = 0, fourth = 0] = reads;
    assert.equal(reads.length, 4);
    assert.ok(second - first >= 150 && second - first <= 260, `${second - first} ms`);
    assert.ok(third - second >= 350 && third - second <= 460, `${third - second} ms`);
    assert.ok(fourth - third <= 20, "the last read is under the lock, without a delay");
    const refused = (await pending) as { readonly code?: string };
    assert.equal(refused.code, "intents.lock_timeout", "the rival was refused under the lock");
    const { items } = await client.intents.listCorrections("1");
    assert.equal(items.length, 1);
  });
});

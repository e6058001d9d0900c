/** Calls that are repeated under their key, and tries that end late. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import { clientNode, held, soon } from "../client/client-node.ts";
import { passUntil } from "./matrix-row.ts";

const because = { source: "pricing", reason: "the list changed" };

/** The key and the outcome of each entry of an operation, in order. */
async function keysOf({ operations }: Client, operation: string): Promise<readonly (readonly unknown[])[]> {
  const { items } = await operations.listJournal({ operation, limit: 100 });
  const entries = items.toSorted((a, b) => a.position - b.position);
  return entries.map(({ key, outcome }) => [key, outcome.code ?? outcome.kind]);
}

describe("repeated calls of intents", () => {
  test("a call that waited for the lock and is repeated under its key gets the same result [B3 B4 M4]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    const calls = [
      () => ann.intents.transition("1", "processed", { wait: true, key: "k1" }),
      () => ann.intents.updateMany(["1"], { changes: { n: 1 } }, { wait: true, key: "k2" }),
      () => ann.intents.reevaluate("1", { diff: { price: 7 }, ...because }, { wait: true, key: "k3" }),
    ];
    for (const call of calls) {
      const lock = held(await bob.tryAcquire("intent/1", { ttlMs: 60_000 }));
      const waiting = call();
      await soon(async () => (await bob.locks.status("intent/1")).queue.length === 1);
      await lock.release();
      const first = await waiting;
      const { version } = await ann.intents.get("1");
      assert.deepEqual(await call(), first);
      assert.equal((await ann.intents.get("1")).version, version);
    }
    assert.deepEqual(await keysOf(ann, "intents.transition"), [
      ["k1", "intents.lock_timeout"],
      ["k1~lock", "done"],
    ]);
  });

  test("a conditional correction that lost its tries and is repeated under its key is applied once [B4 M4]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    const call = () =>
      ann.intents.reevaluate("1", { diff: { price: 7 }, ...because }, { expectedVersion: 9, key: "k" });
    const passing = async <Result>(work: Promise<Result>): Promise<Result> => {
      let isDone = false;
      void work.catch(() => undefined).finally(() => (isDone = true));
      await soon(async () => {
        await node.clock.pass(50, 50);
        return isDone;
      });
      return work;
    };
    const first = await passing(call());
    assert.deepEqual([first.alreadyApplied, first.correctionCount], [false, 1]);
    const mismatch = "concurrency_mismatch";
    assert.deepEqual(await keysOf(ann, "intents.reevaluate"), [
      ["k", mismatch],
      ["k~2", "done"],
    ]);
    await bob.intents.transition("1", "processed");
    const again = await passing(call());
    assert.deepEqual([again.alreadyApplied, again.appliedAt, again.correctionCount], [true, first.appliedAt, 1]);
  });

  test("the tries of a conditional correction have the keys K, K~2, K~3 and K~lock [B4 M4]", async () => {
    await using node = await clientNode();
    const [ann, rival] = [node.fresh("ann"), node.fresh("rival")];
    await ann.intents.create({ id: "1", payload: {} });
    let reads = 0;
    const diff = (): { readonly price: number } => {
      reads += 1;
      // The rival writes between the read and the write of each try. Under the lock it is refused.
      void rival.operations.intents.update({ id: "1", changes: { n: reads } }).catch(() => undefined);
      return { price: 7 };
    };
    const work = ann.intents.reevaluate("1", { diff, ...because }, { key: "K" });
    await passUntil(node.clock, work);
    const mismatch = "concurrency_mismatch";
    assert.deepEqual(await keysOf(ann, "intents.reevaluate"), [
      ["K", mismatch],
      ["K~2", mismatch],
      ["K~3", mismatch],
      ["K~lock", "done"],
    ]);
  });

  test("a try that exceeds its timeout fails its step, its signal aborts, and its late result is dropped [B5]", async () => {
    await using node = await clientNode();
    const { intents } = node.fresh("ann");
    await intents.create({ id: "1", payload: {}, status: "processed" });
    const late = Promise.withResolvers<{ readonly changes: { readonly late: boolean } }>();
    const signals: AbortSignal[] = [];
    const slow = {
      name: "slow",
      timeoutMs: 5_000,
      execute: (_intent: unknown, { signal }: { readonly signal: AbortSignal }) => {
        signals.push(signal);
        return late.promise;
      },
    };
    const pipeline = await intents.bridges([slow], { name: "orders", onFailure: "pause" });
    const ended = pipeline.execute("1").catch((error: unknown) => error);
    await soon(() => signals.length === 1);
    await node.clock.pass(5_000, 250);
    const failure = (await ended) as { readonly name: string; readonly cause: { readonly code: string } };
    assert.deepEqual([failure.name, failure.cause.code], ["BridgeExecutionError", "step_timeout"]);
    assert.equal(signals[0]?.aborted, true);
    late.resolve({ changes: { late: true } });
    const { payload, run } = await intents.get("1");
    assert.deepEqual([payload, run?.state, run?.steps["slow"]?.error?.code], [{}, "paused", "step_timeout"]);
  });

  test("a run of n bridges makes n + 3 entries, and a read at a position shows the intent of that moment [B5 X9]", async () => {
    await using node = await clientNode();
    const { intents, cursor } = node.fresh("ann");
    const positionNow = async (): Promise<number> => Number((await cursor()).split(".")[1]);
    const names = ["a", "b", "c", "d"];
    const pipeline = await intents.bridges(
      names.map((name) => ({ name, execute: () => ({ changes: { [name]: true } }) })),
      { name: "orders" },
    );
    // The first run registers the agent of its owner.
    for (const id of ["0", "1"]) await intents.create({ id, payload: {} });
    await pipeline.execute("0");
    const before = await positionNow();
    await pipeline.execute("1");
    assert.equal(await positionNow(), before + names.length + 3);
    const past = await intents.get("1", { position: before + 4 });
    assert.deepEqual([past.payload, past.run?.current], [{ a: true, b: true }, "c"]);
  });

  test("a caller cannot choose the id of a correction [B4]", async () => {
    await using node = await clientNode();
    const { intents, run } = node.fresh("ann");
    await intents.create({ id: "1", payload: {} });
    const correction_id = "00000000-0000-8000-8000-000000000000";
    const input = { id: "1", diff: { price: 7 }, ...because, correction_id };
    await assert.rejects(run("intents.reevaluate", input), { code: "input_invalid" });
  });
});

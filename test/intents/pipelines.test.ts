import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BridgeExecutionError, FatalBridgeError, LockTimeoutError } from "@holdfast/sdk/intent-errors";
import { feedbackBridge, inputBridge, normalizeBridge, outputBridge } from "@holdfast/sdk/bridges";
import type { Bridge, BridgeStep } from "@holdfast/sdk/bridges";
import type { Client } from "holdfast";
import { promise } from "../api/with-client.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { clientNode, soon } from "../client/client-node.ts";

const name = "orders";

/** A bridge that reports its step and waits until the test ends it. */
function heldBridge(): Bridge & {
  readonly steps: BridgeStep[];
  /** Waits for a number of steps. The key of a step is made by another thread, so turns of the loop do not bound it. */
  reached: (count: number) => Promise<void>;
  end: () => void;
} {
  const ended = Promise.withResolvers<undefined>();
  const steps: BridgeStep[] = [];
  const waiting: (() => void)[] = [];
  return {
    name: "held",
    steps,
    reached: async (count) => {
      while (steps.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    end: () => {
      ended.resolve(undefined);
    },
    execute: (_intent, step) => {
      steps.push(step);
      for (const resolve of waiting.splice(0)) resolve();
      return ended.promise;
    },
  };
}

async function received(client: Client): Promise<void> {
  await client.intents.create({ id: "1", payload: { text: "two chairs" } });
}

describe("pipelines", () => {
  onEveryTransport(
    "a pipeline runs its bridges in order, each step under the fence of the run [B5]",
    async (client) => {
      await received(client);
      const order: string[] = [];
      const orders = await client.intents.bridges(
        [
          inputBridge(() => void order.push("input")),
          normalizeBridge(() => {
            order.push("normalize");
            return { lines: 2 };
          }),
          feedbackBridge(({ payload }) => {
            order.push("feedback");
            return { diff: { lines: Number(payload["lines"]) + 1 }, source: "judge", reason: "one is missing" };
          }),
          outputBridge(() => void order.push("output")),
        ],
        { name },
      );
      const ended = await orders.execute("1");
      assert.deepEqual(order, ["input", "normalize", "feedback", "output"]);
      assert.deepEqual([ended.status, ended.run?.state, ended.payload["lines"]], ["completed", "completed", 3]);
      assert.equal(ended.correctionCount, 1);
      assert.deepEqual((await client.locks.status("intent/1")).holders, []);
    },
  );

  promise("a second runner is refused at once, or waits for the first one [B5]", async (client) => {
    await received(client);
    const bridge = heldBridge();
    const orders = await client.intents.bridges([bridge], { name });
    const first = orders.execute("1");
    await bridge.reached(1);
    await assert.rejects(orders.execute("1"), LockTimeoutError);
    const second = orders.execute("1", { waitMs: 60_000 });
    await soon(async () => (await client.locks.status("intent/1")).queue.length === 1);
    bridge.end();
    assert.equal((await first).run?.number, 1);
    assert.equal((await second).run?.number, 2);
  });

  promise("a bridge that fails ends a fail-fast run, and the caller gets its cause [B5 B11]", async (client) => {
    await received(client);
    const sold = Object.assign(new Error("no chairs left"), { code: "sold_out" });
    const failing: Bridge = { name: "price", execute: () => Promise.reject(sold) };
    const orders = await client.intents.bridges([inputBridge(), failing, outputBridge()], { name });
    const error = await orders.execute("1").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof BridgeExecutionError);
    assert.deepEqual([error.bridge, error.cause, error.intent.status], ["price", sold, "failed"]);
    const { run } = await client.intents.get("1");
    assert.deepEqual(run?.steps["price"]?.error, { code: "sold_out", message: "no chairs left" });
  });

  promise("a failed bridge is tried again as often as it says, and never after a fatal error [B5]", async (client) => {
    await received(client);
    let tries = 0;
    const flaky: Bridge = {
      name: "flaky",
      tries: 3,
      execute: () => {
        tries += 1;
        if (tries < 3) throw new Error("try again");
        return undefined;
      },
    };
    const ended = await (await client.intents.bridges([flaky], { name })).execute("1");
    assert.deepEqual([tries, ended.run?.state], [3, "completed"]);
    const fatal: Bridge = {
      name: "fatal",
      tries: 3,
      execute: () => {
        tries += 1;
        throw new FatalBridgeError("never");
      },
    };
    const orders = await client.intents.bridges([fatal], { name, mode: "continue" });
    await assert.rejects(orders.execute("1"), BridgeExecutionError);
    assert.equal(tries, 4);
  });

  promise("a paused run is resumed at its failed bridge after a correction [B5]", async (client) => {
    await received(client);
    let isRepaired = false;
    const price: Bridge = {
      name: "price",
      execute: () => {
        if (!isRepaired) throw new Error("no price");
        return { to: "completed" };
      },
    };
    const orders = await client.intents.bridges([inputBridge(), price], { name, onFailure: "pause" });
    await assert.rejects(orders.execute("1"), BridgeExecutionError);
    assert.equal((await client.intents.get("1")).run?.state, "paused");
    await client.intents.reevaluate("1", { diff: { price: 7 }, source: "desk", reason: "it was missing" });
    isRepaired = true;
    const ended = await orders.execute("1");
    assert.deepEqual([ended.status, ended.run?.takeovers, ended.run?.number], ["completed", 1, 1]);
  });

  promise("a stop reaches a bridge while it works, and the run ends as stopped [B5]", async (client) => {
    await received(client);
    const bridge: Bridge = {
      name: "slow",
      execute: (_intent, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        }),
    };
    const orders = await client.intents.bridges([bridge], { name });
    const work = orders.execute("1");
    await soon(async () => (await client.intents.list({ run: "running" })).items.length === 1);
    const stop = await client.intents.stop("1", "the order was cancelled");
    assert.deepEqual([stop.state, stop.requested], ["running", true]);
    const ended = await work;
    assert.deepEqual([ended.run?.state, ended.run?.stop?.reason], ["stopped", "the order was cancelled"]);
  });

  promise("a bridge whose intent changed meanwhile runs again on the new version [B5]", async (client) => {
    await received(client);
    await client.intents.configure({ strategies: { updatePayload: "none" } });
    const seen: unknown[] = [];
    const bridge: Bridge = {
      name: "copy",
      execute: async ({ payload }) => {
        seen.push(payload["text"]);
        if (seen.length === 1) await client.intents.update("1", { text: "three chairs" });
        return { changes: { copy: payload["text"] } };
      },
    };
    const ended = await (await client.intents.bridges([bridge], { name })).execute("1");
    assert.deepEqual(seen, ["two chairs", "three chairs"]);
    assert.equal(ended.payload["copy"], "three chairs");
  });
});

describe("takeovers through the client", () => {
  test("a run whose owner lost its lock is resumed under the same step key, and the late owner is refused [B5 X3]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await received(ann);
    const first = heldBridge();
    const work = (await ann.intents.bridges([inputBridge(), first], { name }))
      .execute("1")
      .catch((error: unknown) => error);
    await first.reached(1);
    const [step] = first.steps;
    await ann.locks.forceRelease(step?.fence ?? "", "the host is gone", { override: true });
    await soon(() => step?.signal.aborted === true);
    const lost = await work;
    assert.equal((lost as { readonly code?: string }).code, "lock_lost", String(lost));
    assert.equal((await bob.intents.get("1")).run?.state, "interrupted");
    const second = heldBridge();
    second.end();
    const ended = await (await bob.intents.bridges([inputBridge(), second], { name })).execute("1");
    assert.deepEqual([ended.run?.state, ended.run?.takeovers], ["completed", 1]);
    assert.equal(second.steps[0]?.key, step?.key);
    assert.notEqual(second.steps[0]?.fence, step?.fence);
  });

  test("a recovery resumes the runs that were interrupted before and after it began [B5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    for (const id of ["1", "2"]) await ann.intents.create({ id, payload: {} });
    const held = heldBridge();
    const abandoned = await ann.intents.bridges([held], { name });
    const works = ["1", "2"].map((id) => abandoned.execute(id).catch((error: unknown) => error));
    await held.reached(2);
    const free = (step: BridgeStep | undefined) =>
      ann.locks.forceRelease(step?.fence ?? "", "the host is gone", { override: true });
    await free(held.steps[0]);
    const ending = new AbortController();
    const other = heldBridge();
    other.end();
    const recovery = (await bob.intents.bridges([other], { name })).recover({ signal: ending.signal });
    await node.clock.pass(1_100, 50);
    await other.reached(1);
    await free(held.steps[1]);
    await node.clock.pass(1_100, 50);
    await soon(async () => (await bob.intents.list({ run: "interrupted" })).items.length === 0);
    await other.reached(2);
    ending.abort();
    assert.equal(await recovery, 2);
    await Promise.all(works);
  });
});

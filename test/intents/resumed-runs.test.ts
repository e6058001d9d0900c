/** Runs that were left: which execution resumes them, and how many a recovery resumes at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bridge } from "@holdfast/sdk/bridges";
import { refusedWith } from "../api/refused-with.ts";
import { clientNode } from "../client/client-node.ts";
import { onEveryTransport } from "../client/every-transport.ts";

const name = "orders";

describe("the option resume", () => {
  onEveryTransport(
    "an execution with resume never refuses an open run and changes nothing [B5]",
    async ({ intents }) => {
      await intents.create({ id: "1", payload: {} });
      let executions = 0;
      const approval: Bridge = {
        name: "approval",
        execute: () => {
          executions += 1;
          return executions === 1 ? { pause: "needs approval" } : undefined;
        },
      };
      const last: Bridge = { name: "last", execute: () => ({ changes: { isLast: true } }) };
      const pipeline = await intents.bridges([approval, last], { name });
      const paused = await pipeline.execute("1", { resume: "never" });
      assert.deepEqual([paused.run?.state, paused.run?.current], ["paused", "last"]);
      await assert.rejects(pipeline.execute("1", { resume: "never" }), refusedWith("intents.run_open"));
      assert.equal((await intents.get("1")).version, paused.version);
      const resumed = await pipeline.execute("1");
      assert.deepEqual([resumed.run?.number, resumed.run?.state, resumed.payload], [1, "completed", { isLast: true }]);
      assert.equal(executions, 1);
    },
  );

  onEveryTransport("an execution with resume only resumes an open run and starts no new one [B5]", async (client) => {
    const { intents } = client;
    await intents.create({ id: "1", payload: {} });
    const tried: number[] = [];
    const bridge: Bridge = {
      name: "careful",
      execute: (_intent, step) => {
        tried.push(step.takeovers);
        if (step.takeovers === 0) throw new Error("not yet");
        return undefined;
      },
    };
    const pipeline = await intents.bridges([bridge], { name, onFailure: "pause" });
    await assert.rejects(pipeline.execute("1", { resume: "only" }), refusedWith("intents.run_ended"));
    const { runCount, version } = await intents.get("1");
    assert.deepEqual([runCount, version, tried], [0, 1, []]);
    await assert.rejects(pipeline.execute("1"), /not yet/u);
    const ended = await pipeline.execute("1", { resume: "only" });
    assert.deepEqual([ended.run?.number, ended.run?.state, tried], [1, "completed", [0, 1]]);
    await assert.rejects(pipeline.execute("1", { resume: "only" }), refusedWith("intents.run_ended"));
    assert.equal((await intents.get("1")).version, ended.version);
    assert.deepEqual((await client.locks.status("intent/1")).holders, []);
  });
});

describe("a recovery", () => {
  test("a recovery resumes a run later if a person held the lock of its intent at first [B5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    const left = await ann.acquire("intent/1");
    await ann.operations.intents.run({ id: "1", fence: left.fence, pipeline: name, bridges: [{ name: "work" }] });
    await left.release();
    const person = await ann.acquire("intent/1");
    const ending = new AbortController();
    const bridge: Bridge = { name: "work", execute: () => ({ changes: { isDone: true } }) };
    const recovery = (await bob.intents.bridges([bridge], { name })).recover({ signal: ending.signal });
    await node.clock.pass(5_000, 50);
    await person.release();
    await node.clock.pass(40_000, 100);
    const { payload, run } = await bob.intents.get("1");
    assert.deepEqual([payload, run?.state], [{ isDone: true }, "completed"]);
    ending.abort();
    assert.equal(await recovery, 1);
  });
});

describe("the option atOnce", () => {
  for (const [options, count] of [
    [{}, 4],
    [{ atOnce: 2 }, 2],
  ] as const)
    test(`a recovery with the options ${JSON.stringify(options)} executes at most ${count} runs at the same time [B5 X15]`, async () => {
      await using node = await clientNode();
      const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
      const ids = ["1", "2", "3", "4", "5", "6"];
      for (const id of ids) {
        await ann.intents.create({ id, payload: {} });
        await using lock = await ann.acquire(`intent/${id}`);
        await ann.operations.intents.run({ id, fence: lock.fence, pipeline: name, bridges: [{ name: "held" }] });
      }
      const begun: (() => void)[] = [];
      let running = 0;
      let most = 0;
      const bridge: Bridge = {
        name: "held",
        execute: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise<void>((resolve) => begun.push(resolve));
          running -= 1;
          return undefined;
        },
      };
      const ending = new AbortController();
      const recovery = (await bob.intents.bridges([bridge], { name })).recover({ ...options, signal: ending.signal });
      const reach = async (total: number): Promise<void> => {
        while (begun.length < total) await node.clock.pass(50, 50);
      };
      await reach(count);
      // Longer than the random delay before each takeover.
      await node.clock.pass(3_000, 50);
      assert.equal((await bob.intents.list({ run: "interrupted" })).items.length, ids.length - count);
      for (const index of ids.keys()) {
        await reach(index + 1);
        begun[index]?.();
      }
      while ((await bob.intents.list({ run: "running" })).items.length > 0) await node.clock.pass(50, 50);
      ending.abort();
      assert.deepEqual([await recovery, most], [ids.length, count]);
    });
});

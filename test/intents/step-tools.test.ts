import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LockTimeoutError } from "@holdfast/sdk/intent-errors";
import type { Bridge } from "@holdfast/sdk/bridges";
import { promise } from "../api/with-client.ts";
import { clientNode, soon } from "../client/client-node.ts";

const name = "orders";

describe("the tools of a step", () => {
  promise("a bridge corrects its intent under the fence of the run, and its step runs once [B4 B5]", async (client) => {
    await client.intents.create({ id: "1", payload: { price: 5 }, status: "processed" });
    const correction = { source: "judge", reason: "too cheap" };
    let executions = 0;
    const bridge: Bridge = {
      name: "judge",
      execute: async (_intent, step) => {
        executions += 1;
        const applied = await step.reevaluate({ ...correction, diff: { price: 7 } });
        const made = await step.reevaluate({
          ...correction,
          diff: ({ payload }) => ({ price: Number(payload["price"]) + 1 }),
        });
        assert.deepEqual([applied.alreadyApplied, made.correctionCount], [false, 2]);
        return { to: "completed" };
      },
    };
    const ended = await (await client.intents.bridges([bridge], { name })).execute("1");
    assert.deepEqual([executions, ended.status, ended.payload["price"]], [1, "completed", 8]);
    const { items } = await client.intents.listCorrections("1");
    assert.deepEqual(
      items.map(({ source }) => source),
      ["judge", "judge"],
    );
  });

  promise("a write between two corrections of a step makes the step run again [B5]", async (client) => {
    await client.intents.create({ id: "1", payload: {}, status: "processed" });
    await client.intents.configure({ strategies: { updatePayload: "none" } });
    let executions = 0;
    const bridge: Bridge = {
      name: "judge",
      execute: async (_intent, step) => {
        executions += 1;
        if (executions === 1) await client.intents.update("1", { text: "three chairs" });
        await step.reevaluate({ source: "judge", reason: "too cheap", diff: { price: 7 } });
        return undefined;
      },
    };
    const ended = await (await client.intents.bridges([bridge], { name })).execute("1");
    assert.deepEqual([executions, ended.correctionCount], [2, 1]);
  });

  promise("a refusal of another client than that of the step names the client to use [B5 B11]", async (client) => {
    await client.intents.create({ id: "1", payload: {} });
    const refusals: unknown[] = [];
    const bridge: Bridge = {
      name: "mistaken",
      execute: async (_intent, step) => {
        refusals.push(await client.intents.update("1", { a: 1 }).catch((error: unknown) => error));
        refusals.push(await client.intents.withLock("1", {}, () => Promise.resolve()).catch((error: unknown) => error));
        await step.client.operations.intents.update({ id: "1", changes: { a: 2 } });
        return undefined;
      },
    };
    const ended = await (await client.intents.bridges([bridge], { name })).execute("1");
    assert.equal(ended.payload["a"], 2);
    for (const refused of refusals.slice(0, 2)) {
      assert.ok(refused instanceof LockTimeoutError);
      assert.match(refused.message, /use step\.client/u);
    }
    await client.agent({ name: "bob" }).acquire("intent/1");
    const foreign = (await client.intents.update("1", { a: 3 }).catch((error: unknown) => error)) as Error;
    assert.doesNotMatch(foreign.message, /step\.client/u);
  });

  test("a denied caller sees the newest note of a step, which is sent at most once a second [B5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    await ann.intents.create({ id: "1", payload: {} });
    const ending = Promise.withResolvers<undefined>();
    const reported = Promise.withResolvers<(text: string) => void>();
    const bridge: Bridge = {
      name: "slow",
      execute: (_intent, step) => {
        reported.resolve((text) => {
          step.note(text);
        });
        return ending.promise;
      },
    };
    const work = (await ann.intents.bridges([bridge], { name })).execute("1");
    const note = await reported.promise;
    const noteNow = async () => (await bob.locks.status("intent/1")).holders[0]?.note;
    note("row 1");
    await soon(async () => (await noteNow()) === "row 1");
    for (const row of [2, 3, 4]) note(`row ${row}`);
    assert.equal(await noteNow(), "row 1");
    await node.clock.pass(1_000, 100);
    await soon(async () => (await noteNow()) === "row 4");
    note("row 5\n\0of 9");
    await node.clock.pass(1_000, 100);
    await soon(async () => (await noteNow()) === "row 5 of 9");
    ending.resolve(undefined);
    await work;
  });

  test("a recovery reports a run of another plan once and leaves it to its own pipeline [B5]", async () => {
    await using node = await clientNode();
    const [ann, bob] = [node.fresh("ann"), node.fresh("bob")];
    for (const id of ["1", "2"]) {
      await ann.intents.create({ id, payload: {} });
      await using lock = await ann.acquire(`intent/${id}`, { ttlMs: 15_000 });
      await ann.operations.intents.run({ id, fence: lock.fence, pipeline: name, bridges: [{ name: "old" }] });
    }
    const ending = new AbortController();
    const warnings: Error[] = [];
    const recovery = (await bob.intents.bridges([{ name: "new", execute: () => undefined }], { name })).recover({
      signal: ending.signal,
      onPlanDiffers: (error) => warnings.push(error),
    });
    await node.clock.pass(1_500, 50);
    await soon(() => warnings.length > 0);
    ending.abort();
    assert.equal(await recovery, 0);
    assert.deepEqual(
      warnings.map((warning) => (warning as { readonly code?: string }).code),
      ["intents.plan_differs"],
    );
    assert.equal((await bob.intents.list({ run: "interrupted" })).items.length, 2);
  });
});

/** Rows of the matrix about bridges: their execution, the modes of a run, and their order. */
import assert from "node:assert/strict";
import { BridgeExecutionError } from "@holdfast/sdk/intent-errors";
import { feedbackBridge, inputBridge, normalizeBridge, outputBridge } from "@holdfast/sdk/bridges";
import type { Bridge } from "@holdfast/sdk/bridges";
import type { Client } from "holdfast";
import type { MatrixRow } from "./matrix-row.ts";

const name = "orders";
const correction = { diff: { price: 7 }, source: "judge", reason: "too cheap" };

const failing: Bridge = {
  name: "failing",
  execute: () => {
    throw new Error("Test failure");
  },
};

/** Runs bridges on a new intent and returns the intent after the run. */
async function executed({ intents }: Client, status: string, bridges: readonly Bridge[], options = {}) {
  await intents.create({ id: "1", payload: {}, status });
  return (await intents.bridges(bridges, { name, ...options })).execute("1");
}

const execution: readonly MatrixRow[] = [
  {
    category: "bridge execution",
    promise: "the input bridge makes a received intent normalized",
    prove: async (client) => {
      assert.equal((await executed(client, "received", [inputBridge()])).status, "normalized");
    },
  },
  {
    category: "bridge execution",
    promise: "the normalize bridge makes a normalized intent processed, with the changes of its function",
    prove: async (client) => {
      const { status, payload } = await executed(client, "normalized", [normalizeBridge(() => ({ lines: 2 }))]);
      assert.deepEqual([status, payload], ["processed", { lines: 2 }]);
    },
  },
  {
    category: "bridge execution",
    promise: "the feedback bridge without a correction leaves an intent processed",
    prove: async (client) => {
      const { status, correctionCount } = await executed(client, "processed", [feedbackBridge(() => undefined)]);
      assert.deepEqual([status, correctionCount], ["processed", 0]);
    },
  },
  {
    category: "bridge execution",
    promise: "the feedback bridge with a correction makes an intent corrected and keeps the correction",
    prove: async (client) => {
      const ended = await executed(client, "processed", [feedbackBridge(() => correction)]);
      assert.deepEqual([ended.status, ended.payload], ["corrected", { price: 7 }]);
      assert.equal((await client.intents.listCorrections("1")).items[0]?.source, "judge");
    },
  },
  ...["processed", "corrected"].map((status): MatrixRow => ({
    category: "bridge execution",
    promise: `the output bridge completes a ${status} intent`,
    prove: async (client) => {
      assert.equal((await executed(client, status, [outputBridge()])).status, "completed");
    },
  })),
  {
    category: "bridge execution",
    promise: "a failing bridge in mode failfast makes the intent failed, and no later bridge runs",
    prove: async (client) => {
      let isSent = false;
      const output = outputBridge(() => {
        isSent = true;
        return undefined;
      });
      const work = executed(client, "received", [inputBridge(), failing, output], { mode: "failfast" });
      await assert.rejects(work, (error) => error instanceof BridgeExecutionError && error.bridge === "failing");
      assert.deepEqual([(await client.intents.get("1")).status, isSent], ["failed", false]);
    },
  },
  {
    category: "bridge execution",
    promise: "a failing bridge in mode continue does not stop the later bridges",
    prove: async (client) => {
      const bridges = [inputBridge(), failing, outputBridge()];
      const { status, run } = await executed(client, "received", bridges, { mode: "continue" });
      assert.deepEqual([status, run?.state, run?.errors], ["completed", "completed", 1]);
    },
  },
];

const modes: readonly MatrixRow[] = [
  {
    category: "modes",
    promise: "failfast is the default mode, and its failed status is an entry of its own",
    prove: async (client) => {
      await assert.rejects(executed(client, "received", [failing]), BridgeExecutionError);
      const { status, run } = await client.intents.get("1");
      assert.deepEqual([status, run?.mode, run?.steps["failing"]?.state], ["failed", "failfast", "failed"]);
    },
  },
  {
    category: "modes",
    promise: "continue records each error and runs every bridge",
    prove: async (client) => {
      const bridges = [failing, { ...failing, name: "second" }];
      const { run, status } = await executed(client, "received", bridges, { mode: "continue" });
      assert.deepEqual([status, run?.errors, run?.steps["second"]?.error?.message], ["received", 2, "Test failure"]);
    },
  },
  {
    category: "modes",
    promise: "selective stops at a bridge whose on_error is fail and continues after the others",
    prove: async (client) => {
      const last = { ...failing, name: "last", onError: "fail" as const };
      const bridges = [failing, { ...failing, name: "second", onError: "continue" as const }, last, outputBridge()];
      await assert.rejects(
        executed(client, "received", bridges, { mode: "selective" }),
        (error) => error instanceof BridgeExecutionError && error.bridge === "last",
      );
      const { run } = await client.intents.get("1");
      assert.deepEqual([run?.errors, run?.steps["output"]], [3, undefined]);
    },
  },
];

/** Bridges that note their name, in the order of the letters. */
function lettered(letters: string, seen: string[], at?: (letter: string) => Promise<void> | undefined) {
  return Array.from(letters, (letter): Bridge => ({
    name: letter,
    execute: async () => {
      seen.push(letter);
      await at?.(letter);
      return undefined;
    },
  }));
}

const order: readonly MatrixRow[] = [
  {
    category: "order",
    promise: "bridges run one after the other in the given order",
    prove: async (client) => {
      const seen: string[] = [];
      await executed(client, "received", lettered("dacb", seen));
      assert.deepEqual(seen, ["d", "a", "c", "b"]);
    },
  },
  {
    category: "order",
    promise: "after a takeover the run continues in its order with the bridge that was left",
    prove: async (client) => {
      const seen: string[] = [];
      const leaving = new AbortController();
      const left = lettered("dacb", seen, (letter) => {
        if (letter === "c") leaving.abort(new Error("the worker ends"));
        return undefined;
      });
      await client.intents.create({ id: "1", payload: {} });
      await assert.rejects(
        (await client.intents.bridges(left, { name })).execute("1", { signal: leaving.signal }),
        /the worker ends/u,
      );
      await (await client.intents.bridges(lettered("dacb", seen), { name })).execute("1");
      assert.deepEqual(seen, ["d", "a", "c", "c", "b"]);
    },
  },
];

export const bridgeRows = [...execution, ...modes, ...order];

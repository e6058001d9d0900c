/** Results and errors of a bridge that the server cannot accept. No run may stay open because of them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BridgeExecutionError } from "@holdfast/sdk/intent-errors";
import { inputBridge, outputBridge } from "@holdfast/sdk/bridges";
import type { Bridge, BridgeResult } from "@holdfast/sdk/bridges";
import type { Client, Intent } from "holdfast";
import { promise } from "../api/with-client.ts";
import { clientNode } from "../client/client-node.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { passUntil } from "./matrix-row.ts";

const name = "orders";

function fails(error: unknown): () => never {
  return () => {
    throw error;
  };
}

/** Runs one bridge of a new intent. Returns the error of the execution, and the intent. */
async function executed({ intents }: Client, id: string, bridge: Bridge): Promise<readonly [unknown, Intent]> {
  await intents.create({ id, payload: {} });
  const orders = await intents.bridges([bridge], { name });
  const error: unknown = await orders.execute(id).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return [error, await intents.get(id)];
}

describe("refused results", () => {
  onEveryTransport(
    "a continuing run whose input failed also fails its output, completes with two errors and leaves the intent open [B1 B5]",
    async ({ intents }) => {
      await intents.create({ id: "1", payload: {} });
      const bridges = [inputBridge(fails(new Error("no stock"))), outputBridge()];
      const { status, run } = await (await intents.bridges(bridges, { name, mode: "continue" })).execute("1");
      assert.deepEqual([status, run?.state, run?.errors], ["received", "completed", 2]);
      assert.equal(run?.steps["output"]?.error?.code, "intents.transition_invalid");
    },
  );

  promise("a result that the server refuses is a failure of its bridge, and its run ends [B5 B11]", async (client) => {
    const results: readonly (readonly [code: string, result: object | string])[] = [
      ["intents.status_unknown", { to: "sold" }],
      ["intents.transition_invalid", { to: "corrected" }],
      ["input_malformed", { changes: { price: Number.NaN } }],
      ["input_malformed", { changes: { text: "x".repeat(1_100_000) } }],
      ["input_invalid", { note: "two\nlines" }],
      ["input_invalid", { result: 7 }],
      ["input_invalid", "done"],
    ];
    for (const [index, [code, result]] of results.entries()) {
      const bridge = { name: "price", execute: () => result as BridgeResult };
      const [error, { status, run }] = await executed(client, String(index), bridge);
      assert.ok(error instanceof BridgeExecutionError, String(error));
      assert.deepEqual([status, run?.state, run?.steps["price"]?.error?.code], ["failed", "failed", code]);
    }
  });

  promise("a result of a bridge cannot name another intent, run or fence [B5]", async (client) => {
    await client.intents.create({ id: "other", payload: {} });
    const result = { id: "other", run: 7, fence: "1.1", step: "none", outcome: "failed", to: "completed" };
    const normalize = { name: "price", execute: () => ({ ...result, to: "processed" }) as BridgeResult };
    const [error, { status, run }] = await executed(client, "1", normalize);
    assert.deepEqual([error, status, run?.state], [undefined, "processed", "completed"]);
    assert.equal((await client.intents.get("other")).version, 1);
  });

  promise("an error of a bridge is recorded without the characters that no entry can hold [B5 B11]", async (client) => {
    const errors: readonly (readonly [error: unknown, code: string, message: string])[] = [
      [new Error("a\0b"), "bridge_failed", "a\uFFFDb"],
      [new Error(`a${"😀".repeat(1_500)}`), "bridge_failed", `a${"😀".repeat(999)}\uFFFD`],
      [Object.assign(new Error("late"), { code: "\0late" }), "\uFFFDlate", "late"],
      [undefined, "bridge_failed", "undefined"],
    ];
    for (const [index, [error, code, message]] of errors.entries()) {
      const [refused, { run }] = await executed(client, String(index), { name: "price", execute: fails(error) });
      assert.ok(refused instanceof BridgeExecutionError, String(refused));
      assert.deepEqual(run?.steps["price"]?.error, { code, message });
    }
  });

  test("a refused result is tried again as often as the bridge allows [B5]", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const tried: number[] = [];
    const bridge: Bridge = {
      name: "price",
      tries: 2,
      execute: (_intent, step) => {
        tried.push(step.tried);
        return { to: step.tried === 1 ? "corrected" : "processed" };
      },
    };
    const [error, { status }] = await passUntil(node.clock, executed(client, "1", bridge));
    assert.deepEqual([error, status, tried], [undefined, "processed", [1, 2]]);
  });
});

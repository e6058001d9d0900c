import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import { execChild } from "../scenario/spawn-child.ts";
import { serverFor } from "../socket/with-server.ts";

const example = join(import.meta.dirname, "../../examples/python/pipeline.py");

async function runPython(url: string, id: string): Promise<readonly string[]> {
  const { stdout } = await execChild("timeout", ["60", "python3", example, url, id]);
  return stdout.trim().split("\n");
}

test("a Python worker runs a pipeline over HTTP with the standard library, each step under its fence [B5 X8]", async (t) => {
  const { url } = await serverFor(t);
  const [run, input, price, sending, output, end] = await runPython(url, "1");
  assert.deepEqual(
    [run, input, price],
    ["run 1, takeovers 0", "input: the intent is normalized", "price: the intent is processed"],
  );
  assert.match(sending ?? "", /^sending under the key [0-9a-f-]{36}$/u);
  assert.deepEqual([output, end], ["output: the intent is completed", "1 is completed, price 14"]);
  await using client = await connect(url);
  const { items } = await client.audit.list({ subject: "intent/1" });
  const records = items.toReversed().flatMap((item) => (item.records ?? []).map(({ event }) => event));
  assert.deepEqual(records.filter((name) => name === "BRIDGE_COMPLETED").length, 3);
  assert.deepEqual((await client.locks.status("intent/1")).holders, []);
});

test("a Python worker continues the run that another worker left, with the step that was not done [B5]", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  await client.intents.create({ id: "2", payload: { chairs: 3 } });
  const lock = await client.operations.acquireLock({ paths: ["intent/2"], ownerId: "gone", ttlMs: 60_000 });
  assert.ok(lock.granted);
  const bridges = ["input", "price", "output"].map((name) => ({ name }));
  await client.run("intents.run", { id: "2", fence: lock.fence, pipeline: "python-orders", bridges });
  const step = { id: "2", fence: lock.fence, run: 1, step: "input", outcome: "done", to: "normalized" };
  await client.run("intents.advance", step);
  await client.operations.releaseLock({ fence: lock.fence, ownerId: "gone" });
  const lines = await runPython(url, "2");
  assert.deepEqual(lines.slice(0, 2), ["run 1, takeovers 1", "price: the intent is processed"]);
  assert.equal(lines.at(-1), "2 is completed, price 21");
});

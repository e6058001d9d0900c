import assert from "node:assert/strict";
import { test } from "node:test";
import { observedNode } from "./observed-node.ts";

test("metrics count the states of runs and the time of their steps, without names of bridges [B8]", async () => {
  await using node = await observedNode();
  const { intents } = node.inside;
  for (const id of ["1", "2"]) await intents.create({ id, payload: {} });
  let calls = 0;
  const flaky = {
    name: "flaky",
    tries: 2,
    backoff: { baseMs: 1, capMs: 1, jitterMs: 0 },
    execute: () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error("not yet")) : undefined;
    },
  };
  const whole = await intents.bridges([flaky, { name: "last", execute: () => undefined }], { name: "orders" });
  await whole.execute("1");
  const asks = await intents.bridges([{ name: "ask", execute: () => ({ pause: "needs approval" }) }, flaky], {
    name: "asks",
  });
  await asks.execute("2");
  const metric = async (text: string): Promise<number | undefined> => node.metric(`holdfast_intent_${text}`);
  assert.deepEqual(
    [
      await metric('runs_total{state="running"}'),
      await metric('runs_total{state="completed"}'),
      await metric('runs_total{state="paused"}'),
      await metric('runs_total{state="interrupted"}'),
    ],
    [2, 1, 1, 0],
  );
  assert.deepEqual(
    [
      await metric('open_runs{state="running"}'),
      await metric('open_runs{state="paused"}'),
      await metric('open_runs{state="interrupted"}'),
    ],
    [0, 1, 0],
  );
  assert.equal(await metric('step_seconds_count{outcome="done"}'), 3);
  assert.equal(await metric('step_seconds_count{outcome="failed"}'), 1);
  assert.doesNotMatch(await node.page(), /flaky|orders/u);
});

test("a call of an operation of intents has its own series, and a foreign lock counts as contention [B8]", async () => {
  await using node = await observedNode();
  await node.inside.intents.create({ id: "1", payload: {} });
  await node.inside.operations.acquireLock({ paths: ["intent/1"], ownerId: "worker-7", ttlMs: 60_000 });
  await node.execute("intents.transition", { id: "1", to: "processed" });
  const labels = 'door="http",operation="intents.transition",outcome="intents.lock_timeout"';
  assert.equal(await node.metric(`holdfast_calls_total{${labels}}`), 1);
  assert.equal(await node.metric('holdfast_lock_contentions_total{lock_type="write"}'), 1);
});

test("a scrape has the lag of the audit file, which is 0 without one", async () => {
  await using node = await observedNode();
  assert.equal(await node.metric("holdfast_audit_file_lag_entries"), 0);
});

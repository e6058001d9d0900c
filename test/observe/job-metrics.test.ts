import assert from "node:assert/strict";
import { test } from "node:test";
import { observedNode } from "./observed-node.ts";

test("metrics count jobs by state, attempts by outcome and used slots, without types and projects", async () => {
  await using node = await observedNode();
  const { jobs } = node.inside;
  await using _worker = await jobs.work("secret-type", (job) => {
    if (job.payload === "bad") throw job.fatal("no paper");
  });
  const sent = [];
  for (const payload of ["good", "bad"]) sent.push(await jobs.submit("secret-type", payload, { project: "secret-p" }));
  for (const { id } of sent) await jobs.wait(id);
  await jobs.submit("idle", undefined, { delayMs: 60_000 });
  await jobs.submit("idle");
  const metric = (text: string): Promise<number | undefined> => node.metric(`holdfast_job${text}`);
  assert.deepEqual(
    [await metric('s{state="failed"}'), await metric('s{state="scheduled"}'), await metric('s{state="ready"}')],
    [1, 1, 1],
  );
  assert.deepEqual(
    [
      await metric('_attempts_total{outcome="completed"}'),
      await metric('_attempts_total{outcome="failed"}'),
      await metric('_attempts_total{outcome="lost"}'),
    ],
    [1, 1, 0],
  );
  assert.deepEqual([await metric("s_submitted_total"), await metric("_starts_total")], [4, 2]);
  assert.deepEqual([await metric("_workers"), await metric("_run_seconds_count")], [1, 1]);
  assert.deepEqual(
    [
      await metric('_slots_used{class="all"}'),
      await metric('_slots_max{class="all"}'),
      await metric('_slots_max{class="cpu"}'),
    ],
    [0, 1_000, 4],
  );
  assert.ok(((await metric("s_oldest_ready_seconds")) ?? -1) >= 0);
  assert.doesNotMatch(await node.page(), /secret/u);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { jobSample } from "../../server/src/packs/jobs/job-sample.ts";
import { JobDecider } from "../jobs/job-decider.ts";
import { observedNode } from "./observed-node.ts";

test("metrics count jobs by state and type, attempts by outcome and used slots, without projects", async () => {
  await using node = await observedNode();
  const { jobs } = node.inside;
  await using _worker = await jobs.work("print", (job) => {
    if (job.payload === "bad") throw job.fatal("no paper");
  });
  const sent = [];
  for (const payload of ["good", "bad"]) sent.push(await jobs.submit("print", payload, { project: "secret-p" }));
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
  assert.equal(await metric("_wait_seconds_count"), 2);
  assert.deepEqual(
    [
      await metric('s_of_type{type="print",state="failed"}'),
      await metric('s_of_type{type="idle",state="scheduled"}'),
      await metric('s_of_type{type="idle",state="running"}'),
    ],
    [1, 1, 0],
  );
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

test("the age of the oldest ready job begins when it is ready, not when it is submitted", () => {
  const node = new JobDecider();
  node.submit("late", { delay_seconds: 3_600 });
  node.pass(3_600_000);
  node.submit("now", { type: "b" });
  assert.equal(jobSample(node.machine.durable).oldestAt, node.time);
  node.pass(5_000);
  const since = jobSample(node.machine.durable).oldestAt ?? 0;
  assert.equal(node.time - since, 5_000);
  const worker = node.worker(1);
  const [start] = node.entries.flatMap(({ events }) => events.filter(({ type }) => type === "jobs.started"));
  assert.deepEqual([start?.subject, start?.data["waited_ms"]], ["job/late", 5_000]);
  // A lost attempt makes the job ready again, and its wait begins again.
  node.pass(45_000);
  node.pass(1_000);
  node.beat(worker);
  const [again] = node.entries.flatMap(({ events }) => events.filter(({ type }) => type === "jobs.readied"));
  assert.equal(again?.subject, "job/late");
  assert.equal(node.row("late").readyAt, node.row("late").state === "ready" ? node.time : undefined);
});

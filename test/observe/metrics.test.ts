import assert from "node:assert/strict";
import { test } from "node:test";
import { planning } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { CallMetrics } from "../../server/src/observe/call-metrics.ts";
import { createMetrics } from "../../server/src/observe/metrics.ts";
import { operationRecord } from "../../server/src/operations/operation-record.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { refusedWith } from "../api/refused-with.ts";
import { observedNode } from "./observed-node.ts";
import { rawAcquire, rawLocks } from "../locks/raw-acquire.ts";

const lock = { ttlMs: 60_000 };

test("requests for a lock are counted by mode and outcome [B8]", async () => {
  await using node = await observedNode();
  const locks = rawLocks(node.client);
  const held = await locks.acquire("a", { ...lock, ownerId: "ann" });
  await locks.tryAcquire("a", { ...lock, ownerId: "bob" });
  await locks.tryAcquire({ path: "a", mode: "read" }, { ...lock, ownerId: "bob" });
  await locks.acquire(["a", { path: "b", mode: "read" }], { ...lock, ownerId: "bob", mode: "upgradeable", wait: true });
  assert.ok(held.granted);
  await locks.release({ fence: held.fence }, { ownerId: "ann" });
  const count = (lock_type: string, status: string) =>
    node.metric(`holdfast_lock_acquisitions_total{lock_type="${lock_type}",status="${status}"}`);
  assert.equal(await count("write", "granted"), 1);
  assert.equal(await count("write", "denied"), 1);
  assert.equal(await count("read", "denied"), 1);
  assert.equal(await count("upgradeable", "queued"), 1);
  assert.equal(await count("upgradeable", "granted"), 1);
  assert.equal(await count("read", "granted"), 0);
  const contentions = (type: string) => node.metric(`holdfast_lock_contentions_total{lock_type="${type}"}`);
  assert.deepEqual(await Promise.all(["read", "upgradeable", "write"].map(contentions)), [1, 1, 1]);
});

test("wait and hold times are measured between entries, and acquisition times from request to grant [B8]", async () => {
  await using node = await observedNode();
  const locks = rawLocks(node.client);
  const held = await locks.acquire("a", { ...lock, ownerId: "ann" });
  await locks.acquire("a", { ...lock, ownerId: "bob", wait: true });
  assert.ok(held.granted);
  await locks.release({ fence: held.fence }, { ownerId: "ann" });
  const type = '{lock_type="write"}';
  assert.equal(await node.metric(`holdfast_lock_wait_seconds_count${type}`), 1);
  assert.equal(await node.metric('holdfast_lock_hold_seconds_count{how="released"}'), 1);
  assert.equal(await node.metric(`holdfast_lock_acquisition_duration_seconds_count${type}`), 2);
  assert.equal(await node.metric('holdfast_lock_acquisition_duration_seconds_bucket{lock_type="write",le="+Inf"}'), 2);
  assert.ok((await node.metric("holdfast_append_duration_seconds_count"))! >= 3);
  assert.ok((await node.metric("holdfast_batch_entries_sum"))! >= 3);
});

test("deadlocks and version conflicts are counted once, and their retries as callers mark them [B8]", async () => {
  await using node = await observedNode();
  const locks = rawLocks(node.client);
  const { entities } = node.client;
  await entities.create("plan", "1", {});
  const write = { expectedVersion: 9, key: "k-1" };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(entities.replace("plan", "1", { a: 1 }, write), refusedWith("concurrency_mismatch"));
  }
  for (const [path, ownerId] of [
    ["a", "ann"],
    ["b", "bob"],
    ["b", "ann"],
  ] as const) {
    await locks.acquire(path, { ...lock, ownerId, wait: true });
  }
  const closing = locks.acquire("a", { ...lock, ownerId: "bob", wait: true });
  await assert.rejects(closing, refusedWith("deadlock"));
  await node.execute("get-entity", { type: "plan", id: "1" }, { retry: "conflict" });
  await node.execute("list-locks", {}, { retry: "deadlock" });
  assert.equal(
    await node.metric("holdfast_version_conflicts_total"),
    1,
    "a replay does not count as a second conflict",
  );
  assert.equal(await node.metric("holdfast_version_conflict_retries_total"), 1);
  assert.equal(await node.metric("holdfast_deadlock_detections_total"), 1);
  assert.equal(await node.metric("holdfast_deadlock_retries_total"), 1);
  assert.equal(await node.metric('holdfast_lock_acquisitions_total{lock_type="write",status="deadlock"}'), 1);
});

test("a call of a pack is counted by its name, and the retry of a deadlock as one retry [B8]", async () => {
  await using node = await observedNode();
  const { client, inside } = node;
  await client.planning.organizations.create({ id: "o1", name: "One" });
  const held = await rawAcquire(inside, "a", { ...lock, ownerId: "ann" });
  assert.ok(held.granted);
  const tries = await client.retryOnDeadlock(async ({ acquire, tried }) => {
    if (tried > 1) {
      const [handedOver] = (await inside.locks.status("b")).holders;
      assert.ok(handedOver !== undefined);
      for (const { fence } of [held, handedOver]) await inside.locks.release({ fence }, { ownerId: "ann" });
    }
    await using b = await acquire("b");
    if (tried === 1) await rawAcquire(inside, "b", { ...lock, ownerId: "ann", wait: true });
    await using a = await acquire("a");
    assert.ok(a.state === "held" && b.state === "held");
    return tried;
  });
  assert.equal(tries, 2);
  const created = 'holdfast_calls_total{door="http",operation="planning.create-organization",outcome="done"}';
  assert.equal(await node.metric(created), 1);
  assert.equal(await node.metric("holdfast_deadlock_detections_total"), 1);
  assert.equal(await node.metric("holdfast_deadlock_retries_total"), 1);
});

test("a refusal that is marked as contention is counted as denied and contended, whichever operation meets it [B8]", () => {
  const metrics = createMetrics();
  const calls = new CallMetrics(metrics);
  const record = operationRecord(planning.operations[0] as Operation);
  const answer = (code: string, replayed = false): void =>
    calls.record({
      ...{ door: "http", record, input: { paths: [{ mode: "read" }] }, options: {}, durationMs: 1 },
      reply: { outcome: { kind: "refusal", code, data: {} }, position: 0, replayed, events: [] },
    });
  answer("lock_denied");
  answer("lock_denied", true);
  answer("entity_not_found");
  const labels = { lock_type: "write" };
  assert.equal(metrics.contentions.series(labels).count, 1, "a replay and another refusal are not counted");
  assert.equal(metrics.acquisitions.series({ ...labels, status: "denied" }).count, 1);
});

test("the gauge of held locks is correct from the start of a node [B8]", async () => {
  const disk = createMemoryDisk();
  {
    await using node = await observedNode({ journal: openMemoryJournal(disk) });
    await rawAcquire(node.client, ["a", "b"], { ...lock, ownerId: "ann" });
    await rawAcquire(node.client, { path: "c", mode: "read" }, { ...lock, ownerId: "ann" });
    await rawAcquire(node.client, "c", { ...lock, ownerId: "bob", wait: true });
  }
  await using node = await observedNode({ journal: openMemoryJournal(disk) });
  assert.equal(await node.metric('holdfast_active_locks{lock_type="write"}'), 2);
  assert.equal(await node.metric('holdfast_active_locks{lock_type="read"}'), 1);
  assert.equal(await node.metric('holdfast_active_locks{lock_type="upgradeable"}'), 0);
  assert.equal(await node.metric("holdfast_waiting_tickets"), 1);
  assert.equal(await node.metric('holdfast_lock_acquisitions_total{lock_type="write",status="granted"}'), 0);
});

test("calls are counted by door, operation and outcome, and unknown operations share one series [B8]", async () => {
  await using node = await observedNode();
  await node.client.entities.create("plan", "1", {});
  await node.execute("get-entity", { type: "plan", id: "2" });
  for (let index = 0; index < 50; index += 1) await node.execute(`made-up-${index}`, {});
  await node.inside.entities.create("plan", "3", {});
  await node.rejectCaller();
  const calls = (labels: string) => node.metric(`holdfast_calls_total{door="http",${labels}}`);
  assert.equal(await calls('operation="create-entity",outcome="done"'), 1);
  assert.equal(await calls('operation="get-entity",outcome="entity_not_found"'), 1);
  assert.equal(await calls('operation="unknown",outcome="operation_unknown"'), 50);
  assert.equal(await node.metric('holdfast_call_duration_seconds_count{door="http",operation="unknown"}'), 50);
  assert.equal(await node.metric('holdfast_rejected_callers_total{door="http",code="not_allowed"}'), 1);
  assert.ok(!(await node.page()).includes("made-up"));
});

test("the metrics contain the state of the node and its build [B8]", async () => {
  await using node = await observedNode();
  await node.client.agents.register({ name: "ann" });
  const watching = node.engine.subscribe(0);
  const expected = { head_position: 1, epoch: 1, writable: 1, waiting_commands: 0, subscribers: 1, agents: 1 };
  for (const [name, value] of Object.entries(expected))
    assert.equal(await node.metric(`holdfast_${name}`), value, name);
  assert.ok((await node.metric("holdfast_state_bytes"))! > 0);
  assert.equal(await node.metric("holdfast_checkpoint_position"), 0);
  await node.engine.checkpoint();
  assert.equal(await node.metric("holdfast_checkpoint_position"), 1);
  assert.ok((await node.metric("holdfast_process_cpu_seconds_total"))! > 0);
  assert.ok((await node.page()).includes(`holdfast_build_info{version="1.2.3",node="${process.version}"} 1`));
  await watching.return();
});

test("the metrics page has the Prometheus format: each series once, with help and type [B8]", async () => {
  await using node = await observedNode();
  await rawAcquire(node.client, "a", { ...lock, ownerId: "ann" });
  const page = await node.page();
  const lines = page.split("\n").filter((line) => line !== "");
  const series = lines.filter((line) => !line.startsWith("#"));
  for (const line of series) assert.match(line, /^[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? (\d[\d.e+-]*|NaN|\+Inf)$/u);
  const names = series.map((line) => line.slice(0, line.lastIndexOf(" ")));
  assert.equal(new Set(names).size, names.length);
  const typed = new Set(lines.flatMap((line) => /^# TYPE (\S+) (?:counter|gauge|histogram)$/u.exec(line)?.[1] ?? []));
  for (const name of names) assert.ok(typed.has(name.replace(/\{.*/u, "").replace(/_(bucket|sum|count)$/u, "")), name);
});

test("the runs of a check, their rounds and the unfinished ones are counted by its name [B8]", async () => {
  await using node = await observedNode();
  await node.inside.entities.create("limit", "a", { max: 1 });
  await node.inside.entities.create("order", "1", { price: 1, limit: "a" });
  assert.equal(await node.metric('holdfast_checks_total{check="prices/1",result="done"}'), 1);
  assert.equal(await node.metric('holdfast_check_duration_seconds_count{check="prices/1"}'), 1);
  assert.equal(await node.metric('holdfast_check_rounds_bucket{check="prices/1",le="1"}'), 1);
  assert.equal(await node.metric("holdfast_checks_waiting"), 0);
  assert.equal(await node.metric("holdfast_check_thread_restarts_total"), 0);
});

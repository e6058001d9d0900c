import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JobDecider, startedIn } from "./job-decider.ts";

const map = { path: "project/p/map/m", mode: "write", scope: "self" };
const locked = { locks: [map] };

describe("caps and freed locks", () => {
  test("a job whose locks become free does not start while its project is at its cap [W8 W9]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { projects: { A: { max_jobs: 2 } } });
    node.worker(5);
    node.acquire("ann", "free/x");
    node.submit("j1", { project: "A", locks: ["free/x"] });
    node.submit("j2", { project: "A" });
    node.submit("j3", { project: "A" });
    assert.deepEqual(startedIn(node.release("ann", "free/x")), []);
    assert.deepEqual([node.stateOf("j1"), node.running()], ["ready", ["j2", "j3"]]);
    assert.deepEqual(startedIn(node.work("complete", "j2")), ["j1"]);
  });

  test("a job whose locks become free does not start before a project that is ahead of its own [W8 W9]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { types: { a: { lock_patience_ms: 600_000 } } });
    node.worker(2);
    node.submit("A1", { project: "A", cost: 10, locks: ["free/x"] });
    node.submit("A2", { project: "A", locks: ["free/x"] });
    node.submit("B1", { project: "B" });
    node.submit("B2", { project: "B" });
    assert.deepEqual([node.stateOf("A2"), node.running()], ["locking", ["A1", "B1"]]);
    assert.deepEqual(startedIn(node.work("complete", "A1")), ["B2"]);
    assert.deepEqual([node.stateOf("A2"), node.holders()], ["ready", []]);
    assert.deepEqual(startedIn(node.work("complete", "B1")), ["A2"]);
  });

  test("the end of an overdue lock during a start hands over other paths without exceeding a cap [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { max_global_jobs: 2, types: { a: { lock_patience_ms: 600_000 } } });
    const worker = node.worker(5);
    node.submit("j0", { locks: ["free/x", "free/y"] });
    node.submit("j2", { locks: ["free/y"] });
    node.decide("jobs.configure", { max_global_jobs: 1 });
    node.submit("j1", { locks: ["free/x"] });
    assert.deepEqual(
      ["j0", "j1", "j2"].map((id) => node.stateOf(id)),
      ["running", "ready", "locking"],
    );
    // The worker offers slots, and the attempt of j0 is lost without a heartbeat of its own.
    node.time += 45_000;
    node.jobs("offer", { types: ["a"], slots: 5 }, node.register());
    node.pass(0);
    assert.equal(node.running().length, 1, node.running().join(" "));
    assert.ok(!node.running().includes("j0"));
    assert.equal(node.row("j0").attemptRow?.worker === worker, false);
  });
});

describe("locks of later attempts", () => {
  /** Ends an attempt in a way that runs the job again after a time. */
  const ends = {
    snooze: (node: JobDecider) => node.work("release", "j1", { delay_seconds: 5 }),
    failure: (node: JobDecider) => node.work("fail", "j1", { error: { message: "down" } }),
  } as const;

  for (const [name, end] of Object.entries(ends)) {
    test(`a job with locks frees them at a ${name} and takes them again with a new fence [W9]`, () => {
      const node = new JobDecider();
      const worker = node.register({ inactivity_seconds: 604_800 });
      node.jobs("offer", { types: ["a"], slots: 1 }, worker);
      node.submit("j1", locked);
      const fences = [node.row("j1").fence];
      for (let round = 0; round < 2; round += 1) {
        end(node);
        assert.deepEqual([node.stateOf("j1"), node.holders(), node.waiters()], ["scheduled", [], []]);
        // Readers hold the path when the job is due, and a later reader waits behind the job.
        node.acquire("v1", `${map.path}:read`, { ttlMs: 45_000 });
        node.beat(worker);
        node.pass((node.row("j1").at ?? node.time) - node.time);
        assert.equal(node.stateOf("j1"), "locking");
        assert.equal(node.rows<{ notifyOnly?: boolean }>("lock-tickets")[0]?.notifyOnly, true);
        node.acquire("v2", `${map.path}:read`, { ttlMs: 45_000, wait: true });
        assert.deepEqual(startedIn(node.release("v1", map.path)), ["j1"]);
        const { fence, attemptRow } = node.row("j1");
        const grants = node.rows<{ owner: string; fence: string; keeper?: string; job?: string }>("lock-grants");
        const own = grants.filter(({ owner }) => owner === "holdfast:job:j1");
        assert.deepEqual(
          own.map((grant) => [grant.fence, grant.keeper, grant.job]),
          [[fence, attemptRow?.worker, "j1"]],
        );
        fences.push(fence);
        assert.deepEqual(node.waiters(), [`v2: ${map.path} read`]);
        end(node);
        // The waiting reader gets the path. The job queues again behind it.
        assert.deepEqual(node.holders(), [`v2: ${map.path} read`]);
        node.beat(worker);
        node.pass((node.row("j1").at ?? node.time) - node.time);
        assert.deepEqual(startedIn(node.release("v2", map.path)), ["j1"]);
        fences.push(node.row("j1").fence);
      }
      assert.equal(new Set(fences).size, 5, "each attempt has a fence of its own");
      assert.equal(node.work("complete", "j1").code, "done");
      assert.deepEqual([node.holders(), node.waiters()], [[], []]);
    });
  }

  test("a job that is blocked again after a snooze fails the attempt when its patience ends, and holds nothing [W9]", () => {
    const node = new JobDecider();
    const worker = node.worker();
    node.submit("j1", { ...locked, max_attempts: 1 });
    node.work("release", "j1", { delay_seconds: 5 });
    node.acquire("ann", map.path, { ttlMs: 45_000 });
    node.pass(5_000);
    assert.equal(node.stateOf("j1"), "locking");
    node.beat(worker);
    node.pass(3_100);
    assert.equal(node.stateOf("j1"), "failed");
    assert.deepEqual([node.holders(), node.waiters()], [[`ann: ${map.path} write`], []]);
    node.release("ann", map.path);
    node.beat(worker);
    assert.deepEqual(startedIn(node.jobs("retry", { id: "j1" })), ["j1"]);
    assert.notEqual(node.row("j1").fence, undefined);
  });
});

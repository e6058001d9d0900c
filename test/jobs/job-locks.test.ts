import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JobDecider, startedIn } from "./job-decider.ts";

const map = { path: "project/p/map/m", mode: "write", scope: "self" };
const locked = { locks: [map] };

describe("locks at dispatch", () => {
  test("a job takes all of its locks in order in the entry that starts it, and its worker keeps them [W9]", () => {
    const node = new JobDecider();
    const worker = node.worker();
    const { events } = node.submit("j1", { locks: ["project/p/map/m/sketch/s", "project/p/map/m"] });
    const [grant] = node.rows<{ owner: string; keeper: string; job: string; paths: { path: string }[] }>("lock-grants");
    assert.equal(grant?.owner, "holdfast:job:j1");
    assert.deepEqual([grant.keeper, grant.job], [worker, "j1"]);
    assert.deepEqual(
      grant.paths.map(({ path }) => path),
      ["project/p/map/m", "project/p/map/m/sketch/s"],
    );
    assert.deepEqual(events.map(({ type }) => type).slice(-2), ["lock.acquired", "jobs.started"]);
    assert.notEqual(node.row("j1").attemptRow?.claim, node.row("j1").fence);
    node.work("complete", "j1");
    assert.deepEqual(node.holders(), []);
  });

  test("a job whose lock is held waits in the queue without a slot and a lock, and starts when it is free [W9]", () => {
    const node = new JobDecider();
    node.worker();
    node.acquire("ann", map.path, { ttlMs: 45_000 });
    const blocked = node.submit("j1", locked);
    assert.deepEqual(blocked.events.find(({ type }) => type === "jobs.blocked")?.data["holders"], ["ann"]);
    assert.ok(blocked.events.some(({ type }) => type === "lock.release_requested"));
    assert.equal(node.stateOf("j1"), "locking");
    node.submit("j2");
    assert.deepEqual(node.running(), ["j2"]);
    node.work("complete", "j2");
    assert.deepEqual(startedIn(node.release("ann", map.path)), ["j1"]);
    assert.deepEqual(node.holders(), ["holdfast:job:j1: project/p/map/m write"]);
  });

  test("a job whose locks stay held fails the attempt after the length of five tries and names the holder [W9]", () => {
    const node = new JobDecider();
    node.worker();
    node.acquire("ann", map.path, { ttlMs: 45_000 });
    node.submit("j1", locked);
    node.pass(3_099);
    assert.equal(node.stateOf("j1"), "locking");
    node.pass(1);
    const { state, attempt, error } = node.row("j1");
    assert.deepEqual([state, attempt, error?.["code"]], ["scheduled", 1, "locks_unavailable"]);
    assert.match(error?.["message"] as string, /5 tries .* ann/);
    assert.deepEqual(node.waiters(), []);
  });

  test("`lock_tries` of a type sets the length of the wait and the number in the error [W9]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { types: { a: { lock_tries: 2 }, b: { lock_tries: 7, lock_patience_ms: 500 } } });
    node.worker(2, ["a", "b"]);
    node.acquire("ann", map.path, { ttlMs: 45_000 });
    node.submit("j1", locked);
    node.submit("j2", { ...locked, type: "b" });
    node.pass(299);
    assert.equal(node.stateOf("j1"), "locking");
    node.pass(1);
    assert.match(node.row("j1").error?.["message"] as string, /^2 tries .* ann/u);
    node.pass(200);
    assert.match(node.row("j2").error?.["message"] as string, /^7 tries .* ann/u);
  });

  test("a job whose stale locks lack a path that is held tries a bounded number of times, and then fails [W3 W9]", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1", { locks: [map, { ...map, path: "project/p/map/n" }], max_attempts: 1 });
    node.work("unlock", "j1", { paths: ["project/p/map/n"] });
    node.acquire("ann", "project/p/map/n", { ttlMs: 45_000 });
    node.pass(44_000);
    node.decide("renew-lock", { owner_id: "ann", path: "project/p/map/n" });
    node.pass(1_000);
    assert.equal(node.stateOf("j1"), "scheduled");
    const worker = node.worker();
    const tries: number[] = [];
    for (let at = 0; at < 60 && node.stateOf("j1") !== "failed"; at += 1) {
      const delayed = node.pass(50).filter(({ type }) => type === "jobs.delayed");
      tries.push(...delayed.map(({ data }) => (data["next_at"] as number) - node.time));
      assert.deepEqual(node.waiters(), []);
    }
    assert.deepEqual(tries, [100, 200, 400, 800]);
    assert.match(node.row("j1").error?.["message"] as string, /^5 tries .* ann/u);
    // The stale locks stay until their recovery. Then a retry by hand takes all of them.
    node.release("ann", "project/p/map/n");
    node.beat(worker);
    assert.deepEqual(startedIn(node.jobs("retry", { id: "j1" })), ["j1"]);
    assert.deepEqual(node.holders().length, 1);
  });

  test("a writer among steady viewers gets its turn, because it keeps its place in the queue [W9]", () => {
    const node = new JobDecider();
    node.worker();
    node.acquire("v1", `${map.path}:read`, { ttlMs: 45_000 });
    node.submit("j1", locked);
    assert.equal(node.acquire("v2", `${map.path}:read`, { ttlMs: 45_000 }).code, "lock_denied");
    assert.deepEqual(startedIn(node.release("v1", map.path)), ["j1"]);
  });

  test("a job whose locks become free without a free slot returns to its lane and holds nothing [W9]", () => {
    const node = new JobDecider();
    node.worker(1);
    node.acquire("ann", map.path, { ttlMs: 45_000 });
    node.submit("j1", locked);
    node.submit("j2", { project: "p" });
    node.release("ann", map.path);
    assert.deepEqual([node.stateOf("j1"), node.holders()], ["ready", []]);
    assert.deepEqual(startedIn(node.work("complete", "j2")), ["j1"]);
  });

  test("a running job acquires more locks in order or is refused, and releases locks early [W9]", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1", locked);
    const before = node.row("j1").fence;
    node.acquire("ann", "project/p/map/n", { ttlMs: 45_000 });
    assert.equal(node.work("lock", "j1", { paths: ["project/p/map/n"] }).code, "jobs.locks_unavailable");
    assert.equal(node.work("lock", "j1", { paths: ["project/p/map/a"] }).code, "lock_order");
    const more = node.work("lock", "j1", { paths: ["project/p/map/z"] });
    assert.equal(more.code, "done");
    assert.notEqual(more.data["fence"], before);
    const part = node.work("unlock", "j1", { paths: ["project/p/map/z"] }).data;
    const z = { path: "project/p/map/z", mode: "write", scope: "tree" };
    assert.deepEqual([part["released"], part["fence"]], [[z], more.data["fence"]]);
    const rest = node.work("unlock", "j1").data;
    assert.deepEqual([rest["released"], rest["fence"]], [[{ ...z, ...map }], null]);
    assert.deepEqual(node.holders(), ["ann: project/p/map/n write"]);
    assert.equal(node.work("complete", "j1").code, "done");
  });

  test("a lock of a map makes a running job a map job, up to the cap of its project [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { max_concurrent_map_jobs_per_project: 1 });
    node.worker(3);
    node.submit("j1", { project: "p" });
    node.submit("j2", { project: "p" });
    assert.equal(node.work("lock", "j1", { paths: [map.path] }).code, "done");
    assert.equal(node.work("lock", "j2", { paths: ["project/p/map/n"] }).code, "jobs.cap_reached");
    assert.equal(node.work("complete", "j1").code, "done");
    assert.equal(node.work("lock", "j2", { paths: ["project/p/map/n"] }).code, "done");
  });

  test("locks of a job are refused while the lock manager is off", () => {
    const node = new JobDecider();
    node.decide("configure-locks", { lock_manager: false });
    assert.equal(node.submit("j1", locked).code, "locks_off");
    assert.equal(node.submit("j2").code, "done");
  });

  for (const [tries, state] of [
    [1, "failed"],
    [5, "scheduled"],
  ] as const) {
    test(`a job whose locks become free while the lock manager is off is ${state} after one of ${tries} tries`, () => {
      const node = new JobDecider();
      node.decide("jobs.configure", { types: { a: { lock_tries: tries, lock_patience_ms: 10_000 } } });
      node.worker();
      node.acquire("ann", "free/x", { ttlMs: 5_000 });
      node.submit("j1", { locks: ["free/x"], max_attempts: 1 });
      assert.equal(node.stateOf("j1"), "locking");
      node.decide("configure-locks", { lock_manager: false });
      node.pass(5_000);
      assert.deepEqual([node.stateOf("j1"), node.running(), node.holders()], [state, [], []]);
      const { attempt, lockTries } = node.row("j1");
      assert.deepEqual([attempt, lockTries], state === "failed" ? [1, undefined] : [0, 1]);
    });
  }
});

describe("recovery of the locks of a lost job", () => {
  /** A job with a lock whose worker is silent since the start. No other worker offers its type. */
  function lostJob(): JobDecider {
    const node = new JobDecider();
    node.worker();
    node.submit("j1", locked);
    return node;
  }

  const isHeld = (node: JobDecider): boolean => node.holders().length > 0;

  test("a lock is not recovered while its lease lasts, although no job claims it and the grace has passed [W3]", () => {
    const node = new JobDecider();
    const kind = { shape: "project/map", policy: "recover", ttl_seconds: 45, grace_seconds: 10, order: 2 };
    node.decide("configure-locks", { kinds: { map: kind } });
    node.worker();
    node.submit("j1", locked);
    node.jobs("cancel", { id: "j1" });
    node.pass(44_999);
    assert.equal(node.stateOf("j1"), "cancelled");
    const [grant] = node.rows<{ job?: string; heartbeatAt: number }>("lock-grants");
    assert.equal(grant?.job, undefined);
    assert.ok(node.time - (grant?.heartbeatAt ?? 0) > 10_000);
    assert.ok(isHeld(node));
    assert.ok(node.pass(1).some(({ type }) => type === "lock.recovered"));
    assert.equal(isHeld(node), false);
  });

  test("a lapsed lock stays stale until the heartbeat is older than the grace, and still excludes others [W3]", () => {
    const node = lostJob();
    node.pass(45_000);
    assert.equal(node.stateOf("j1"), "scheduled");
    node.pass(44_999);
    assert.ok(isHeld(node));
    assert.equal(node.acquire("bob", map.path, { ttlMs: 45_000 }).code, "lock_denied");
    const events = node.pass(1);
    assert.ok(events.some(({ type }) => type === "lock.recovered"));
    assert.equal(isHeld(node), false);
  });

  test("a lapsed lock is not recovered while an active job claims it [W3]", () => {
    const node = lostJob();
    const { worker = "" } = node.row("j1").attemptRow ?? {};
    for (let beat = 0; beat < 20; beat += 1) {
      node.pass(20_000);
      node.beat(worker);
    }
    assert.ok(isHeld(node));
    assert.equal(node.stateOf("j1"), "running");
    // No timer has ended the attempt yet, as after a stall of the server. The claim alone keeps the lock.
    const { fence = "" } = node.row("j1");
    node.time += 95_000;
    assert.equal(node.decide("expire-lock", { fence }, "holdfast").code, "not_due");
    const forced = node.decide("force-release", { fence, reason: "it seems dead" });
    assert.deepEqual([forced.code, forced.data["failed"]], ["not_recoverable", ["claimed_by_active_job"]]);
    assert.ok(isHeld(node));
  });

  test("the recovery of a lost job's lock is an entry with its actor, time and reason [W3]", () => {
    const node = lostJob();
    node.pass(90_000);
    const entry = node.entries.find(({ events }) => events.some(({ type }) => type === "lock.recovered"));
    assert.equal(entry?.principal, "holdfast");
    assert.equal(entry.operation, "expire-lock");
    assert.equal(entry.time, 1_000_000 + 90_000);
    const [event] = entry.events;
    assert.equal(event?.data["owner_id"], "holdfast:job:j1");
  });

  test("the next attempt of the same job adopts its stale locks at once, and the old fence is dead [W3 X3]", () => {
    const node = lostJob();
    const before = node.row("j1").fence ?? "";
    const old = node.row("j1").attemptRow?.worker ?? "";
    node.pass(45_000);
    const next = node.worker();
    node.pass(2_000);
    const row = node.row("j1");
    assert.deepEqual([row.state, row.attemptRow?.worker], ["running", next]);
    assert.notEqual(row.fence, before);
    assert.deepEqual(
      node.rows<{ fence: string; keeper: string }>("lock-grants").map(({ fence, keeper }) => [fence, keeper]),
      [[row.fence, next]],
    );
    const claim = { id: "j1", claim: row.attemptRow?.claim ?? "" };
    assert.equal(node.jobs("unlock", claim, old).code, "jobs.claim_stale");
  });

  test("a worker that ignores a cancellation and continues to run does not keep the locks of the ended attempt [W3]", () => {
    const node = new JobDecider();
    const worker = node.register({ inactivity_seconds: 604_800 });
    node.jobs("offer", { types: ["a"], slots: 1 }, worker);
    node.submit("j1", locked);
    const started = node.time;
    const passWithBeats = (ms: number): void => {
      for (const end = node.time + ms; node.time < end;) {
        node.pass(Math.min(8_000, end - node.time));
        node.beat(worker);
      }
    };
    node.jobs("cancel", { id: "j1" });
    passWithBeats(30_000);
    assert.deepEqual([node.stateOf("j1"), isHeld(node)], ["cancelled", true]);
    const last = node.rows<{ heartbeatAt: number }>("lock-grants")[0]?.heartbeatAt ?? started;
    passWithBeats(last + 90_000 - node.time - 1);
    assert.ok(isHeld(node));
    passWithBeats(1);
    assert.equal(isHeld(node), false);
  });

  test("a late heartbeat of a lost worker does not renew the locks of its job [W3]", () => {
    const node = lostJob();
    const { worker = "" } = node.row("j1").attemptRow ?? {};
    node.jobs("pause", { type: "a" });
    node.pass(45_000);
    assert.equal(node.stateOf("j1"), "scheduled");
    node.beat(worker);
    node.pass(44_999);
    assert.ok(isHeld(node));
    node.pass(1);
    assert.equal(isHeld(node), false);
  });

  test("a type that does not adopt runs its next attempt after the recovery of the stale locks, not before [W3]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { types: { a: { adopt: false } } });
    node.worker();
    node.submit("j1", locked);
    const { fence } = node.row("j1");
    node.pass(45_000);
    const next = node.register({ inactivity_seconds: 604_800 });
    node.jobs("offer", { types: ["a"], slots: 1 }, next);
    const passWithBeats = (ms: number): readonly string[] => {
      const events = Array.from({ length: ms / 1_000 }, () => {
        node.beat(next);
        return node.pass(1_000);
      });
      return events.flat().map(({ type }) => type);
    };
    passWithBeats(44_000);
    assert.deepEqual([node.stateOf("j1"), node.row("j1").lockTries ?? 0], ["scheduled", 0]);
    assert.ok(isHeld(node));
    const types = passWithBeats(1_000);
    assert.ok(types.includes("lock.recovered"));
    assert.ok(types.indexOf("lock.recovered") < types.indexOf("jobs.started"));
    assert.deepEqual([node.stateOf("j1"), node.row("j1").attemptRow?.worker], ["running", next]);
    assert.notEqual(node.row("j1").fence, fence);
    assert.ok(!node.entries.some(({ events }) => events.some(({ type }) => type === "lock.adopted")));
  });

  test("a job whose stale locks are recovered while others wait queues behind them and starts later [W3 W9]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { types: { a: { adopt: false, lock_patience_ms: 60_000 } } });
    node.worker();
    node.submit("j1", locked);
    node.pass(45_000);
    node.acquire("ann", map.path, { wait: true, ttlMs: 45_000 });
    node.pass(45_000);
    assert.deepEqual(node.holders(), [`ann: ${map.path} write`]);
    const next = node.worker();
    assert.equal(node.stateOf("j1"), "locking");
    node.beat(next);
    assert.deepEqual(startedIn(node.release("ann", map.path)), ["j1"]);
  });

  test("the end of a worker's agent does not free the locks of its job [W3]", () => {
    const node = lostJob();
    const { worker = "" } = node.row("j1").attemptRow ?? {};
    node.decide("end-agent", {}, "p", worker);
    assert.ok(isHeld(node));
    node.pass(89_999);
    assert.ok(isHeld(node));
    node.pass(1);
    assert.equal(isHeld(node), false);
  });
});

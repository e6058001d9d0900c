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
    assert.match(error?.["message"] as string, /five tries .* ann/);
    assert.deepEqual(node.waiters(), []);
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

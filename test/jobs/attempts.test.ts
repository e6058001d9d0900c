import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { JobDecider, startedIn } from "./job-decider.ts";

describe("claims", () => {
  test("a worker that is silent past its lease loses its job, and its completion is refused [W3 X3]", () => {
    const node = new JobDecider();
    const first = node.worker();
    node.submit("j1");
    const claim = node.row("j1").attemptRow?.claim ?? "";
    node.pass(45_000);
    assert.equal(node.stateOf("j1"), "scheduled");
    const second = node.worker();
    node.pass(2_000);
    assert.equal(node.row("j1").attemptRow?.worker, second);
    assert.equal(node.jobs("complete", { id: "j1", claim }, first).code, "jobs.claim_stale");
    assert.equal(node.work("complete", "j1").code, "done");
    assert.equal(node.stateOf("j1"), "completed");
  });

  test("a completion after the lease is refused although no timer has fired yet", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1");
    node.time += 45_000;
    assert.equal(node.work("complete", "j1").code, "jobs.claim_stale");
    assert.equal(node.stateOf("j1"), "scheduled");
  });

  test("heartbeats keep the job of a worker, and a late heartbeat revives nothing", () => {
    const node = new JobDecider();
    const worker = node.worker();
    node.submit("j1");
    for (let beat = 0; beat < 10; beat += 1) {
      node.pass(20_000);
      node.beat(worker);
    }
    assert.equal(node.stateOf("j1"), "running");
    node.time += 45_000;
    node.beat(worker);
    node.pass(0);
    assert.equal(node.stateOf("j1"), "scheduled");
  });

  test("another worker cannot use the claim of a job", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1");
    const { claim = "" } = node.row("j1").attemptRow ?? {};
    const thief = node.register();
    for (const operation of ["complete", "release"])
      assert.equal(node.jobs(operation, { id: "j1", claim }, thief).code, "jobs.claim_stale");
    assert.equal(node.jobs("complete", { id: "j1", claim }).code, "jobs.claim_stale");
  });

  test("an offer ends after 25 seconds without a heartbeat, and its worker gets no further jobs", () => {
    const node = new JobDecider();
    node.worker();
    node.pass(25_000);
    node.submit("j1");
    assert.equal(node.stateOf("j1"), "ready");
    assert.deepEqual(node.workers(), []);
  });

  test("a worker whose agent ends keeps its jobs until their lease and gets no other", () => {
    const node = new JobDecider();
    const worker = node.worker(2);
    node.submit("j1");
    node.decide("end-agent", {}, "p", worker);
    node.submit("j2");
    assert.deepEqual([node.stateOf("j1"), node.stateOf("j2")], ["running", "ready"]);
    node.pass(45_000);
    assert.equal(node.stateOf("j1"), "scheduled");
  });
});

describe("completion of many jobs", () => {
  const claimsOf = (node: JobDecider, ...ids: readonly string[]) =>
    ids.map((id) => ({ id, claim: node.row(id).attemptRow?.claim ?? "" }));

  test("one command completes many jobs, refuses the others one by one, and fills all slots [W8 X3]", () => {
    const node = new JobDecider();
    const worker = node.worker(3);
    for (const id of ["j1", "j2", "j3", "j4", "j5", "j6"]) node.submit(id);
    const [first, second, third] = claimsOf(node, "j1", "j2", "j3");
    const large = { ...third, result: "x".repeat(70_000) };
    const jobs = [{ ...first, result: 7 }, { ...second, claim: "1.1" }, large, first ?? {}];
    const { data, events } = node.jobs("complete-many", { jobs: jobs }, worker);
    assert.deepEqual(data["jobs"], [
      { id: "j1", state: "completed" },
      { id: "j2", code: "jobs.claim_stale" },
      { id: "j3", code: "jobs.result_too_large" },
      { id: "j1", code: "jobs.claim_stale" },
    ]);
    assert.deepEqual(startedIn({ events }), ["j4"]);
    assert.deepEqual(node.running().toSorted(), ["j2", "j3", "j4"]);
    const both = node.jobs("complete-many", { jobs: claimsOf(node, "j2", "j3") }, worker);
    assert.deepEqual(startedIn(both), ["j5", "j6"]);
  });

  test("projects take turns in the slots that one command frees [W8]", () => {
    const node = new JobDecider();
    const worker = node.worker(4);
    for (const number of [1, 2, 3, 4]) node.submit(`x${number}`, { project: "X" });
    for (const number of [1, 2]) node.submit(`a${number}`, { project: "A" });
    for (const number of [1, 2]) node.submit(`b${number}`, { project: "B" });
    const ended = node.jobs("complete-many", { jobs: claimsOf(node, "x1", "x2", "x3", "x4") }, worker);
    assert.deepEqual(startedIn(ended), ["a1", "b1", "a2", "b2"]);
  });

  test("a job whose locks have no room in the entry keeps running, and is completed by the next command", () => {
    const node = new JobDecider();
    const worker = node.worker(40);
    const ids = Array.from({ length: 40 }, (_none, index) => `j${String(index)}`);
    for (const id of ids) {
      const locks = Array.from({ length: 100 }, (_none, index) => ({ path: `${id}/${String(index)}` }));
      assert.deepEqual(startedIn(node.submit(id, { locks })), [id]);
    }
    const completed = node.jobs("complete-many", { jobs: claimsOf(node, ...ids) }, worker);
    const states = (completed.data["jobs"] as readonly { readonly state: string }[]).map(({ state }) => state);
    const left = ids.filter((_id, index) => states[index] === "running");
    // An entry begins nothing more after 2,000 events, and each end frees 100 paths.
    assert.equal(left.length, 20);
    node.jobs("complete-many", { jobs: claimsOf(node, ...left) }, worker);
    assert.deepEqual(node.running(), []);
  });

  test("a job that the entry has no room for keeps running, and is completed by the next command", () => {
    const node = new JobDecider();
    const worker = node.worker(3);
    const roots = ["j1", "j2", "j3"];
    for (const id of roots) node.submit(id);
    for (const id of ["j1", "j2"]) {
      const jobs = Array.from({ length: 1_000 }, () => ({ type: "b", after: [id] }));
      node.jobs("submit-many", { jobs });
    }
    const completed = node.jobs("complete-many", { jobs: claimsOf(node, ...roots) }, worker);
    assert.deepEqual(completed.data["jobs"], [
      { id: "j1", state: "completed" },
      { id: "j2", state: "completed" },
      { id: "j3", state: "running" },
    ]);
    assert.equal(node.jobs("complete-many", { jobs: claimsOf(node, "j3") }, worker).code, "done");
    assert.equal(node.stateOf("j3"), "completed");
  });

  test("the reply has the next jobs of the worker, unless it asks to get them as notices only", () => {
    const node = new JobDecider();
    const worker = node.worker(1);
    for (const id of ["j1", "j2", "j3", "j4", "j5"]) node.submit(id);
    const reply = (operation: string, input: JsonObject): unknown => {
      const position = node.entries.length + 1;
      const command = { id: `c${position}`, operation: `jobs.${operation}`, principal: "p", agent: worker, input };
      const decided = node.machine.decide(command, { position, time: node.time, grace: false, prior: undefined });
      node.machine.settle();
      if (decided.entry !== undefined) node.entries.push(decided.entry);
      return (decided.attachment?.["next"] as readonly { readonly id: string }[] | undefined)?.map(({ id }) => id);
    };
    assert.deepEqual(reply("complete-many", { jobs: claimsOf(node, "j1") }), ["j2"]);
    assert.equal(reply("complete-many", { jobs: claimsOf(node, "j2"), with_next: false }), undefined);
    assert.equal(reply("complete", { ...claimsOf(node, "j3")[0], with_next: false }), undefined);
    assert.deepEqual(reply("fail", { ...claimsOf(node, "j4")[0], error: { message: "down" } }), ["j5"]);
  });
});

describe("retries", () => {
  test("a failed attempt is retried with a growing pause, then the job fails and can be retried by type", () => {
    const node = new JobDecider();
    const worker = node.worker();
    node.submit("j1", { max_attempts: 3 });
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { events } = node.work("fail", "j1", { error: { message: "down" } });
      const next = events.find(({ type }) => type === "jobs.attempt_failed")?.data["next_at"];
      if (typeof next !== "number") break;
      pauses.push(next - node.time);
      node.pass(next - node.time);
      node.beat(worker);
    }
    assert.ok(pauses.length === 2 && (pauses[0] ?? 0) >= 500 && (pauses[0] ?? 0) <= 1_000, String(pauses));
    assert.ok((pauses[1] ?? 0) >= 1_000 && (pauses[1] ?? 0) <= 2_000, String(pauses));
    assert.equal(node.stateOf("j1"), "failed");
    assert.deepEqual(node.jobs("retry", { type: "a" }).data, { count: 1, more: false, next: null });
    assert.deepEqual([node.stateOf("j1"), node.row("j1").attempt], ["running", 1]);
  });

  test("the jobs of one project are selected behind more jobs of another than a request examines", () => {
    const node = new JobDecider();
    for (let part = 0; part < 11; part += 1) {
      const jobs = Array.from({ length: 1_000 }, () => ({ type: "a", project: "large" }));
      node.jobs("submit-many", { jobs });
    }
    node.submit("j1", { project: "small" });
    node.submit("j2", { project: "small" });
    const selection = { type: "a", project: "small" };
    const first = node.jobs("cancel", selection).data;
    assert.deepEqual([first["count"], first["more"]], [0, true]);
    const second = node.jobs("cancel", { ...selection, after: first["next"] as string }).data;
    assert.deepEqual(second, { count: 2, more: false, next: null });
    assert.deepEqual([node.stateOf("j1"), node.stateOf("j2")], ["cancelled", "cancelled"]);
    const page = node.jobs("cancel", { type: "a", project: "large" }).data;
    assert.deepEqual([page["count"], page["more"]], [1_000, true]);
    assert.equal(node.jobs("cancel", { type: "a", after: page["next"] as string }).data["count"], 1_000);
    assert.equal(node.rows("jobs").length, 9_000);
  });

  test("a fatal error fails a job at once, and a discarded job is gone", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1");
    node.work("fail", "j1", { error: { message: "bad input" }, retry: false });
    assert.equal(node.stateOf("j1"), "failed");
    assert.equal(node.jobs("discard", { id: "j1" }).code, "done");
    assert.equal(node.stateOf("j1"), "discarded");
    assert.deepEqual(node.jobs("retry", { id: "j1" }).data, { id: "j1", state: "discarded" });
    assert.equal(node.jobs("cancel", { id: "j1" }).code, "jobs.not_waiting");
    assert.equal(node.jobs("change", { id: "j1", changes: { priority: 1 } }).code, "jobs.not_waiting");
    assert.equal(node.submit("j2", { after: ["j1"] }).code, "jobs.not_waiting");
    assert.equal(node.jobs("cancel", { id: "j3" }).code, "jobs.unknown");
  });

  test("a job fails after its third lost worker", () => {
    const node = new JobDecider();
    node.submit("j1");
    for (let crash = 1; crash <= 3; crash += 1) {
      node.worker();
      node.pass(45_000);
      node.pass(10_000);
    }
    assert.equal(node.stateOf("j1"), "failed");
    assert.equal(node.row("j1").error?.["code"], "worker_lost");
  });

  test("a returned job counts as no attempt and runs again after its delay with its checkpoint", () => {
    const node = new JobDecider();
    const worker = node.worker();
    node.submit("j1");
    node.work("progress", "j1", { percent: 40, message: "half", checkpoint: { level: 3 } });
    assert.equal(node.work("progress", "j1", { percent: 10 }).code, "done");
    assert.equal(node.row("j1").attemptRow?.percent, 40);
    node.work("release", "j1", { delay_seconds: 10 });
    assert.equal(node.stateOf("j1"), "scheduled");
    node.beat(worker);
    node.pass(10_000);
    const row = node.row("j1");
    assert.deepEqual([row.state, row.attempt, row.checkpoint], ["running", 1, { level: 3 }]);
  });

  test("a failed job is dropped after 30 days", () => {
    const node = new JobDecider();
    node.worker();
    node.submit("j1", { max_attempts: 1 });
    node.work("fail", "j1", { error: { message: "down" } });
    node.pass(30 * 24 * 3_600_000);
    assert.equal(node.stateOf("j1"), "discarded");
  });
});

describe("cancellation", () => {
  test("a job is cancelled in every state, and a running one gets thirty seconds", () => {
    const node = new JobDecider();
    node.submit("scheduled", { delay_seconds: 60 });
    node.submit("ready");
    node.submit("waiting", { after: ["ready"] });
    for (const id of ["waiting", "scheduled", "ready"]) {
      assert.equal(node.jobs("cancel", { id }).code, "done");
      assert.equal(node.stateOf(id), "cancelled");
    }
    const worker = node.worker();
    node.submit("obeys");
    node.jobs("cancel", { id: "obeys" });
    assert.equal(node.row("obeys").attemptRow?.cancel, "cancelled");
    node.work("fail", "obeys", { error: { message: "aborted" } });
    assert.equal(node.stateOf("obeys"), "cancelled");
    node.submit("ignores");
    node.jobs("cancel", { id: "ignores" });
    node.pass(20_000);
    node.beat(worker);
    node.pass(10_000);
    assert.equal(node.stateOf("ignores"), "cancelled");
  });

  test("an attempt that takes longer than its timeout gets a signal and fails thirty seconds later", () => {
    const node = new JobDecider();
    const worker = node.worker();
    node.submit("j1", { timeout_seconds: 10 });
    node.pass(10_000);
    assert.equal(node.row("j1").attemptRow?.cancel, "timeout");
    node.beat(worker);
    node.pass(30_000);
    assert.deepEqual([node.stateOf("j1"), node.row("j1").error?.["code"]], ["scheduled", "timeout"]);
  });
});

describe("submission", () => {
  test("a delayed job starts at its time, and a dependent job after the completion of the other", () => {
    const node = new JobDecider();
    const worker = node.worker(5);
    node.submit("late", { delay_seconds: 20 });
    node.submit("first");
    node.submit("second", { after: ["first"] });
    assert.deepEqual(node.running(), ["first"]);
    assert.deepEqual(startedIn(node.work("complete", "first")), ["second"]);
    node.submit("third", { after: ["first"] });
    assert.deepEqual(node.running(), ["second", "third"]);
    assert.equal(node.submit("fourth", { after: ["none"] }).code, "jobs.unknown");
    node.beat(worker);
    node.pass(20_000);
    assert.deepEqual(node.running(), ["late", "second", "third"]);
  });

  test("a job fails if the job that it waits for is cancelled, and can be retried", () => {
    const node = new JobDecider();
    node.submit("first");
    node.submit("second", { after: ["first"] });
    node.jobs("cancel", { id: "first" });
    assert.deepEqual([node.stateOf("second"), node.row("second").error?.["code"]], ["failed", "dependency_ended"]);
    node.jobs("retry", { id: "second" });
    assert.equal(node.stateOf("second"), "ready");
  });

  test("a unique key returns, replaces or refuses the second job, and is free again as asked", () => {
    const node = new JobDecider();
    const unique = (more: object) => ({ unique: { key: "k", ...more } });
    node.submit("j1", { payload: 1, ...unique({}) });
    assert.deepEqual(node.submit("j2", unique({})).data, { id: "j1", state: "ready", duplicate: true });
    assert.equal(node.submit("j2", unique({ duplicate: "refuse" })).code, "jobs.duplicate");
    const later = node.submit("j2", { payload: 2, delay_seconds: 5, ...unique({ duplicate: "replace" }) });
    assert.deepEqual(later.data, { id: "j1", state: "scheduled", duplicate: true });
    assert.equal(node.row("j1").payload, 2);
    node.pass(5_000);
    node.worker(5);
    assert.equal(node.submit("j2", unique({})).data["id"], "j1");
    node.work("complete", "j1");
    assert.equal(node.submit("j2", unique({ until: "started" })).data["id"], "j2");
    assert.equal(node.submit("j3", unique({ until: 60 })).data["id"], "j3");
    node.work("complete", "j3");
    assert.equal(node.submit("j4", unique({})).data["id"], "j3");
    node.pass(60_000);
    assert.equal(node.submit("j4", unique({})).data["id"], "j4");
  });

  test("a batch is submitted whole or not at all, and the refusal names the index", () => {
    const node = new JobDecider();
    node.submit("j1");
    const refused = node.jobs("submit-many", {
      jobs: [
        { type: "a", id: "j2" },
        { type: "a", id: "j1" },
      ],
    });
    assert.deepEqual([refused.code, refused.data], ["jobs.exists", { id: "j1", index: 1 }]);
    assert.equal(node.stateOf("j2"), "");
    const many = Array.from({ length: 1_000 }, (_, n) => ({ type: "a", id: `m${n}` }));
    node.worker(1_000);
    assert.equal(node.jobs("submit-many", { jobs: many }).code, "done");
    node.pass(0);
    assert.equal(node.running().length, 1_000);
  });

  test("a payload, a backlog and an id that exists are refused", () => {
    const node = new JobDecider();
    assert.equal(node.submit("j1", { payload: "x".repeat(256 * 1024) }).code, "jobs.payload_too_large");
    node.decide("jobs.configure", { projects: { A: { backlog_max: 1 } } });
    node.submit("j1", { project: "A" });
    assert.equal(node.submit("j2", { project: "A" }).code, "jobs.backlog_full");
    assert.equal(node.submit("j1").code, "jobs.exists");
  });

  test("a job that has not started gets another priority and time", () => {
    const node = new JobDecider();
    node.submit("j1");
    node.submit("j2");
    assert.equal(node.jobs("change", { id: "j2", changes: { priority: 99 } }).data["priority"], 99);
    const at = new Date(node.time + 5_000).toISOString();
    assert.equal(node.jobs("change", { id: "j1", changes: { run_at: at } }).data["state"], "scheduled");
    node.worker(1);
    assert.deepEqual(node.running(), ["j2"]);
    assert.equal(node.jobs("change", { id: "j2", changes: { priority: 1 } }).code, "jobs.not_waiting");
  });

  test("a worker takes jobs without an offer, and a drained one gets none", () => {
    const node = new JobDecider();
    const worker = node.register();
    for (const id of ["j1", "j2", "j3"]) node.submit(id);
    assert.deepEqual(startedIn(node.jobs("take", { types: ["a"], count: 2 }, worker)), ["j1", "j2"]);
    node.work("complete", "j1");
    assert.equal(node.stateOf("j3"), "ready");
    assert.deepEqual(startedIn(node.jobs("offer", { types: ["a"], slots: 2 }, worker)), ["j3"]);
    node.submit("j4");
    node.jobs("offer", { types: ["a"], slots: 0 }, worker);
    node.work("complete", "j3");
    assert.deepEqual([node.stateOf("j4"), node.running()], ["ready", ["j2"]]);
    assert.equal(node.jobs("take", { types: ["a"] }).code, "jobs.agent_required");
  });
});

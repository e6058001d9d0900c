import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import type { JobRow } from "../../server/src/packs/jobs/job-tables.ts";
import { IntentDecider, typesOf } from "./intent-decider.ts";

const bridges = ["input", "price", "output"];

/** An intent with a run of three bridges, and the fence of the run. */
function startedRun(more: Parameters<IntentDecider["run"]>[3] = {}): { machine: IntentDecider; fence: string } {
  const machine = new IntentDecider();
  machine.create("1");
  const fence = machine.lock("1", "ann");
  assert.equal(machine.run("1", fence, bridges, more).code, "done");
  return { machine, fence };
}

describe("steps of a run", () => {
  test("a run needs the live write lock of its intent in its own entry [B5 M10]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.create("2");
    const other = machine.lock("2", "ann");
    const { code, data } = machine.run("1", other, bridges);
    assert.equal(code, "intents.lock_required");
    assert.deepEqual(data["missing"], [{ path: "intent/1", mode: "write", scope: "self", holders: [] }]);
    const read = machine.acquire("ann", "intent/1:read").data["fence"] as string;
    assert.equal(machine.run("1", read, bridges).code, "intents.lock_required");
  });

  test("a run names the missing intent before the missing lock, and the lock manager before both [B5 M6]", () => {
    const machine = new IntentDecider();
    assert.equal(machine.run("none", "1.1", bridges).code, "entity_not_found");
    machine.decide("configure-locks", { lock_manager: false });
    assert.equal(machine.create("1").code, "done");
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).code, "done");
    assert.equal(machine.reevaluate("1", { price: 7 }).code, "done");
    assert.equal(machine.run("none", "1.1", bridges).code, "locks_off");
    const { code, data } = machine.run("1", "1.1", bridges);
    assert.deepEqual([code, data], ["locks_off", { toggle: "component_toggles.lock_manager" }]);
  });

  test("the result of a step and the begin of the next step are one entry [B5]", () => {
    const { machine, fence } = startedRun();
    const entries = machine.entries.length;
    const result = machine.advance("1", fence, "input", { to: "normalized", changes: { lines: 2 } });
    assert.equal(machine.entries.length, entries + 1);
    assert.deepEqual(typesOf(result), [
      "entity.merged",
      "intent.status_changed",
      "intent.bridge_completed",
      "intent.bridge_started",
    ]);
    assert.deepEqual(machine.value("1")["payload"], { text: "two chairs", lines: 2 });
    assert.equal(machine.runOf("1")["current"], "price");
  });

  test("the bridges run in the order of the plan, and the run completes after the last [B5]", () => {
    const { machine, fence } = startedRun();
    assert.equal(machine.advance("1", fence, "price").code, "intents.step_out_of_order");
    machine.advance("1", fence, "input", { to: "normalized" });
    machine.advance("1", fence, "price", { to: "processed" });
    const last = machine.advance("1", fence, "output", { to: "completed" });
    assert.deepEqual(typesOf(last).slice(-1), ["intent.run_ended"]);
    assert.deepEqual([machine.runOf("1")["state"], machine.value("1")["open_run"]], ["completed", undefined]);
    assert.equal(machine.advance("1", fence, "output").code, "intents.run_ended");
  });

  test("a step under a fence that ended, or under another live fence, is refused [B5 X3]", () => {
    const { machine, fence } = startedRun();
    machine.pass(15_001);
    assert.equal(machine.advance("1", fence, "input").code, "fence_stale");
    const second = machine.lock("1", "bob");
    assert.equal(machine.advance("1", second, "input").code, "fence_stale");
    machine.run("1", second, bridges);
    assert.equal(machine.advance("1", fence, "input").code, "fence_stale");
    assert.equal(machine.advance("1", second, "input").code, "done");
  });

  test("a step under the fence of another principal is refused with that reason [B5 X3 X14]", () => {
    const { machine, fence } = startedRun();
    const step = { id: "1", fence, run: 1, step: "input", outcome: "done" };
    const { code, data } = machine.decide("intents.advance", step, "mallory", undefined);
    assert.deepEqual([code, data["reason"]], ["fence_stale", "the grant belongs to another principal"]);
    assert.equal(machine.advance("1", fence, "input").code, "done");
  });

  test("a step after the end of its lease is refused before any timer has expired the lock [B5 M9 X3]", () => {
    const { machine, fence } = startedRun();
    machine.time += 15_001;
    assert.equal(machine.advance("1", fence, "input").code, "fence_stale");
    machine.pass(0);
    assert.equal(machine.runOf("1")["state"], "interrupted");
  });

  test("only the steps of a running run change the status, and a correction of a step is kept once [B4 B5]", () => {
    const { machine, fence } = startedRun();
    assert.equal(machine.intents("transition", { id: "1", to: "processed", fence }).code, "intents.run_open");
    assert.equal(machine.intents("delete", { id: "1", fence }).code, "intents.run_open");
    machine.advance("1", fence, "input", { to: "normalized" });
    const correction = { diff: { price: 7 }, source: "judge", reason: "too cheap" };
    const correction_id = "00000000-0000-8000-8000-000000000001";
    const empty = { ...correction, diff: { payload: {} } };
    assert.equal(machine.advance("1", fence, "price", { correction: empty, correction_id }).code, "input_invalid");
    const result = machine.advance("1", fence, "price", { to: "processed", correction, correction_id });
    assert.equal(result.code, "done");
    assert.deepEqual([machine.value("1")["status"], machine.value("1")["correction_count"]], ["corrected", 1]);
  });
});

describe("failures of a run", () => {
  const error = { code: "sold_out", message: "no chairs left" };

  test("a failed bridge of a fail-fast run ends the run and the intent in one entry [B5]", () => {
    const { machine, fence } = startedRun();
    const result = machine.advance("1", fence, "input", { outcome: "failed", error });
    assert.deepEqual(typesOf(result).slice(1), ["intent.bridge_failed", "intent.status_changed", "intent.run_ended"]);
    assert.deepEqual([machine.value("1")["status"], machine.runOf("1")["state"]], ["failed", "failed"]);
  });

  test("a bridge that fails after the last status fails its run, and the final status stays [B1 B5]", () => {
    const { machine, fence } = startedRun();
    machine.advance("1", fence, "input", { to: "normalized" });
    machine.advance("1", fence, "price", { to: "completed" });
    assert.equal(machine.advance("1", fence, "output", { changes: { a: 1 } }).code, "intents.transition_invalid");
    machine.advance("1", fence, "output", { outcome: "failed", error });
    assert.deepEqual([machine.value("1")["status"], machine.runOf("1")["state"]], ["completed", "failed"]);
  });

  test("a failed bridge of a continuing run is counted, and the next bridge begins [B5]", () => {
    const { machine, fence } = startedRun({ mode: "Continue" });
    machine.advance("1", fence, "input", { outcome: "failed", error });
    assert.deepEqual([machine.runOf("1")["current"], machine.runOf("1")["errors"]], ["price", 1]);
    assert.equal(machine.value("1")["status"], "received");
  });

  test("each bridge of a selective run decides by its own on_error, and a failing input stops the run [B5]", () => {
    const plan = { mode: "selective", bridges: [{ name: "input" }, { name: "a", on_error: "fail" }, { name: "b" }] };
    const failing = (step: string): string => {
      const machine = new IntentDecider();
      machine.create("1");
      const fence = machine.lock("1", "ann");
      machine.intents("run", { id: "1", fence, pipeline: "orders", ...plan });
      for (const { name } of plan.bridges) {
        if (name === step) break;
        machine.advance("1", fence, name);
      }
      machine.advance("1", fence, step, { outcome: "failed", error });
      return machine.runOf("1")["state"] as string;
    };
    assert.deepEqual([failing("input"), failing("a"), failing("b")], ["failed", "failed", "completed"]);
  });

  test("a fatal error ends the run in every mode and is never retried [B5]", () => {
    const { machine, fence } = startedRun({ mode: "continue" });
    machine.advance("1", fence, "input", { outcome: "retry", error, fatal: true });
    assert.equal(machine.runOf("1")["state"], "failed");
  });

  test("each failed try is an entry, and the step stays the current one [B5 B11]", () => {
    const { machine, fence } = startedRun();
    const result = machine.advance("1", fence, "input", { outcome: "retry", error });
    assert.deepEqual(typesOf(result).slice(1), ["intent.bridge_failed", "intent.bridge_started"]);
    const { steps } = machine.runOf("1") as { readonly steps: Record<string, { readonly tries: number }> };
    assert.equal(steps["input"]?.tries, 2);
  });

  test("a run that pauses at a failure keeps its intent open, and resumes at the failed step [B5]", () => {
    const { machine, fence } = startedRun({ on_failure: "pause" });
    machine.advance("1", fence, "input", { outcome: "failed", error });
    assert.deepEqual([machine.runOf("1")["state"], machine.value("1")["status"]], ["paused", "received"]);
    machine.release("ann", "intent/1");
    assert.equal(machine.reevaluate("1", { text: "one chair" }).code, "done");
    const second = machine.lock("1", "bob");
    machine.run("1", second, bridges, { on_failure: "pause" });
    const { steps, state } = machine.runOf("1") as {
      readonly steps: Record<string, { readonly tries: number; readonly error?: unknown }>;
      readonly state: string;
    };
    assert.deepEqual([state, steps["input"]?.tries, steps["input"]?.error], ["running", 1, undefined]);
  });
});

describe("takeovers", () => {
  test("a run whose lock expires is interrupted in the same entry, before the next owner gets the lock [B5]", () => {
    const { machine } = startedRun();
    machine.wait("bob", "intent/1");
    const events = machine.pass(15_001).map(({ type }) => type);
    const order = ["lock.expired", "entity.merged", "intent.run_interrupted", "lock.acquired"];
    assert.deepEqual(
      events.filter((type) => order.includes(type)),
      order,
    );
    assert.deepEqual([machine.runOf("1")["state"], machine.runOf("1")["left"]], ["interrupted", "expired"]);
  });

  test("a run under the lock of a job is interrupted when the job gets another fence [B5 X3]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    const worker = machine.register();
    machine.decide("jobs.offer", { types: ["orders"], slots: 1 }, "p", worker);
    machine.decide("jobs.submit", { type: "orders", id: "j1", locks: ["intent/1"] });
    const [job] = [...machine.machine.dump()].filter(({ table }) => table === "jobs").map(({ row }) => row as JobRow);
    const { fence = "", attemptRow } = job ?? assert.fail("the job has not started");
    const plan = { id: "1", pipeline: "orders", bridges: [{ name: "input" }] };
    assert.equal(machine.intents("run", { ...plan, fence }, worker).code, "done");
    const locked = { id: "j1", claim: attemptRow?.claim ?? "", paths: ["stock/chairs"] };
    const { data } = machine.decide("jobs.lock", locked, "p", worker);
    assert.deepEqual([machine.runOf("1")["state"], machine.runOf("1")["left"]], ["interrupted", "adopted"]);
    assert.equal(machine.intents("run", { ...plan, fence: data["fence"] as string }, worker).code, "done");
    assert.deepEqual([machine.runOf("1")["state"], machine.runOf("1")["takeovers"]], ["running", 1]);
  });

  test("a takeover of an expired lock counts a crash, and one of a released lock does not [B5]", () => {
    for (const [left, crashes] of [
      ["expired", 1],
      ["released", 0],
    ] as const) {
      const { machine } = startedRun();
      if (left === "expired") machine.pass(15_001);
      else machine.release("ann", "intent/1");
      machine.run("1", machine.lock("1", "bob"), bridges);
      const { steps } = machine.runOf("1") as { readonly steps: Record<string, { readonly crashes: number }> };
      assert.equal(steps["input"]?.crashes, crashes, left);
    }
  });

  test("a step that failed by its crashes begins again without them when an owner resumes the paused run [B5]", () => {
    const { machine } = startedRun({ on_failure: "pause" });
    machine.intents("configure", { settings: { crash_limit: 0 } });
    const resume = () => machine.run("1", machine.lock("1", "bob"), bridges, { on_failure: "pause" });
    machine.pass(15_001);
    resume();
    assert.equal(machine.runOf("1")["state"], "paused");
    machine.release("bob", "intent/1");
    resume();
    const { state, steps } = machine.runOf("1") as {
      readonly state: string;
      readonly steps: Record<string, JsonObject>;
    };
    assert.deepEqual([state, steps["input"]?.["state"], steps["input"]?.["crashes"]], ["running", "started", 0]);
  });

  test("a step that crashes more owners than the limit fails by the mode of its run [B5]", () => {
    const { machine } = startedRun();
    for (const owner of ["b", "c", "d"]) {
      machine.pass(15_001);
      machine.run("1", machine.lock("1", owner), bridges);
      assert.equal(machine.runOf("1")["state"], "running");
    }
    machine.pass(15_001);
    machine.run("1", machine.lock("1", "e"), bridges);
    assert.deepEqual([machine.runOf("1")["state"], machine.value("1")["status"]], ["failed", "failed"]);
  });

  test("a run of another plan is refused with both plans, and resume never refuses any open run [B5]", () => {
    const { machine } = startedRun();
    machine.release("ann", "intent/1");
    const fence = machine.lock("1", "bob");
    const differs = machine.run("1", fence, ["input", "output"]);
    assert.equal(differs.code, "intents.plan_differs");
    assert.ok("plan" in differs.data && "yours" in differs.data);
    assert.equal(machine.run("1", fence, bridges, { resume: "never" }).code, "intents.run_open");
    assert.equal(machine.run("1", fence, bridges).code, "done");
  });

  test("the same request under the same fence is answered as the run is, without an entry [B5]", () => {
    const { machine, fence } = startedRun();
    const entries = machine.entries.length;
    assert.equal(machine.run("1", fence, bridges).data["changed"], false);
    assert.equal(machine.entries.length, entries);
  });

  test("a new run keeps a summary of the one before it, and inherits none of its steps [B5]", () => {
    const { machine, fence } = startedRun();
    machine.advance("1", fence, "input");
    machine.release("ann", "intent/1");
    machine.intents("stop", { id: "1", reason: "wrong plan" });
    const second = machine.lock("1", "ann");
    machine.run("1", second, ["input", "output"]);
    const { runs } = machine.value("1") as { readonly runs: Record<string, { readonly steps?: object }> };
    assert.deepEqual(Object.keys(runs["2"]?.steps ?? {}), ["input"]);
    assert.equal(runs["1"]?.steps, undefined);
  });
});

describe("stopping", () => {
  test("a stop of a running run is a request, and the next step of its owner ends the run [B5]", () => {
    const { machine, fence } = startedRun();
    const { data } = machine.intents("stop", { id: "1", reason: "cancelled" });
    assert.deepEqual([data["state"], data["requested"]], ["running", true]);
    machine.advance("1", fence, "input", { to: "normalized" });
    assert.deepEqual([machine.runOf("1")["state"], machine.value("1")["status"]], ["stopped", "normalized"]);
  });

  test("a run whose owner ignores a stop ends when its lock is forced or expires [B5 W10]", () => {
    const { machine } = startedRun();
    machine.intents("stop", { id: "1", reason: "cancelled" });
    machine.pass(15_001);
    assert.equal(machine.runOf("1")["state"], "stopped");
  });

  test("a stop of an interrupted run ends it at once, and so does the end of its intent [B5]", () => {
    for (const end of ["stop", "transition"]) {
      const { machine } = startedRun();
      machine.release("ann", "intent/1");
      if (end === "stop") machine.intents("stop", { id: "1", reason: "cancelled" });
      else machine.intents("transition", { id: "1", to: "failed" });
      assert.equal(machine.runOf("1")["state"], "stopped", end);
      assert.equal(machine.intents("stop", { id: "1", reason: "again" }).code, "intents.run_ended");
    }
  });
});

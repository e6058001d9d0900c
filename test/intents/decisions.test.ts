import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { intentStatuses, intentTransitions } from "@holdfast/sdk/contract";
import { correctionIdOf } from "../../server/src/app/packs/intents/prepare-correction.ts";
import { IntentDecider, typesOf } from "./intent-decider.ts";

describe("statuses", () => {
  test("an intent changes its status only along the table of transitions [B1]", () => {
    for (const from of intentStatuses)
      for (const to of intentStatuses) {
        const machine = new IntentDecider();
        machine.create("1", from);
        const { code, data } = machine.intents("transition", { id: "1", to });
        const isAllowed = intentTransitions[from].includes(to);
        assert.equal(code, isAllowed ? "done" : "intents.transition_invalid", `${from} to ${to}`);
        if (!isAllowed) assert.deepEqual([data["status"], data["allowed"]], [from, intentTransitions[from]]);
        assert.equal(machine.value("1")["status"], isAllowed ? to : from);
      }
  });

  test("a status is accepted in upper and lower case and stored in lower case, and an unknown one is refused [B1]", () => {
    const machine = new IntentDecider();
    machine.create("1", "Received");
    assert.equal(machine.intents("transition", { id: "1", to: "NORMALIZED" }).code, "done");
    assert.equal(machine.value("1")["status"], "normalized");
    const { code, data } = machine.intents("transition", { id: "1", to: "done" });
    assert.equal(code, "intents.status_unknown");
    assert.deepEqual(data["known"], [...intentStatuses]);
  });

  test("a transition to the same status is not a change where the table allows it, and makes no entry [B1]", () => {
    const machine = new IntentDecider();
    machine.create("1", "processed");
    const before = machine.entries.length;
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).data["changed"], false);
    assert.equal(machine.entries.length, before);
  });

  test("a change of the status is an audit event with both statuses and the actor [B11]", () => {
    const machine = new IntentDecider();
    machine.intents("create", { id: "1", payload: {}, technical_actor: "desk" });
    const { events } = machine.intents("transition", { id: "1", to: "processed" });
    const changed = events.find(({ type }) => type === "intent.status_changed");
    assert.deepEqual(changed?.data, {
      intent_id: "1",
      actor: "desk",
      version: 2,
      old_status: "received",
      new_status: "processed",
    });
  });

  test("an id that cannot be part of a lock path is refused at creation", () => {
    const machine = new IntentDecider();
    for (const id of [".", "..", "e\u0301"]) assert.equal(machine.create(id).code, "intents.id_invalid", id);
  });

  test("the general operations on entities cannot write an intent [M10]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    const target = { type: "intent", id: "1" };
    for (const [operation, input] of [
      ["replace-entity", { ...target, value: {} }],
      ["patch-entity", { ...target, merge: { status: "completed" } }],
      ["delete-entity", target],
      ["create-entity", { type: "intent", id: "2", value: {} }],
    ] as const)
      assert.equal(machine.decide(operation, input).code, "intents.own_operations", operation);
  });
});

describe("locks of others", () => {
  test("a status update is refused while another owner holds the lock, and its own owner passes [B2 B3]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    const fence = machine.lock("1", "ann");
    const { code, data } = machine.intents("transition", { id: "1", to: "processed" });
    assert.equal(code, "intents.lock_timeout");
    assert.deepEqual([data["strategy"], data["lock_timeout_ms"]], ["pessimistic", 5_000]);
    assert.equal((data["holders"] as readonly { readonly owner_id: string }[])[0]?.owner_id, "ann");
    assert.equal(machine.intents("transition", { id: "1", to: "processed", fence }).code, "done");
  });

  test("a pessimistic write does not overtake a queued ticket, and an optimistic one does [B2]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.acquire("ann", "intent/1:read");
    machine.wait("bob", "intent/1");
    machine.release("ann", "intent/1");
    machine.wait("eve", "intent/1");
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).code, "intents.lock_timeout");
    machine.release("bob", "intent/1");
    machine.release("eve", "intent/1");
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).code, "done");
  });

  test("a queued ticket for a free intent blocks a pessimistic write and not an optimistic one [B2 X5]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.acquire("ann", "other");
    machine.wait("bob", "intent/1 other");
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).code, "intents.lock_timeout");
    assert.equal(machine.intents("update", { id: "1", changes: { n: 1 } }).code, "done");
  });

  test("an overdue lock does not block a write, and ends in the entry of the write [B3]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.lock("1", "ann", 15);
    machine.time += 15_001;
    const result = machine.intents("transition", { id: "1", to: "processed" });
    assert.equal(result.code, "done");
    assert.equal(result.events[0]?.type, "lock.expired");
  });

  test("strategy none ignores locks and still compares a version that was sent [B2 M1]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.lock("1", "ann");
    const settings = { strategies: { UPDATE_STATUS: "none" } };
    assert.equal(machine.intents("configure", { settings }).code, "input_invalid");
    assert.equal(machine.intents("configure", { settings: { strategies: { update_status: "NONE" } } }).code, "done");
    const stale = { id: "1", to: "processed", expected_version: 7 };
    assert.equal(machine.intents("transition", stale).code, "concurrency_mismatch");
    assert.equal(machine.intents("transition", { id: "1", to: "processed" }).code, "done");
  });

  test("an agent cannot configure intents, and fixed strategies stay fixed for operators [B2 W13]", () => {
    const machine = new IntentDecider();
    const settings = { max_tries: 9 };
    const refused = machine.intents("configure", { settings }, machine.register());
    assert.equal(refused.code, "not_allowed");
    assert.equal(machine.entries.at(-1)?.operation, "intents.configure", "the attempt is in the audit trail");
    const fixed = { strategies: { audit_log: "optimistic" } };
    assert.equal(machine.intents("configure", { settings: fixed }).code, "intents.strategy_fixed");
  });
});

describe("many intents at once", () => {
  test("an update of several intents is one entry for all of them or for none [B6]", () => {
    const machine = new IntentDecider();
    for (const id of ["a", "b", "c"]) machine.create(id);
    const entries = machine.entries.length;
    assert.equal(machine.intents("update-many", { ids: ["c", "a", "b", "a"], to: "processed" }).code, "done");
    assert.equal(machine.entries.length, entries + 1);
    machine.intents("transition", { id: "b", to: "completed" });
    const refused = machine.intents("update-many", { ids: ["c", "b", "a"], to: "corrected", changes: { n: 1 } });
    assert.deepEqual([refused.code, refused.data["intent_id"]], ["intents.transition_invalid", "b"]);
    assert.equal(machine.value("a")["status"], "processed");
    assert.deepEqual(machine.value("a")["payload"], { text: "two chairs" });
  });
});

describe("corrections", () => {
  test("an equal correction is applied once and answered with its first time, also for an ended intent [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1", "processed");
    const first = machine.reevaluate("1", { price: 7 });
    assert.deepEqual(typesOf(first), [
      "entity.merged",
      "intent.status_changed",
      "intent.reevaluated",
      "intent.correction_kept",
    ]);
    machine.time += 60_000;
    const again = machine.reevaluate("1", { payload: { price: 7 } }, { source: "another" });
    assert.equal(again.data["already_applied"], true);
    assert.equal(again.data["applied_at"], first.data["applied_at"]);
    machine.intents("transition", { id: "1", to: "completed" });
    assert.equal(machine.reevaluate("1", { price: 7 }).data["already_applied"], true);
    assert.equal(machine.reevaluate("1", { price: 8 }).code, "intents.transition_invalid");
  });

  test("the order of members does not matter to a correction, and another intent, value or occasion does [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.create("2");
    machine.reevaluate("1", { a: 1, b: { c: 2, d: 3 } });
    assert.equal(machine.reevaluate("1", { b: { d: 3, c: 2 }, a: 1 }).data["already_applied"], true);
    for (const other of [
      machine.reevaluate("2", { a: 1, b: { c: 2, d: 3 } }),
      machine.reevaluate("1", { a: 1, b: { c: 2, d: 4 } }),
      machine.reevaluate("1", { a: 1, b: { c: 2, d: 3 } }, { occasion: "again" }),
    ])
      assert.equal(other.data["already_applied"], false);
    assert.notEqual(correctionIdOf("1", { diff: { a: 1 } }), correctionIdOf("2", { diff: { a: 1 } }));
  });

  test("a correction of a received or normalized intent keeps its status [B4]", () => {
    for (const status of ["received", "normalized"]) {
      const machine = new IntentDecider();
      machine.create("1", status);
      assert.equal(machine.reevaluate("1", { price: 7 }).data["status"], status);
    }
  });

  test("a correction that was overwritten since is applied and not in effect [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.reevaluate("1", { price: 7 });
    assert.equal(machine.reevaluate("1", { price: 7 }).data["in_effect"], true);
    machine.intents("update", { id: "1", changes: { price: 9 } });
    const { data } = machine.reevaluate("1", { price: 7 });
    assert.deepEqual([data["already_applied"], data["in_effect"]], [true, false]);
  });

  test("a deletion of an intent deletes its corrections, so a new intent of the same id starts without them [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.reevaluate("1", { price: 7 });
    assert.equal(machine.intents("delete", { id: "1" }).code, "done");
    machine.create("1");
    assert.equal(machine.reevaluate("1", { price: 7 }).data["already_applied"], false);
  });

  test("a correction waits for a lock that another owner holds, and a known one is answered [B2 B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    machine.reevaluate("1", { price: 7 });
    const fence = machine.lock("1", "ann");
    assert.equal(machine.reevaluate("1", { price: 8 }).code, "intents.lock_timeout");
    assert.equal(machine.reevaluate("1", { price: 7 }).data["already_applied"], true);
    assert.equal(machine.reevaluate("1", { price: 8 }, { fence }).code, "done");
  });

  test("metadata of a correction above 16 KiB is refused [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    const fits = { text: "x".repeat(16 * 1024 - 20) };
    assert.equal(machine.reevaluate("1", { a: 1 }, { metadata: fits }).code, "done");
    const large = { text: "x".repeat(16 * 1024) };
    assert.equal(machine.reevaluate("1", { a: 2 }, { metadata: large }).code, "value_too_large");
  });

  test("a correction without a member is refused in both spellings, and does not count [B4]", () => {
    const machine = new IntentDecider();
    machine.create("1");
    assert.equal(machine.reevaluate("1", { payload: {} }).code, "input_invalid");
    assert.equal(machine.reevaluate("1", {}).code, "input_invalid");
    assert.equal(machine.value("1")["correction_count"], 0);
    assert.equal(machine.reevaluate("1", { payload: {}, other: 1 }).code, "done");
  });
});

/** Random commands of two agents and other callers on a few intents keep the invariants of intents. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { intentStatuses, publishedName } from "@holdfast/sdk/contract";
import { counts } from "../prove/counts.ts";
import { bridgeNames, IntentWorld } from "./intent-world.ts";

/** Commands of locks and runs are frequent, so that runs reach their ends. */
const weights = {
  ...{
    create: 3,
    transition: 1,
    update: 2,
    many: 1,
    reevaluate: 3,
    delete: 1,
    stop: 1,
    patch: 1,
    replace: 1,
    remove: 1,
  },
  ...{ configure: 1, erase: 2, pass: 3, lock: 1, wait: 2, release: 1, part: 1, downgrade: 1, upgrade: 1, transfer: 1 },
  ...{ force: 1, beat: 2, end: 1, begin: 12, run: 2, advance: 16, pause: 1, retry: 2, fail: 2 },
};

const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));

const command = fc.record({
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom("1", "2"),
  owner: fc.constantFrom(0, 0, 0, 1, 1, 2),
  step: fc.constantFrom(...bridgeNames),
  n: fc.integer({ min: 0, max: 2 }),
  to: fc.constantFrom(undefined, undefined, undefined, undefined, ...intentStatuses),
});

const commands = fc.array(command, { minLength: 30, maxLength: 70, size: "max" });

describe("invariants of intents", () => {
  test("random commands keep the table of statuses, dense corrections, ordered steps, live fences and exact audit events [B1 B2 B4 B5 B11]", () => {
    const reached = new Map<string, number>();
    fc.assert(
      fc.property(commands, (list) => {
        const world = new IntentWorld();
        for (const each of list) world.apply(each);
        for (const { events, operation } of world.machine.entries) {
          for (const name of [operation, ...events.map(({ type }) => type)])
            reached.set(name, 1 + (reached.get(name) ?? 0));
          // A watcher by name gets the record of a change, and not the change under the same name too.
          const ofIntents = events.filter(({ subject }) => subject.startsWith("intent/"));
          const names = ofIntents.map((event) => `${publishedName(event)} ${event.subject}`);
          assert.deepEqual(names, [...new Set(names)], operation);
        }
      }),
      { numRuns: counts.intentRuns, seed: 11 },
    );
    // A property about events that never happen proves nothing.
    const expected = ["run_resumed", "run_interrupted", "run_ended", "bridge_failed", "reevaluated", "status_changed"];
    for (const name of expected) assert.ok((reached.get(`intent.${name}`) ?? 0) > 0, name);
  });

  test("the journal of random commands gives the same state from any checkpoint, also without its erased payloads [B10 X9 X10]", () => {
    let erased = 0;
    fc.assert(
      fc.property(commands, (list) => {
        const world = new IntentWorld();
        for (const each of list) world.apply(each);
        erased += world.eraseAll();
        world.assertFolds();
      }),
      { numRuns: counts.intentFolds, seed: 12 },
    );
    assert.ok(erased > 0, "no payload was erased");
  });

  test("the generic operations of entities do not write an intent [B1 B5]", () => {
    const world = new IntentWorld();
    world.apply({ kind: "create", id: "1", to: "received" });
    const before = world.machine.value("1");
    const value = { ...before, status: "completed" };
    const codes = [
      world.machine.decide("patch-entity", { type: "intent", id: "1", merge: { status: "completed" } }),
      world.machine.decide("replace-entity", { type: "intent", id: "1", value }),
      world.machine.decide("create-entity", { type: "intent", id: "2", value }),
      world.machine.decide("delete-entity", { type: "intent", id: "1" }),
    ].map(({ code }) => code);
    assert.deepEqual(new Set(codes), new Set(["intents.own_operations"]));
    assert.deepEqual(world.machine.value("1"), before);
  });
});

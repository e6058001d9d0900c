import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Command, Entry } from "../../server/src/machine/entry.ts";
import type { Feature, Rule } from "../../server/src/machine/feature.ts";
import { Machine, UnknownHistoryError } from "../../server/src/machine/machine.ts";
import { done, refusal } from "../../server/src/machine/refusal.ts";
import type { TableSpec } from "../../server/src/machine/table.ts";

interface Count {
  readonly name: string;
  readonly count: number;
}

const counts: TableSpec<Count, "name"> = { name: "counts", key: (row) => row.name, sorts: { name: (row) => row.name } };

function rule(decide: Rule["decide"]): Rule {
  return { check: (input) => (input === "bad" ? [{ pointer: "", message: "is bad" }] : undefined), decide };
}

const nothing = { tables: [], rules: {}, folds: {}, reactions: {}, timers: [] };

/** Counts its inputs. Input "stale" needs evidence that fits, "fail" throws after half of the events, "odd" creates an event without a fold. */
const counter: Feature = {
  ...nothing,
  name: "counter",
  needs: [],
  tables: [counts],
  rules: {
    add: rule((input: string, { state, command, emit }) => {
      if (input === "refuse") return { outcome: refusal("no", {}), events: [] };
      if (input === "stale" && command.evidence !== "fits") {
        emit({ type: "counter.added", subject: input, data: {} });
        return { outcome: done({}), events: [{ type: "counter.added", subject: input, data: {} }], again: true };
      }
      if (input === "audit") return { outcome: refusal("no", {}), events: [], isAudited: true };
      const type = input === "odd" ? "nobody.knows" : "counter.added";
      const events = [
        { type: "counter.added", subject: input, data: {} },
        { type, subject: input, data: {} },
      ];
      if (input === "fail") throw new Error("a defect");
      return { outcome: done({ before: state.rows(counts).get(input)?.count ?? 0 }), events };
    }),
  },
  folds: {
    "counter.added": (state, event) => {
      const rows = state.rows(counts);
      rows.put({ name: event.subject, count: (rows.get(event.subject)?.count ?? 0) + 1 });
    },
  },
};

/** Reacts to events of the feature it needs, in the same entry. */
const echo: Feature = {
  ...nothing,
  name: "echo",
  needs: ["counter"],
  folds: {
    "echo.heard": (state, event) => {
      state.rows(counts).put({ name: `echo ${event.subject}`, count: 1 });
    },
  },
  reactions: {
    "counter.added": (event) => (event.subject === "loud" ? [{ type: "echo.heard", subject: "loud", data: {} }] : []),
  },
};

const settings = () => ({ rules: 1, idempotencyWindowMs: 1000, stateHashEvery: 1_000_000 });

function machineWith(...features: Feature[]): Machine {
  return new Machine({ features, knownRules: [1], settings });
}

function command(input: string, key?: string): Command {
  return { id: `id ${input}`, operation: "add", principal: "p", input, ...defined({ key }) };
}

const place = { position: 1, time: 5, grace: false, prior: undefined };

describe("machine", () => {
  test("features can be listed in any order, and each is placed after the features that it needs", () => {
    const decided = machineWith(echo, counter).decide(command("loud"), place);
    assert.deepEqual(
      decided.events.map((event) => event.type),
      ["counter.added", "echo.heard", "counter.added", "echo.heard"],
    );
  });

  test("features that need each other or a missing feature are refused by name", () => {
    assert.throws(() => machineWith({ ...counter, needs: ["echo"] }, echo), /counter → echo → counter/);
    assert.throws(() => machineWith(echo), /echo needs counter/);
    assert.throws(
      () => machineWith(counter, { ...counter, name: "other", tables: [] }),
      /two features have a rule for add/,
    );
    assert.throws(
      () => machineWith(counter, { ...nothing, name: "other", needs: [], tables: [counts] }),
      /two tables have the name counts/,
    );
  });

  test("a reaction happens in the same entry, and folding that entry does not react again", () => {
    const machine = machineWith(counter, echo);
    const { entry } = machine.decide(command("loud"), place);
    const lines = [...machine.dump()];
    const replica = machineWith(counter, echo);
    replica.fold(entry as Entry);
    assert.deepEqual([...replica.dump()], lines);
  });

  test("a defect rolls back only its own command, and the other commands of the batch stay", () => {
    const machine = machineWith(counter);
    machine.decide(command("a"), place);
    for (const input of ["fail", "odd"]) {
      const decided = machine.decide(command(input), { ...place, position: 2 });
      assert.deepEqual(decided.outcome, refusal("internal_error", { command_id: `id ${input}` }));
      assert.equal(decided.entry, undefined);
      assert.ok(decided.defect instanceof Error);
    }
    machine.decide(command("b"), { ...place, position: 2 });
    assert.deepEqual(
      [...machine.dump()].map(({ row }) => row),
      [
        { name: "a", count: 2 },
        { name: "b", count: 2 },
      ],
    );
  });

  test("an entry is written for a change, a keyed outcome and an audited refusal, but not for other refusals", () => {
    const machine = machineWith(counter);
    const entryOf = (input: string, key?: string): Entry | undefined =>
      machine.decide(command(input, key), place).entry;
    assert.notEqual(entryOf("a"), undefined);
    assert.notEqual(entryOf("refuse", "k"), undefined);
    assert.notEqual(entryOf("audit"), undefined);
    assert.equal(entryOf("refuse"), undefined);
    assert.equal(entryOf("bad", "k"), undefined);
  });

  test("an unknown operation or invalid input is refused with the pointer and changes nothing", () => {
    const machine = machineWith(counter);
    assert.deepEqual(
      machine.decide({ ...command("a"), operation: "sub" }, place).outcome,
      refusal("operation_unknown", { operation: "sub" }),
    );
    assert.deepEqual(
      machine.decide(command("bad"), place).outcome,
      refusal("input_invalid", { issues: [{ pointer: "", message: "is bad" }] }),
    );
    assert.deepEqual([...machine.dump()], []);
  });

  test("an unknown rules number or an unknown type of event stops the fold, and nothing is skipped [M3]", () => {
    const { entry } = machineWith(counter).decide(command("a"), place);
    const known = entry as Entry;
    assert.throws(() => {
      machineWith(counter).fold({ ...known, rules: 2 });
    }, UnknownHistoryError);
    const odd = { type: "future.thing", subject: "x", data: {} };
    assert.throws(() => {
      machineWith(counter).fold({ ...known, events: [odd] });
    }, /future\.thing/);
  });

  test("evidence that does not fit rolls back its command and records nothing, with a key or without one", () => {
    const machine = machineWith(counter);
    machine.decide(command("a"), place);
    const before = [...machine.dump()];
    for (const key of [undefined, "k"]) {
      for (const evidence of [undefined, "old"]) {
        const stale = { ...command("stale", key), ...defined({ evidence }) };
        const decided = machine.decide(stale, { ...place, position: 2 });
        assert.deepEqual([decided.outcome, decided.events], [refusal("check_stale", { position: 1 }), []]);
        assert.equal(decided.entry, undefined);
      }
    }
    assert.deepEqual([...machine.dump()], before);
    const fits = machine.decide({ ...command("stale"), evidence: "fits" }, { ...place, position: 2 });
    assert.equal(fits.entry?.evidence, "fits");
  });

  test("evidence is not compared when a key is reused [M4]", () => {
    const machine = machineWith(counter);
    const first = machine.decide({ ...command("a", "k"), evidence: 1 }, place).entry as Entry;
    for (const evidence of [{ evidence: 2 }, {}]) {
      const again = machine.decide({ ...command("a", "k"), ...evidence }, { ...place, position: 2, prior: first });
      assert.deepEqual([again.replayed, again.outcome], [true, first.outcome]);
    }
  });

  test("a used key returns the first outcome, and is refused with another input or after its window [M4]", () => {
    const machine = machineWith(counter);
    const first = machine.decide(command("a", "k"), place).entry as Entry;
    const again = machine.decide(command("a", "k"), { ...place, position: 2, time: 1000, prior: first });
    assert.equal(again.replayed, true);
    assert.deepEqual([again.outcome, again.events, again.entry], [first.outcome, first.events, undefined]);
    const other = machine.decide(command("b", "k"), { ...place, prior: first });
    assert.deepEqual([other.outcome, other.replayed], [refusal("idempotency_replay_conflict", { position: 1 }), false]);
    const late = machine.decide(command("a", "k"), { ...place, time: 1006, prior: first });
    assert.deepEqual([late.outcome, late.entry], [refusal("idempotency_key_expired", { position: 1 }), undefined]);
  });
});

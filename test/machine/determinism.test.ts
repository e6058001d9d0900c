import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { entityTable } from "../../server/src/features/entities/entity-table.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { randomOf, sampleHistory, sampleMachine } from "./sample-history.ts";

const history = sampleHistory(7, 900);

function fold(entries: Iterable<Entry>, machine = sampleMachine()): Machine {
  for (const entry of entries) machine.fold(entry);
  return machine;
}

function stateHash(machine: Machine): string {
  const hash = createHash("sha256");
  for (const row of machine.dump()) hash.update(JSON.stringify(row)).update("\n");
  return hash.digest("hex");
}

/** Rows as a checkpoint stores them. */
function throughText<Row>(rows: Iterable<Row>): readonly Row[] {
  return JSON.parse(JSON.stringify([...rows])) as Row[];
}

/** The rows of a scan in its own order. Equal rows in another order are another state. */
function scanned(machine: Machine): string {
  return JSON.stringify(machine.durable.rows(entityTable).scan("subject", { limit: 1000 }));
}

const expected = fold(history);

describe("determinism", () => {
  test("the sample history contains every type of event about entities and refusals", () => {
    const types = new Set(history.flatMap((entry) => entry.events.map((event) => event.type)));
    assert.deepEqual([...types].sort(), [
      "entity.conflict",
      "entity.created",
      "entity.deleted",
      "entity.merged",
      "entity.patched",
      "entity.replaced",
    ]);
    assert.ok(history.some((entry) => entry.outcome.kind === "refusal" && entry.events.length === 0));
    assert.ok(history.length > 500, `only ${String(history.length)} entries`);
  });

  test("folding a history twice gives the same state in the same order", () => {
    const again = fold(history);
    assert.equal(stateHash(again), stateHash(expected));
    assert.equal(scanned(again), scanned(expected));
  });

  test("folding a history that went through JSON text gives the same state for any chunk size", () => {
    const random = randomOf(11);
    const rest = JSON.parse(JSON.stringify(history)) as Entry[];
    const machine = sampleMachine();
    while (rest.length > 0) fold(rest.splice(0, 1 + random(50)), machine);
    assert.equal(stateHash(machine), stateHash(expected));
    assert.equal(scanned(machine), scanned(expected));
  });

  test("loading the state of any position and folding the rest gives the same state in the same order", () => {
    const wanted = stateHash(expected);
    const short = history.slice(0, 120);
    const shortWanted = stateHash(fold(short));
    for (let position = 0; position <= short.length; position += 1) {
      const machine = sampleMachine();
      machine.load(throughText(fold(short.slice(0, position)).dump()));
      assert.equal(stateHash(fold(short.slice(position), machine)), shortWanted, `from position ${String(position)}`);
    }
    const late = sampleMachine();
    late.load(throughText(fold(history.slice(0, 400)).dump()));
    fold(history.slice(400), late);
    assert.equal(stateHash(late), wanted);
    assert.equal(scanned(late), scanned(expected));
  });

  test("deciding every entry again gives the same outcomes and events, byte for byte [M3]", () => {
    const machine = sampleMachine();
    const keyed = new Set<string>();
    for (const entry of history) {
      const { position, time, grace, outcome, events, rules, ...command } = entry;
      const decided = machine.decide(command, { position, time, grace, prior: undefined });
      machine.settle();
      assert.equal(
        JSON.stringify(decided.entry),
        JSON.stringify({ ...command, position, time, rules, grace, outcome, events }),
      );
      const scope = keyScope(entry);
      assert.ok(scope === undefined || !keyed.has(scope), "a key was recorded twice");
      if (scope !== undefined) keyed.add(scope);
    }
    assert.equal(stateHash(machine), stateHash(expected));
  });

  test("deciding and undoing a command leaves the state and its order unchanged", () => {
    const random = randomOf(13);
    const machine = fold(history.slice(0, 300));
    const before = { hash: stateHash(machine), scan: scanned(machine) };
    for (let round = 0; round < 40; round += 1) {
      const start = random(600);
      for (const [index, entry] of history.slice(start, start + 20).entries()) {
        machine.decide(entry, { position: 301 + index, time: 9_000_000, grace: false, prior: undefined });
      }
      machine.undo();
    }
    assert.deepEqual({ hash: stateHash(machine), scan: scanned(machine) }, before);
  });
});

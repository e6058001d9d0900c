import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { agentsFeature } from "../../server/src/features/agents/agents.ts";
import { entitiesFeature } from "../../server/src/features/entities/entities.ts";
import { findEntity } from "../../server/src/features/entities/entity-table.ts";
import { refuse } from "../../server/src/features/entities/kind-refusal.ts";
import { defineKind } from "../../server/src/features/entities/kind.ts";
import { writeAllByKind } from "../../server/src/features/entities/write-by-kind.ts";
import type { KindWrite } from "../../server/src/features/entities/write-by-kind.ts";
import { locksFeature } from "../../server/src/features/locks/locks.ts";
import { machineSettings, spaceFeature } from "../../server/src/features/space/space.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Feature } from "../../server/src/machine/feature.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { done } from "../../server/src/machine/refusal.ts";

const note = defineKind({
  type: "note",
  codes: "notes",
  ownedBy: "notes",
  value: Type.Object({ text: Type.String(), count: Type.Integer() }),
  rule: (next) => (next !== undefined && next.count < 0 ? refuse("negative") : undefined),
});

/** A feature of a pack with one operation: the writes of its input, in one entry. */
const notes: Feature = {
  name: "notes",
  needs: ["entities"],
  tables: [],
  rules: {
    "notes.write": {
      check: () => undefined,
      decide: ({ writes }: { writes: readonly KindWrite[] }, context) => {
        const written = writeAllByKind(
          writes.map((write) => [note, write] as const),
          context,
        );
        return "outcome" in written
          ? written
          : { outcome: done({ versions: written.map(({ data }) => data["version"] ?? 0) }), events: [] };
      },
    },
  },
  folds: {},
  reactions: {},
  timers: [],
};

function newMachine() {
  const features = [spaceFeature, agentsFeature, locksFeature, entitiesFeature([note]), notes];
  const machine = new Machine({ features, knownRules: [1], settings: machineSettings });
  let position = 0;
  return {
    machine,
    write: (...writes: readonly KindWrite[]): { readonly entry: Entry | undefined; readonly outcome: JsonObject } => {
      position += 1;
      const input = { writes } as unknown as Json;
      const command = { id: String(position), operation: "notes.write", principal: "p", input };
      const decided = machine.decide(command, { position, time: position, grace: false, prior: undefined });
      assert.equal(decided.defect, undefined);
      machine.settle();
      return { entry: decided.entry, outcome: decided.outcome as unknown as JsonObject };
    },
    value: (id: string) => findEntity(machine.durable, { type: "note", id })?.value,
  };
}

const short = { text: "a", count: 1 };
const long = { text: "x".repeat(4_000), count: 1 };
const step = (count: number) => [{ op: "replace", path: "/count", value: count }];

test("several writes of a pack share one entry, and a later write sees the earlier ones", () => {
  const { write, value } = newMachine();
  const { entry, outcome } = write(
    { target: { id: "a" }, change: { create: short } },
    { target: { id: "a" }, name: "counted", change: { merge: { count: 2 } } },
    { target: { id: "b" }, change: { value: short } },
    { target: { id: "b" }, change: { delete: true } },
  );
  assert.deepEqual(outcome["data"], { versions: [1, 2, 1, 2] });
  assert.deepEqual(
    entry?.events.map(({ type, subject, data }) => [type, subject, data["name"]]),
    [
      ["entity.created", "note/a", undefined],
      ["entity.merged", "note/a", "counted"],
      ["entity.created", "note/b", undefined],
      ["entity.deleted", "note/b", undefined],
    ],
  );
  assert.deepEqual([value("a"), value("b")], [{ text: "a", count: 2 }, undefined]);
});

test("a refused write rolls back the writes of the same command before it, and no event of them is recorded", () => {
  const { write, value } = newMachine();
  const { entry, outcome } = write(
    { target: { id: "a" }, change: { create: short } },
    { target: { id: "b" }, change: { create: { text: "b", count: -1 } } },
  );
  assert.deepEqual([outcome["code"], entry, value("a")], ["notes.negative", undefined, undefined]);
  assert.deepEqual(write({ target: { id: "a" }, change: { create: short } }).outcome["data"], { versions: [1] });
});

test("a small patch of a large value stays small in the journal, and a patch larger than half of the value becomes the value", () => {
  const { write } = newMachine();
  write({ target: { id: "large" }, change: { create: long } }, { target: { id: "small" }, change: { create: short } });
  const patched = write({ target: { id: "large" }, name: "counted", change: { patch: step(2) } }).entry;
  assert.deepEqual(patched?.events[0]?.data, { version: 2, patch: step(2), name: "counted" });
  const replaced = write({ target: { id: "small" }, name: "counted", change: { patch: step(2) } }).entry;
  assert.deepEqual(replaced?.events[0], {
    type: "entity.replaced",
    subject: "note/small",
    data: { version: 2, value: { text: "a", count: 2 }, name: "counted" },
  });
});

test("every 64th version of an entity records the whole value", () => {
  const { write } = newMachine();
  write({ target: { id: "a" }, change: { create: long } });
  const types = Array.from({ length: 64 }, (_, index) => {
    const { entry } = write({ target: { id: "a" }, change: { patch: step(index + 2) } });
    return entry?.events[0]?.type;
  });
  assert.deepEqual(
    types.flatMap((type, index) => (type === "entity.replaced" ? [index + 2] : [])),
    [64],
  );
});

test("a write of a pack with a stale version is refused, and the conflict is recorded", () => {
  const { write } = newMachine();
  write({ target: { id: "a" }, change: { create: short } });
  const { entry, outcome } = write({ target: { id: "a", expected_version: 7 }, change: { value: long } });
  assert.equal(outcome["code"], "concurrency_mismatch");
  assert.deepEqual(
    entry?.events.map(({ type }) => type),
    ["entity.conflict"],
  );
});

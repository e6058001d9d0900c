import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { start } from "../../server/src/assembly/open.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import { CounterpartScopes } from "../../server/src/engine/counterpart-scope.ts";
import { Engine } from "../../server/src/engine/engine.ts";
import { spaceFeature, machineSettings } from "../../server/src/features/space/space.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import type { Feature } from "../../server/src/machine/feature.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { done } from "../../server/src/machine/refusal.ts";
import { inEmptyFolder } from "../scenario/program.ts";
import { ManualClock, loopTicks } from "./manual-clock.ts";

/** A feature whose decision changes with rules 2, which exist in this test alone. The decision of rules 1 stays callable. */
const greeter: Feature = {
  name: "greeter",
  needs: [],
  tables: [],
  rules: {
    greet: {
      check: () => undefined,
      decide: (_input: null, { rules }) => {
        const words = rules >= 2 ? "good day" : "hello";
        return { outcome: done({ words }), events: [{ type: "greeter.greeted", subject: "all", data: { words } }] };
      },
    },
  },
  folds: { "greeter.greeted": () => undefined },
  reactions: {},
  timers: [],
};

function machineWith(knownRules: readonly number[]): Machine {
  return new Machine({ features: [spaceFeature, greeter], knownRules, settings: machineSettings });
}

async function startWith(knownRules: readonly number[], disk = createMemoryDisk()) {
  const reports: string[] = [];
  const none = () => ({ id: "none", operation: "greet", input: null });
  const engine = await Engine.start({
    journal: openMemoryJournal(disk),
    clock: new ManualClock(),
    ids: systemIds,
    createMachine: () => machineWith(knownRules),
    afterLoss: none,
    afterFork: none,
    erasures: { requestedAfter: () => [], erasedBy: () => undefined, erasedPosition: () => undefined },
    counterparts: new CounterpartScopes({ operation: "none", of: [] }),
    recordHash: none,
    recordedHash: () => undefined,
    report: (message) => reports.push(message),
  });
  const send = (operation: string, input: null | { to: number } = null) =>
    engine.execute({ operation, input, principal: "p", caller: "c", bytes: 0 });
  return { engine, send, disk, reports };
}

/** Starts a build with these rules, writes one entity, and returns the operation and the rules of each entry. */
async function entriesAfterStart(folder: string, rules: readonly number[], id: string): Promise<readonly unknown[]> {
  const { client, services } = await start(folder, { rules });
  await client.entities.create("note", id, {});
  const entries = await services.engine.entriesAfter(0, { entries: 10, bytes: Infinity });
  await client.close();
  return entries.map(({ operation, rules: decidedBy }) => [operation, decidedBy]);
}

describe("rules numbers", () => {
  test("every entry names its rules, an entry raises them, and older entries are decided again by their own rules [M3]", async () => {
    const { engine, send, disk } = await startWith([1, 2]);
    await send("greet");
    await send("raise-rules", { to: 2 });
    await send("greet");
    await engine.stop();
    const entries = await openMemoryJournal(disk).read(0, { entries: 10, bytes: Infinity });
    assert.deepEqual(
      entries.map(({ rules }) => rules),
      [1, 1, 2],
    );
    const machine = machineWith([1, 2]);
    for (const entry of entries) {
      const { position, time, grace, outcome, events } = entry;
      const decided = machine.decide(entry, { position, time, grace, prior: undefined });
      machine.settle();
      assert.deepEqual([decided.outcome, decided.events], [outcome, events]);
    }
  });

  test("rules are raised one number at a time, and never to a number that this build does not have [M3]", async () => {
    const { engine, send } = await startWith([1, 2]);
    const isRefused = async (to: number): Promise<void> => {
      const { outcome } = await send("raise-rules", { to });
      assert.equal(outcome.kind === "refusal" && outcome.code, "rules_unknown");
    };
    await isRefused(3);
    assert.deepEqual((await send("raise-rules", { to: 2 })).outcome, done({ rules: 2 }));
    assert.deepEqual((await send("raise-rules", { to: 2 })).events, []);
    await isRefused(3);
    await engine.stop();
  });

  test("a node stops at rules that it does not know, while it runs and when it starts [M3]", async () => {
    const modern = await startWith([1, 2]);
    const old = await startWith([1], modern.disk);
    await modern.send("raise-rules", { to: 2 });
    await modern.send("greet");
    await loopTicks(5);
    assert.ok(old.reports.some((report) => /this node is stopping: .*rules 2/.test(report)));
    const refused = await old.send("greet");
    assert.equal(refused.outcome.kind === "refusal" && refused.outcome.code, "stopping");
    await assert.rejects(startWith([1], modern.disk), /rules 2, which this build does not know/);
    await modern.engine.stop();
    await old.engine.stop();
  });

  test(
    "a build with newer rules raises them when it starts on a journal that no other node uses [M3]",
    inEmptyFolder(async (folder) => {
      assert.deepEqual(await entriesAfterStart(folder, [1], "a"), [["create-entity", 1]]);
      const raised = [
        ["create-entity", 1],
        ["raise-rules", 1],
        ["create-entity", 2],
      ];
      assert.deepEqual(await entriesAfterStart(folder, [1, 2], "b"), raised);
      assert.deepEqual(await entriesAfterStart(folder, [1, 2], "c"), [...raised, ["create-entity", 2]]);
    }),
  );
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemIds } from "../../server/src/base/ids.ts";
import { Engine } from "../../server/src/engine/engine.ts";
import { spaceFeature, machineSettings } from "../../server/src/features/space/space.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import type { Feature } from "../../server/src/machine/feature.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { done } from "../../server/src/machine/outcome.ts";
import { ManualClock, turns } from "./manual-clock.ts";

/** A feature whose decision changed with rules 2; the old one is still there, as it must be. */
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
    erasures: { askedAfter: () => [], erasedBy: () => undefined, erasedPosition: () => undefined },
    recordHash: none,
    recordedHash: () => undefined,
    report: (message) => reports.push(message),
  });
  const send = (operation: string, input: null | { to: number } = null) =>
    engine.execute({ operation, input, principal: "p", caller: "c", bytes: 0 });
  return { engine, send, disk, reports };
}

describe("the number of the rules", () => {
  test("is in every entry, is raised by an entry, and old entries are decided again by the old rules [M3]", async () => {
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

  test("is raised one by one, and never to one that this build does not carry [M3]", async () => {
    const { engine, send } = await startWith([1, 2]);
    for (const to of [3, 9]) {
      const { outcome } = await send("raise-rules", { to });
      assert.equal(outcome.kind === "refusal" && outcome.code, "rules_unknown");
    }
    assert.deepEqual((await send("raise-rules", { to: 2 })).outcome, done({ rules: 2 }));
    assert.deepEqual((await send("raise-rules", { to: 2 })).events, []);
    await engine.stop();
  });

  test("that a node does not know stops it, while it runs and when it starts; it never skips [M3]", async () => {
    const modern = await startWith([1, 2]);
    const old = await startWith([1], modern.disk);
    await modern.send("raise-rules", { to: 2 });
    await modern.send("greet");
    await turns(5);
    assert.ok(old.reports.some((report) => /this node stops: .*rules 2/.test(report)));
    const refused = await old.send("greet");
    assert.equal(refused.outcome.kind === "refusal" && refused.outcome.code, "stopping");
    await assert.rejects(startWith([1], modern.disk), /rules 2, which this build does not know/);
    await modern.engine.stop();
    await old.engine.stop();
  });
});

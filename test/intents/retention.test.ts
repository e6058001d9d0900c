import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { clientNode } from "../client/client-node.ts";
import type { ClientNode } from "../client/client-node.ts";
import { IntentDecider } from "./intent-decider.ts";

const dayMs = 86_400_000;
const correction = { source: "pricing", reason: "the list changed" };

/** The rows of the tables that hold intents. */
function rowsOf({ machine }: IntentDecider): number {
  const tables = new Set(["entities", "intents", "intent-corrections"]);
  return [...machine.dump()].filter(({ table }) => tables.has(table)).length;
}

async function daysPass({ clock }: ClientNode, days: number): Promise<void> {
  await clock.pass(days * dayMs, dayMs / 4);
}

describe("retention", () => {
  test("an ended intent leaves the state after 30 days with its corrections, and open ones stay [B1]", () => {
    const machine = new IntentDecider();
    machine.create("open", "processed");
    const kept = rowsOf(machine);
    machine.create("ended", "processed");
    machine.reevaluate("ended", { price: 7 });
    machine.intents("transition", { id: "ended", to: "completed" });
    machine.pass(30 * dayMs - 1);
    assert.equal(rowsOf(machine), kept + 3);
    const events = machine.pass(1);
    assert.deepEqual(
      events.map(({ type, subject, data }) => [type, subject, data]),
      [["entity.retired", "intent/ended", { version: 3 }]],
    );
    assert.equal(rowsOf(machine), kept);
    assert.equal(machine.entries.at(-1)?.operation, "intents.retire");
  });

  test("the days are a setting of operators, and a final intent with an open run stays [B1 B2]", () => {
    const machine = new IntentDecider();
    machine.create("1", "processed");
    machine.create("2", "failed");
    const fence = machine.lock("1", "ann", 86_400);
    machine.run("1", fence, ["output", "report"]);
    machine.advance("1", fence, "output", { to: "completed" });
    assert.equal(machine.intents("configure", { settings: { ended_days: 1 } }).data["ended_days"], 1);
    machine.pass(dayMs);
    assert.deepEqual(machine.value("2"), {});
    assert.equal(machine.value("1")["status"], "completed");
    machine.intents("stop", { id: "1", reason: "enough" });
    machine.pass(dayMs);
    assert.deepEqual(machine.value("1"), {});
  });

  test("the state stays bounded by the window while intents end every day, and one entry retires a bounded number [B1]", () => {
    const machine = new IntentDecider();
    machine.intents("configure", { settings: { ended_days: 2 } });
    for (let day = 0; day < 8; day += 1) {
      for (let n = 0; n < 300; n += 1) machine.create(`${day}-${n}`, "completed");
      machine.pass(dayMs);
      assert.ok(rowsOf(machine) <= 2 * 2 * 300, `${rowsOf(machine)} rows on day ${day}`);
    }
    machine.pass(2 * dayMs);
    assert.equal(rowsOf(machine), 0);
    const counts = machine.entries.map(({ events }) => events.filter(({ type }) => type === "entity.retired").length);
    assert.ok(Math.max(...counts) <= 500);
  });

  test("reads find a retired intent in the journal, with its versions and corrections, also after a restart [B1 X9]", async () => {
    let node = await clientNode();
    const { disk, clock } = node;
    const { intents } = node.fresh("ann");
    await intents.create({ id: "1", payload: { n: 1 }, status: "processed" });
    for (const price of [7, 8, 9]) await intents.reevaluate("1", { ...correction, diff: { price } });
    await intents.transition("1", "completed");
    const before = await intents.get("1");
    const versions = await intents.get("1", { version: 2 });
    await daysPass(node, 31);
    const check = async (): Promise<void> => {
      const reader = node.fresh("bob").intents;
      assert.deepEqual((await reader.list()).items, []);
      assert.deepEqual(await reader.get("1"), before);
      assert.deepEqual(await reader.get("1", { version: 2 }), versions);
      assert.deepEqual((await reader.listCorrections("1")).items, before.correctionHistory);
      const page = await reader.listCorrections("1", { after: 1, limit: 1 });
      assert.deepEqual([page.items.map(({ number }) => number), page.next], [[2], 2]);
      assert.equal((await node.client.entities.history("intent", "1")).items[0]?.event, "evt.intent.retired");
      await assert.rejects(reader.transition("1", "failed"), refusedWith("entity_not_found"));
      await assert.rejects(reader.listCorrections("none"), refusedWith("entity_not_found"));
    };
    await check();
    await node.stop();
    node = await clientNode({ disk, clock });
    await check();
    await node.stop();
  });

  test("the id of a retired intent is refused for a new one, and its payload can be erased [B1 M5]", async () => {
    await using node = await clientNode();
    const { intents } = node.fresh("ann");
    const created = await intents.create({ id: "1", payload: { name: "a secret name" }, status: "completed" });
    const erase = () => node.client.run("erase-payload", { position: created.position, reason: "asked for" });
    await assert.rejects(erase(), refusedWith("entry_in_use"));
    await daysPass(node, 31);
    await node.fresh("bob").locks.status("intent/1");
    const again = { id: "1", payload: {} };
    const refused = await refusalOf(intents.create(again, { key: "k" }));
    assert.deepEqual([refused.code, refused.data["intentId"]], ["intents.retired", "1"]);
    assert.equal((await refusalOf(intents.create(again, { key: "k" }))).replayed, true);
    assert.equal((await intents.create({ id: "2", payload: {} }, { key: "k2" })).version, 1);
    assert.equal((await intents.create({ id: "2", payload: {} }, { key: "k2" })).version, 1);
    await erase();
    await assert.rejects(intents.get("1"), refusedWith("entry_erased"));
    await assert.rejects(intents.create(again), refusedWith("intents.retired"));
  });
});

import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entityTable } from "../../server/src/features/entities/entity-table.ts";
import type { EntityRow } from "../../server/src/features/entities/entity-table.ts";
import { clientNode } from "../client/client-node.ts";
import { IntentDecider } from "./intent-decider.ts";

describe("limits of intents", () => {
  test("an intent has a maximum of 1,000 corrections, and a known one is still answered [B4 X15]", () => {
    const machine = new IntentDecider();
    machine.create("1", "processed");
    for (let price = 0; price < 1_000; price += 1) assert.equal(machine.reevaluate("1", { price }).code, "done");
    const entries = machine.entries.length;
    const { code, data } = machine.reevaluate("1", { price: 1_000 });
    assert.deepEqual([code, data["limit"]], ["intents.too_many_corrections", 1_000]);
    assert.equal(machine.reevaluate("1", { price: 7 }).data["already_applied"], true);
    assert.equal(machine.entries.length, entries);
    assert.equal(machine.value("1")["correction_count"], 1_000);
  });

  test("an intent shows its newest 100 corrections, and up to 1,000 if the caller asks for them [B1 B4 X15]", async () => {
    await using node = await clientNode();
    const { intents } = node.fresh("ann");
    await intents.create({ id: "1", payload: {}, status: "processed" });
    for (let price = 1; price <= 101; price += 1) {
      await intents.reevaluate("1", { diff: { price }, source: "pricing", reason: "the list changed" });
    }
    const numbersOf = async (corrections?: number): Promise<readonly number[]> => {
      const { correctionHistory } = await intents.get("1", defined({ corrections }));
      return correctionHistory.map(({ number }) => number);
    };
    const all = Array.from({ length: 101 }, (_, index) => index + 1);
    assert.deepEqual(await numbersOf(), all.slice(1));
    assert.deepEqual([await numbersOf(0), await numbersOf(2), await numbersOf(1_000)], [[], [100, 101], all]);
    await assert.rejects(numbersOf(1_001), { code: "input_invalid" });
  });

  test("an intent keeps the summaries of its last 20 runs, and an older run is read at its version [B5 X9 X15]", async () => {
    await using node = await clientNode();
    const { intents } = node.fresh("ann");
    await intents.create({ id: "1", payload: {}, status: "processed" });
    const pipeline = await intents.bridges([{ name: "count", execute: () => ({ note: "done" }) }], { name: "orders" });
    const versions: number[] = [];
    for (let run = 0; run < 22; run += 1) versions.push((await pipeline.execute("1")).version);
    const { run, runs } = await intents.get("1");
    assert.equal(run?.number, 22);
    assert.deepEqual(
      runs.map(({ number, version }) => [number, version]),
      Array.from({ length: 20 }, (_, index) => [index + 2, versions[index + 1]]),
    );
    const first = await intents.get("1", { version: versions[0] ?? 0 });
    assert.deepEqual([first.run?.number, first.run?.steps["count"]?.note], [1, "done"]);
  });

  test("a page of a list examines at most 1,000 intents, and the next page continues there [X15]", async () => {
    await using node = await clientNode();
    const { intents } = node.fresh("ann");
    const ids = Array.from({ length: 1_001 }, (_, index) => String(index).padStart(4, "0"));
    await Promise.all(ids.map((id) => intents.create({ id, payload: {} })));
    const bridges = ["ask", "send"].map((name) => ({ name, execute: () => ({ pause: "approval" }) }));
    const pipeline = await intents.bridges(bridges, { name: "last" });
    await pipeline.execute("1000");
    const first = await intents.list({ pipeline: "last" });
    assert.deepEqual(first, { items: [], next: "0999" });
    const second = await intents.list({ pipeline: "last", after: first.next });
    assert.deepEqual([second.items.map(({ id }) => id), second.next], [["1000"], null]);
  });

  test("a deleted intent keeps one row of 300 bytes and its id, because its versions continue to count [M5 X15]", () => {
    const machine = new IntentDecider();
    const before = [...machine.machine.dump()].length;
    machine.create("order-1", "processed", { text: "x".repeat(10_000) });
    machine.reevaluate("order-1", { price: 7 });
    assert.equal(machine.intents("delete", { id: "order-1", expected_version: 2 }).code, "done");
    machine.pass(3_650 * 86_400_000);
    const rows = [...machine.machine.dump()].slice(before);
    assert.deepEqual(
      rows.map(({ table, key }) => [table, key]),
      [["entities", "intent/order-1"]],
    );
    assert.equal(entityTable.bytes?.(rows[0]?.row as EntityRow), 300 + "intent".length + 2 * "order-1".length);
    assert.equal(machine.create("order-1").data["version"], 4);
  });
});

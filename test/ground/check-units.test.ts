/** The rows that a thread of checks holds: units in slices, units without use, units on several threads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@holdfast/sdk/json/json";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Check, CheckRow, CheckWork } from "../../server/src/checks/check.ts";
import { checkLimits } from "../../server/src/checks/check-limits.ts";
import type { CheckOrder, OpenCheckPort } from "../../server/src/checks/check-port.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { openInlineRunner } from "../../server/src/checks/inline-runner.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";

/** Each box is a unit with all its items. */
const boxes: Check = {
  name: "boxes/1",
  under: ["item/"],
  unit: (subject) => subject.split("/")[1] ?? "",
  within: (unit) => [`item/${unit}/`],
  module: new URL("memory:boxes"),
};

/** Another check of the same rows. */
const bags: Check = { ...boxes, name: "bags/1" };

/** Answers a question with the sum of the values in a box. */
function boxWork(): CheckWork {
  const rowsByBox = new Map<string, Map<string, CheckRow>>();
  const put = (row: CheckRow): void => void rowsByBox.get(boxes.unit(row.subject))?.set(row.subject, row);
  return {
    load(unit, rows) {
      rowsByBox.set(unit, rowsByBox.get(unit) ?? new Map<string, CheckRow>());
      rows.forEach(put);
    },
    apply({ rows }) {
      rows.forEach(put);
    },
    unload: (unit) => void rowsByBox.delete(unit),
    *prepare() {
      return null;
    },
    *ask(question) {
      const box = question as string;
      const rows = rowsByBox.get(box) ?? assert.fail(`the box ${box} is not loaded`);
      return Array.from(rows.values()).reduce((sum, { value }) => sum + Number(value ?? 0), 0);
    },
  };
}

interface BoxOptions {
  readonly threads?: number;
  readonly loadedBytesMax?: number;
  readonly expectedReports?: readonly string[];
}

async function boxNode(options: BoxOptions = {}) {
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()), kinds: [] });
  /** The orders of each thread. */
  const threads: CheckOrder[][] = [];
  const inline = openInlineRunner({ clock: systemClock, open: boxWork });
  const reports: string[] = [];
  const { expectedReports = [], ...limits } = options;
  let breakThread = (_error: Error): void => undefined;
  const openPort: OpenCheckPort = (on) => {
    const port = inline(on);
    breakThread = on.broken;
    const orders: CheckOrder[] = [];
    threads.push(orders);
    return {
      post(order) {
        orders.push(order);
        port.post(order);
      },
      usedMs: () => Promise.resolve(0),
      close: () => port.close(),
    };
  };
  const runner = new ThreadedCheckRunner({
    ...{ checks: [boxes, bags], source: engine, clock: systemClock, openPort, ...limits },
    observer: { onCheck: () => undefined, onRounds: () => undefined },
    report: (message) => reports.push(message),
  });
  const client = clientOf(servicesOf(engine, { checks: runner }));
  const add = async (box: string, id: string, value: number): Promise<number> =>
    (await client.entities.create("item", `${box}/${id}`, value)).position;
  const sum = (box: string, after = 0): Promise<Json> =>
    runner.ask("boxes/1", { unit: box, question: box, agent: null, after }, new AbortController().signal);
  return {
    ...{ client, threads, add, sum, runner, breakThread: (error: Error) => breakThread(error) },
    async [Symbol.asyncDispose]() {
      await client.close();
      assert.deepEqual(reports, expectedReports);
    },
  };
}

test("a unit of many rows is loaded in slices, and a change during the load is not missed", async () => {
  await using node = await boxNode();
  const count = 2 * checkLimits.sliceRows + 50;
  for (let index = 0; index < count; index += 1) await node.add("a", String(index), 1);
  const asked = node.sum("a");
  const position = await node.add("a", "0a", 1_000);
  assert.ok([count, count + 1_000].includes(Number(await asked)));
  assert.equal(await node.sum("a", position), count + 1_000);
  const slices = node.threads.flat().filter((order) => order.kind === "load");
  assert.deepEqual(
    slices.map(({ rows }) => rows.length <= checkLimits.sliceRows),
    slices.map(() => true),
  );
  assert.ok(slices.length >= 4, `${slices.length} slices`);
});

test("units that were not used for the longest time are unloaded at the limit of bytes, and loaded again when needed", async () => {
  await using node = await boxNode({ loadedBytesMax: 1_000 });
  for (const box of ["a", "b", "c"]) {
    await node.add(box, "1", 1);
    await node.add(box, "2", 2);
  }
  for (const box of ["a", "b", "a", "c"]) assert.equal(await node.sum(box), 3);
  const unloaded = () =>
    node.threads
      .flat()
      .filter((order) => order.kind === "unload")
      .map(({ unit }) => unit);
  assert.deepEqual(unloaded(), ["b"], "a was used after b");
  const position = await node.add("b", "3", 4);
  assert.equal(await node.sum("b", position), 7);
  assert.deepEqual(unloaded(), ["b", "a"]);
});

test("several threads share the units, and each unit stays in one thread", async () => {
  await using node = await boxNode({ threads: 2 });
  const names = Array.from({ length: 12 }, (_, index) => `box-${index}`);
  for (const box of names) await node.add(box, "1", 5);
  for (const _ of [1, 2]) {
    assert.deepEqual(
      await Promise.all(names.map((box) => node.sum(box))),
      names.map(() => 5),
    );
  }
  const loaded = node.threads.map((orders) => orders.filter((order) => order.kind === "load").map(({ unit }) => unit));
  assert.equal(loaded.length, 2);
  const sets = loaded.map((units) => new Set(units));
  assert.ok(sets.every((units) => units.size > 0));
  assert.equal((sets[0]?.size ?? 0) + (sets[1]?.size ?? 0), names.length);
});

test("a new thread gets no decision of a check that it has not loaded", async () => {
  const expectedReports = ["the thread of checks ended; the next check starts a new one: an error"];
  await using node = await boxNode({ expectedReports });
  const { runner, threads } = node;
  const { signal } = new AbortController();
  const request = { id: "c1", unit: "a", operation: "fill", input: null, agent: null, after: 0 };
  await runner.prepare("boxes/1", request, signal);
  node.breakThread(new Error("an error"));
  assert.equal(await runner.ask("bags/1", { unit: "a", question: "a", agent: null, after: 0 }, signal), 0);
  runner.answered("c1", true);
  assert.equal(await runner.ask("bags/1", { unit: "a", question: "a", agent: null, after: 0 }, signal), 0);
  assert.deepEqual(new Set(threads[1]?.map(({ check }) => check)), new Set(["bags/1"]));
});

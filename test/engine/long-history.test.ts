import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode } from "./start-node.ts";

test("every version is found in a history that is longer than what one read scans [M5]", async () => {
  const { engine, client } = await startNode();
  const target = { type: "counter", id: "1" };
  const count = 10_200;
  await client.entities.create("counter", "1", { n: 1 });
  const patch = (n: number) =>
    engine.execute({
      ...{ operation: "patch-entity", input: { ...target, merge: { n } }, bytes: 0 },
      ...{ principal: "local", caller: "test" },
    });
  for (let first = 2; first <= count; first += 1_000) {
    const last = Math.min(first + 999, count);
    await Promise.all(Array.from({ length: last - first + 1 }, (_, index) => patch(first + index)));
  }
  for (const version of [1, 2, 64, 366, 5_000, count - 101, count]) {
    assert.deepEqual((await client.entities.get("counter", "1", { version })).value, { n: version });
  }
  await client.close();
});

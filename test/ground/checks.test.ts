import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf, refusedWith } from "../api/refused-with.ts";
import { checkedNode } from "./checked-node.ts";

const order = (price: number) => ({ price, limit: "a" });

describe("checks of a kind", () => {
  for (const where of ["thread", "inline"] as const) {
    test(`a change is decided together with the evidence of its check (${where})`, async () => {
      await using node = await checkedNode(where);
      const { entities } = node.client;
      await entities.create("limit", "a", { max: 100 });
      await entities.create("order", "1", order(90));
      const refused = await refusalOf(entities.patch("order", "1", { merge: { price: 101 } }));
      assert.deepEqual(
        [refused.code, refused.data],
        ["order.check_failed", { check: "prices/1", errors: [{ code: "too_expensive", max: 100 }] }],
      );
      await entities.patch("order", "1", { merge: { price: 95 } });
      await node.client.run("raise-order", { id: "1", by: 5 });
      await assert.rejects(node.client.run("raise-order", { id: "1", by: 1 }), refusedWith("order.check_failed"));
      await entities.delete("order", "1");
      const { items } = await node.client.journal.list({});
      const evidence = items.filter(({ operation }) => operation !== "configure").map((item) => item.evidence);
      const found = { check: "prices/1", reads: { "limit/a": 1 }, ok: true, errors: [] };
      assert.deepEqual(evidence.slice(-5), [
        undefined,
        { ...found, base: 0 },
        { ...found, base: 1 },
        { ...found, base: 2, next: order(100) },
        { ...found, reads: {}, base: 3 },
      ]);
      assert.deepEqual(node.rounds, [1, 1, 1, 1, 1, 1]);
    });
  }
});

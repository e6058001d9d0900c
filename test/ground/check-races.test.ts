import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusedWith } from "../api/refused-with.ts";
import { checkedNode } from "./checked-node.ts";
import type { CheckedNode } from "./checked-node.ts";

const order = (price: number, limit = "a") => ({ price, limit });

/** A node with a limit of 100 and an order of 90, whose next checks are held back. */
async function heldNode(where: "thread" | "inline" = "inline"): Promise<CheckedNode> {
  const node = await checkedNode(where);
  await node.client.entities.create("limit", "a", { max: 100 });
  await node.client.entities.create("order", "1", order(90));
  node.runs.splice(0);
  node.rounds.splice(0);
  node.hold.begin();
  return node;
}

/** The evidence of all entries, which must fit the state before each entry. */
async function recordedReads(node: CheckedNode): Promise<readonly unknown[]> {
  const { items } = await node.client.journal.list({ subject: "order/1" });
  return items.map(({ evidence }) => (evidence as { readonly reads: unknown }).reads);
}

describe("races of checks", () => {
  test("a check is repeated if something that it read changes before the decision", async () => {
    await using node = await heldNode();
    const { entities } = node.client;
    const raised = entities.patch("order", "1", { merge: { price: 95 } });
    await node.hold.arrival();
    await entities.replace("limit", "a", { max: 92 });
    node.hold.end();
    await assert.rejects(raised, refusedWith("order.check_failed"));
    assert.deepEqual([node.runs, node.rounds], [["done", "done"], [2]]);
    assert.deepEqual(await recordedReads(node), [{ "limit/a": 1 }]);
  });

  test("the second of two changes that only fit one after the other is checked again on the first and refused", async () => {
    await using node = await heldNode();
    const { entities } = node.client;
    const both = [5, 6].map((by) => node.client.run("raise-order", { id: "1", by }));
    await node.hold.arrival();
    node.hold.end();
    const results = await Promise.allSettled(both);
    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const { value } = await entities.get("order", "1");
    assert.ok([95, 96].includes((value as { price: number }).price), "one raise is within the limit, both are not");
    assert.equal(node.engine.head.position, (await entities.get("order", "1")).position);
  });

  test("a dead thread gives check_unavailable, decides nothing, and is replaced", async () => {
    await using node = await heldNode("thread");
    node.hold.end();
    const { entities } = node.client;
    const { position } = node.engine.head;
    await assert.rejects(entities.replace("order", "1", order(666)), refusedWith("check_unavailable"));
    assert.equal(node.engine.head.position, position);
    assert.equal(node.services.checks.status().restarts, 1);
    await entities.replace("order", "1", order(91));
    assert.deepEqual(node.runs, ["unavailable", "done"]);
    assert.match(node.reports.join("\n"), /the thread of checks ended/);
  });

  test("a check that throws gives check_unavailable and a report, and the thread continues", async () => {
    await using node = await heldNode("thread");
    node.hold.end();
    const { entities } = node.client;
    await assert.rejects(entities.replace("order", "1", order(777)), refusedWith("check_unavailable"));
    await entities.replace("order", "1", order(91));
    assert.equal(node.services.checks.status().restarts, 0);
    assert.match(node.reports.join("\n"), /prices\/1 failed: a defect of the check/);
  });

  test("two first uses of one key share one check, and a later use of the key runs none", async () => {
    await using node = await heldNode();
    const send = () =>
      node.client.execute("replace-entity", { type: "order", id: "1", value: order(95) }, { key: "k" });
    const first = send();
    await node.hold.arrival();
    const second = send();
    node.hold.end();
    const replies = [await first, await second, await send()];
    assert.deepEqual(
      replies.map(({ outcome, replayed }) => [outcome.kind, replayed]),
      [
        ["done", false],
        ["done", true],
        ["done", true],
      ],
    );
    assert.equal(new Set(replies.map(({ position }) => position)).size, 1);
    assert.deepEqual(node.runs, ["done"]);
  });

  test("a key is replayed although the check would find something else by then", async () => {
    await using node = await heldNode();
    node.hold.end();
    const input = { type: "order", id: "1", value: order(95) };
    const first = await node.client.execute("replace-entity", input, { key: "k" });
    await node.client.entities.replace("limit", "a", { max: 1 });
    const again = await node.client.execute("replace-entity", input, { key: "k" });
    assert.deepEqual([again.replayed, again.outcome], [true, first.outcome]);
  });

  test("a caller that hangs up cancels its check, and nothing is recorded", async () => {
    await using node = await heldNode();
    const { position } = node.engine.head;
    const caller = new AbortController();
    const gone = node.client.execute(
      "replace-entity",
      { type: "order", id: "1", value: order(95) },
      { signal: caller.signal },
    );
    gone.catch(() => undefined);
    await node.hold.arrival();
    assert.equal(node.services.checks.status().waiting, 1);
    caller.abort();
    assert.equal(node.services.checks.status().waiting, 0);
    node.hold.end();
    await node.client.entities.create("other", "1", 1);
    assert.equal(node.engine.head.position, position + 1);
    assert.deepEqual(node.runs, ["cancelled"]);
  });

  test("a check that never yields is ended after its deadline, and the next check runs in a new thread", async () => {
    await using node = await heldNode("thread");
    node.hold.end();
    const { entities } = node.client;
    const input = { type: "order", id: "1", value: order(888) };
    const stuck = await node.client.execute("replace-entity", input, { deadlineMs: 30 });
    assert.equal(stuck.outcome.kind, "refusal");
    const next = node.client.execute("replace-entity", { type: "order", id: "1", value: order(91) });
    assert.ok((await next).outcome.kind === "refusal", "the stuck thread ends with every check in it");
    await entities.replace("order", "1", order(91));
    assert.equal(node.services.checks.status().restarts, 1);
  });

  test("eight stale rounds give check_contended, and nothing stale is recorded", async () => {
    await using node = await heldNode();
    const { entities } = node.client;
    const contended = entities.patch("order", "1", { merge: { price: 95 } });
    for (let round = 1; round <= 8; round += 1) {
      await node.hold.arrival();
      await entities.replace("limit", "a", { max: 100 + round });
      node.hold.pass();
    }
    await assert.rejects(contended, refusedWith("check_contended"));
    assert.equal(node.runs.length, 8);
    assert.deepEqual(await recordedReads(node), [{ "limit/a": 1 }]);
    node.hold.end();
    await entities.patch("order", "1", { merge: { price: 95 } });
  });

  test("one agent has 4 checks in the thread, its others wait, and 1,000 unfinished checks refuse the next", async () => {
    await using node = await heldNode();
    const { entities } = node.client;
    const all = Array.from({ length: 1_001 }, (_, index) => entities.create("order", `n${index}`, order(1)));
    const refused = all.pop();
    await assert.rejects(refused ?? Promise.resolve(), refusedWith("overloaded"));
    await node.hold.arrival(4);
    assert.equal(node.hold.heldCount, 4);
    node.hold.end();
    await Promise.all(all);
  });
});

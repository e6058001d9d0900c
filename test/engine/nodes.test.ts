import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WatchedEvent } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { loopTicks } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

describe("several nodes on one journal", () => {
  test("a node reads the writes of another node, and exactly one of many writes with the same expectation wins [M1]", async () => {
    const a = await startNode();
    const b = await startNode({ disk: a.disk });
    await a.client.entities.create("document", "1", { n: 0 });
    await loopTicks(3);
    assert.deepEqual((await b.client.entities.get("document", "1")).value, { n: 0 });
    const patches = Array.from({ length: 16 }, (_, n) =>
      (n % 2 === 0 ? a : b).client.entities.patch("document", "1", { merge: { n: n + 1 } }, { expectedVersion: 1 }),
    );
    const results = await Promise.allSettled(patches);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    await loopTicks(3);
    const { items } = await a.client.entities.history("document", "1");
    assert.equal(items.filter(({ event }) => event === "evt.document.conflict").length, 15);
    await a.client.close();
    await b.client.close();
  });

  test("a key that was used on one node is replayed on another node [M4]", async () => {
    const a = await startNode();
    const b = await startNode({ disk: a.disk });
    const input = { type: "document", id: "1", value: { n: 1 } };
    const replies = await Promise.all(
      [a, b, a, b].map(({ client }) => client.execute("create-entity", input, { key: "k" })),
    );
    assert.equal(replies.filter(({ replayed }) => !replayed).length, 1);
    for (const reply of replies) assert.deepEqual({ ...reply, replayed: true }, { ...replies[0], replayed: true });
    await a.client.close();
    await b.client.close();
  });
});

describe("rollback of the journal", () => {
  test("a node that detects a rollback reloads its state, raises the epoch, and refuses tokens of the lost history", async () => {
    const { client, disk, reports } = await startNode();
    await client.entities.create("document", "1", { n: 1 });
    const kept = await client.cursor();
    const lostRevision = (await client.entities.patch("document", "1", { merge: { n: 2 } })).revision;
    await client.entities.create("document", "lost", {});
    const lostCursor = await client.cursor();
    const watching = client.watch();
    const interrupted = refusalOf(watching.next());
    await loopTicks(1);
    disk.truncate(1);
    const written = await client.entities.create("document", "2", {});
    assert.equal((await refusalOf(client.entities.get("document", "lost"))).code, "entity_not_found");
    assert.deepEqual((await client.entities.get("document", "1")).value, { n: 1 });
    assert.match(written.revision, /^2\./);
    assert.equal((await interrupted).code, "cursor_lost");
    assert.ok(reports.some((report) => report.includes("does not hold position")));
    // Version 2 exists again, in the new epoch. The token of the lost version must not match it.
    await client.entities.patch("document", "1", { merge: { n: 3 } });
    const stale = client.entities.replace("document", "1", {}, { expectedRevision: lostRevision });
    assert.equal((await refusalOf(stale)).code, "concurrency_mismatch");
    assert.equal((await refusalOf(client.watch({ after: lostCursor }).next())).code, "cursor_lost");
    const event = (await client.watch({ after: kept }).next()) as IteratorYieldResult<WatchedEvent>;
    assert.equal(event.value.name, "evt.space.epoch_raised");
    await client.close();
  });

  test("a rollback is detected by the hash even if another node has appended past the lost position", async () => {
    const a = await startNode();
    await a.client.entities.create("document", "1", { by: "a" });
    await a.client.entities.create("document", "2", { by: "a" });
    a.disk.truncate(1);
    const b = await startNode({ disk: a.disk });
    await b.client.entities.create("document", "3", { by: "b" });
    await b.client.entities.create("document", "4", { by: "b" });
    await a.client.entities.create("document", "5", { by: "a" });
    const ids = (await a.client.entities.list("document")).items.map(({ id }) => id);
    assert.deepEqual(ids, ["1", "3", "4", "5"]);
    await loopTicks(3);
    assert.deepEqual(
      (await b.client.entities.list("document")).items.map(({ id }) => id),
      ids,
    );
    await a.client.close();
    await b.client.close();
  });
});

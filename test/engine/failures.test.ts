import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf } from "../api/refused-with.ts";
import { loopTicks } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

describe("visibility", () => {
  test("a command is not visible, answered or published before its entry is durable", async () => {
    const { client, journal } = await startNode();
    await client.entities.create("document", "1", { n: 1 });
    const events = client.watch();
    const next = events.next();
    const release = journal.hold();
    let isAnswered = false;
    const patched = client.entities.patch("document", "1", { merge: { n: 2 } }).then((written) => {
      isAnswered = true;
      return written;
    });
    const created = client.entities.create("document", "2", {});
    await loopTicks(3);
    assert.deepEqual((await client.entities.get("document", "1")).value, { n: 1 });
    assert.equal((await refusalOf(client.entities.get("document", "2"))).code, "entity_not_found");
    const list = client.entities.list("document");
    assert.equal(await Promise.race([next.then(() => "published"), loopTicks(2).then(() => "silent")]), "silent");
    assert.equal(isAnswered, false);
    release();
    assert.equal((await patched).version, 2);
    await created;
    assert.deepEqual(
      (await list).items.map(({ id }) => id),
      ["1", "2"],
      "a scan waits for the batch in flight",
    );
    assert.equal((await next).done, false);
    await client.close();
  });
});

describe("failing appends", () => {
  test("after a certain failure the batch is undone, callers get a retry delay, reads work, and writes recover", async () => {
    const { client, journal, clock, reports } = await startNode();
    await client.entities.create("document", "1", { n: 1 });
    journal.failureOf = () => ({ code: "full", certain: true, isWritten: false });
    const refused = await refusalOf(client.entities.patch("document", "1", { merge: { n: 2 } }));
    assert.deepEqual(
      [refused.code, refused.data["reason"], refused.retry],
      ["journal_unavailable", "full", "same-key"],
    );
    const wait = Number(refused.data["retryAfterMs"]);
    assert.ok(wait > 0);
    assert.equal((await refusalOf(client.entities.create("document", "2", {}))).code, "journal_unavailable");
    assert.deepEqual((await client.entities.get("document", "1")).value, { n: 1 });
    assert.deepEqual((await client.entities.list("document")).items.length, 1);
    assert.equal(reports.length, 1);
    journal.failureOf = () => undefined;
    await clock.pass(wait);
    assert.equal((await client.entities.patch("document", "1", { merge: { n: 2 } })).version, 2);
    await client.close();
  });

  test("the delay between attempts doubles with each failure, up to 2 s", async () => {
    const { client, journal, clock } = await startNode();
    journal.failureOf = () => ({ code: "full", certain: true, isWritten: false });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const refused = await refusalOf(client.entities.create("document", "1", {}));
      waits.push(Number(refused.data["retryAfterMs"]));
      await clock.pass(waits.at(-1) ?? 0);
    }
    assert.deepEqual(waits, [50, 100, 200, 400, 800, 1600, 2000, 2000]);
    await client.close();
  });

  test("commands of a written batch with an unknown result are found by their ids, answered, and not run twice", async () => {
    const { client, journal, clock } = await startNode();
    await client.entities.create("counter", "1", { list: [] });
    journal.failureOf = () => ({ code: "io", certain: false, isWritten: true });
    const add = { patch: [{ op: "add" as const, path: "/list/-", value: 1 }] };
    const pending = [
      client.entities.patch("counter", "1", add),
      client.entities.patch("counter", "1", add, { key: "k" }),
    ];
    await loopTicks(5);
    journal.failureOf = () => undefined;
    await clock.pass(200);
    const written = await Promise.all(pending);
    assert.deepEqual(
      written.map(({ version, value }) => [version, value]),
      [
        [2, { list: [1] }],
        [3, { list: [1, 1] }],
      ],
    );
    assert.deepEqual((await client.entities.get("counter", "1")).version, 3);
    await client.close();
  });

  test("commands of a batch with an unknown result that was not written are decided again", async () => {
    const { client, journal, clock } = await startNode();
    journal.failureOf = () => ({ code: "io", certain: false, isWritten: false });
    const pending = client.entities.create("document", "1", {});
    await loopTicks(5);
    journal.failureOf = () => undefined;
    await clock.pass(200);
    assert.equal((await pending).version, 1);
    await client.close();
  });

  test("a command gets outcome_unknown if reads fail until its deadline, and a retry with its key does not run twice", async () => {
    const { client, journal, clock } = await startNode();
    journal.failureOf = () => ({ code: "io", certain: false, isWritten: true });
    const pending = refusalOf(client.entities.create("document", "1", { n: 1 }, { key: "k", deadlineMs: 500 }));
    await loopTicks(3);
    journal.readsFail = true;
    await clock.pass(5000);
    assert.deepEqual([(await pending).code, (await pending).retry], ["outcome_unknown", "same-key"]);
    journal.readsFail = false;
    journal.failureOf = () => undefined;
    await clock.pass(5000);
    const again = await client.execute("create-entity", { type: "document", id: "1", value: { n: 1 } }, { key: "k" });
    assert.deepEqual([again.outcome.kind, again.replayed, again.position], ["done", true, 1]);
    await client.close();
  });

  test("a stop ends during an outage, and commands with an unknown result get outcome_unknown", async () => {
    const { client, journal } = await startNode();
    journal.failureOf = () => ({ code: "io", certain: false, isWritten: false });
    const pending = refusalOf(client.entities.create("document", "1", {}));
    await loopTicks(3);
    journal.readsFail = true;
    await client.close();
    assert.equal((await pending).code, "outcome_unknown");
  });

  test("a command that makes its append invalid is refused alone, and the other commands of its batch are written", async () => {
    const { client, journal, reports } = await startNode();
    journal.failureOf = (batch) =>
      batch.lines.includes("poison") ? { code: "invalid", certain: true, isWritten: false } : undefined;
    const before = client.entities.create("document", "1", {});
    const poison = refusalOf(client.entities.create("document", "2", "poison"));
    const after = client.entities.create("document", "3", {});
    assert.deepEqual([(await before).version, (await after).version], [1, 1]);
    assert.equal((await poison).code, "internal_error");
    assert.ok(reports.length > 0);
    await client.close();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientOf } from "../../server/src/assembly/open.ts";
import { refusalOf } from "../api/refused-with.ts";
import { loopTicks } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

describe("batches", () => {
  test("one append makes all commands durable that arrive together", async () => {
    const { client, journal } = await startNode();
    await Promise.all(Array.from({ length: 100 }, (_, n) => client.entities.create("document", String(n), {})));
    assert.equal(journal.batches.length, 1);
    await client.close();
  });

  test("a batch holds at most a thousand commands", async () => {
    const { client, journal } = await startNode();
    await Promise.all(Array.from({ length: 2500 }, (_, n) => client.entities.create("document", String(n), {})));
    assert.deepEqual(
      journal.batches.map(({ entries }) => entries.length).filter((size) => size > 1000),
      [],
    );
    assert.equal((await client.entities.list("document", { limit: 1000 })).items.length, 1000);
    await client.close();
  });

  test("callers are served round-robin, so a caller with thousands of commands does not delay another one", async () => {
    const { client, services } = await startNode();
    const flood = Array.from({ length: 5000 }, (_, n) => client.entities.create("flood", String(n), {}));
    const other = clientOf(services, { caller: "other" });
    const { position } = await other.entities.create("document", "1", {});
    assert.ok(position <= 2, `the other caller had to wait for ${String(position)} entries`);
    await Promise.all(flood);
    await client.close();
  });

  test("the commands of one caller are decided in their order", async () => {
    const { client } = await startNode();
    const written = await Promise.all([
      client.entities.create("document", "1", { n: 0 }),
      ...Array.from({ length: 1500 }, (_, n) => client.entities.patch("document", "1", { merge: { n: n + 1 } })),
    ]);
    assert.deepEqual(
      written.map(({ version }) => version),
      Array.from({ length: 1501 }, (_, n) => n + 1),
    );
    await client.close();
  });

  test("a command whose deadline has passed is refused and not decided", async () => {
    const { client, clock, journal } = await startNode();
    const release = journal.hold();
    const first = client.entities.create("document", "1", {});
    await loopTicks(2);
    const late = client.entities.create("document", "2", {}, { deadlineMs: 100 });
    const patient = client.entities.create("document", "3", {}, { deadlineMs: 10_000 });
    await clock.pass(200);
    release();
    assert.equal((await refusalOf(late)).code, "deadline_passed");
    assert.equal((await first).version, 1);
    assert.equal((await patient).version, 1);
    assert.equal((await refusalOf(client.entities.get("document", "2"))).code, "entity_not_found");
    await client.close();
  });

  test("a full queue refuses new commands immediately with a retry delay, and loses no queued command", async () => {
    const { client, journal } = await startNode();
    const release = journal.hold();
    const waiting = Array.from({ length: 20_000 }, (_, n) => client.entities.create("document", String(n), {}));
    await loopTicks(1);
    const tooMany = Array.from({ length: 2_000 }, (_, n) => refusalOf(client.entities.create("more", String(n), {})));
    const refused = await Promise.all(tooMany.slice(-100));
    for (const refusal of refused) {
      assert.deepEqual([refusal.code, refusal.retry], ["overloaded", "later"]);
      assert.ok(Number(refusal.data["retryAfterMs"]) > 0);
    }
    release();
    assert.equal((await Promise.all(waiting)).length, 20_000);
    await Promise.allSettled(tooMany);
    await client.close();
  });

  test("a stop answers all queued commands and loses none, and later commands are refused", async () => {
    const { client, journal } = await startNode();
    const release = journal.hold();
    const waiting = Array.from({ length: 3000 }, (_, n) => client.entities.create("document", String(n), {}));
    await loopTicks(1);
    const stopped = client.close();
    assert.equal((await refusalOf(client.entities.create("late", "1", {}))).code, "stopping");
    release();
    const written = await Promise.all(waiting);
    await stopped;
    assert.equal(written.length, 3000);
    assert.equal(
      journal.batches.reduce((sum, { entries }) => sum + entries.length, 0),
      3000,
    );
  });
});

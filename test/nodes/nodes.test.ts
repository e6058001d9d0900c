import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { refusalOf } from "../api/refused-with.ts";
import { granted, queued } from "../locks/lock-node.ts";
import { type PostgresNode, shareJournal, type SharedJournal } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

describe("nodes on one Postgres", () => {
  let postgres: Awaited<ReturnType<typeof processPostgres>>;
  let shared: SharedJournal;
  let nodes: readonly [PostgresNode, PostgresNode, PostgresNode];

  before(async () => {
    postgres = await processPostgres();
    shared = shareJournal(postgres);
    // All at once, on an empty database: one makes the tables, the others wait for it.
    nodes = (await Promise.all([1, 2, 3].map(() => shared.node()))) as [PostgresNode, PostgresNode, PostgresNode];
  });

  after(async () => {
    await shared.close();
  });

  test("a lock taken through one node is denied through another, and on release granted to a waiter at a third [W11 X7]", async () => {
    const [a, b, c] = nodes;
    const held = granted(await a.client.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "ann" }));
    const denied = await refusalOf(
      b.client.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "bob" }),
    );
    assert.equal(denied.code, "lock_denied");
    const waiting = queued(
      await c.client.operations.acquireLock({ paths: ["doc/1"], ttlMs: 60_000, ownerId: "cat", wait: true }),
    );
    const events = c.client.watch();
    const next = events.next();
    await a.client.locks.release({ fence: held.fence }, { ownerId: "ann" });
    // The release is an entry of another node. Only a wake brings it here, because no call polls.
    assert.ok((await next).value !== undefined);
    assert.equal((await c.client.locks.ticket(waiting.ticket)).state, "granted");
    await events.return?.();
  });

  test("a node that catches up reads every acknowledged write of all nodes, and concurrent readers share one query", async () => {
    const [a, b] = nodes;
    for (let n = 0; n < 20; n += 1) {
      const { version } = await a.client.entities.create("note", String(n), { n });
      await Promise.all(Array.from({ length: 5 }, () => b.engine.catchUp()));
      assert.equal((await b.client.entities.get("note", String(n))).version, version);
    }
  });

  test("a key used through one node is known to the others, also at the same moment [M4]", async () => {
    const input = { type: "note", id: "keyed", value: {} };
    const replies = await Promise.all(
      [...nodes, ...nodes].map(({ client }) => client.execute("create-entity", input, { key: "k" })),
    );
    assert.equal(replies.filter(({ replayed }) => !replayed).length, 1);
    for (const reply of replies) assert.deepEqual({ ...reply, replayed: true }, { ...replies[0], replayed: true });
  });

  test("a payload that is erased through one node is shown by no node and replayed by no key [X1]", async () => {
    const [a, b] = nodes;
    const input = { type: "note", id: "erased", value: { text: "a secret text" } };
    const { position } = await a.client.execute("create-entity", input, { key: "erased" });
    await a.client.entities.replace("note", "erased", {});
    await b.client.entities.get("note", "erased");
    await a.client.run("erase-payload", { position, reason: "asked for" });
    for (const { client } of nodes) {
      const listed = JSON.stringify(await client.run("list-journal", { after: position - 1 }));
      assert.doesNotMatch(listed, /a secret text/u);
      const again = await refusalOf(client.run("create-entity", input, { key: "erased" }));
      assert.equal(again.code, "entry_erased");
    }
    assert.deepEqual(await shared.sql("SELECT first FROM batches WHERE lines LIKE '%a secret text%'"), []);
  });

  test("every node announces itself to the others, and all nodes reach the same head", async () => {
    for (const [n, { client }] of nodes.entries()) await client.entities.create("note", `of ${String(n)}`, {});
    await Promise.all(nodes.map(({ engine }) => engine.catchUp()));
    assert.equal(new Set(nodes.map(({ engine }) => engine.head.hash)).size, 1);
    const there = await shared.sql("SELECT DISTINCT objid FROM pg_locks WHERE locktype = 'advisory' AND objid = pid");
    assert.equal(there.length, nodes.length);
  });

  test("a node finds new entries by polling after a lost wake", async () => {
    const [a, b] = nodes;
    const events = b.client.watch({ names: ["evt.note.created"] });
    const next = events.next();
    // A node that does not listen at this moment gets no notification.
    await shared.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast listener'",
    );
    await a.client.entities.create("note", "unheard", {});
    assert.equal(((await next).value as { readonly subject: string }).subject, "note/unheard");
    await events.return?.();
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client as Connection } from "pg";
import { systemClock } from "../../server/src/base/clock.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { type OwnPostgres, startOwnPostgres } from "../scenario/private-postgres.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

const refused =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof JournalError && error.code === "unsupported" && error.certain && pattern.test(error.message);

/** Reports a different process id to each client than its backend has, as poolers do. */
function likeAPooler(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk);
  // BackendKeyData: the letter K, the length 12, the process id of the backend.
  for (let at = changed.indexOf("K\u0000\u0000\u0000\u000c", 0, "latin1"); at >= 0; at = -1) {
    changed.writeUInt32BE(changed.readUInt32BE(at + 5) + 1, at + 5);
  }
  return changed;
}

describe("a Postgres that does not fulfil the requirements is refused with the reason", () => {
  let postgres: OwnPostgres;

  before(async () => {
    postgres = await startOwnPostgres();
  });

  after(() => postgres.stop());

  test("a node refuses a server that does not wait for its disk", async () => {
    await assert.rejects(openPostgresJournal({ url: postgres.url, clock: systemClock }), refused(/fsync is off/));
  });

  test("a node refuses a pooler in front of Postgres", async () => {
    const proxy = await startTcpProxy(postgres.url, { rewrite: likeAPooler });
    const options = { clock: systemClock, allowsFsyncOff: true };
    await assert.rejects(openPostgresJournal({ ...options, url: proxy.url }), refused(/goes through a pooler/));
    await proxy.close();
    const plain = await startTcpProxy(postgres.url);
    await (await openPostgresJournal({ ...options, url: plain.url })).close();
    await plain.close();
  });

  test("a node refuses a missing database and a missing server with the reason", async () => {
    const none = postgres.url.replace(/postgres$/u, "none");
    await assert.rejects(
      openPostgresJournal({ url: none, clock: systemClock }),
      refused(/the database does not exist/),
    );
    const url = "postgres://holdfast@127.0.0.1:1/postgres";
    const isDown = (error: unknown): boolean => error instanceof JournalError && error.code === "io" && error.certain;
    await assert.rejects(openPostgresJournal({ url, clock: systemClock }), isDown);
  });

  test("a node works with only the grants of the guide, including checkpoints, and cannot create a table", async () => {
    const options = { clock: systemClock, allowsFsyncOff: true, tailRows: 4 };
    const first = await startNode({ ...options, url: postgres.url });
    await first.client.entities.create("note", "first", {});
    await first.client.close();
    const guide = readFileSync(join(import.meta.dirname, "..", "..", "docs", "operating", "postgres.md"), "utf8");
    const grants = /```sql\n([^`]+)```/u.exec(guide)?.[1] ?? assert.fail("the guide has no SQL");
    await onServer(postgres.url, grants);
    const url = new URL(postgres.url);
    url.username = "holdfast_node";
    url.password = "choose one";
    for (const round of [1, 2]) {
      const { client, engine } = await startNode({ ...options, url: url.href });
      // The second node starts from the checkpoint of the first one.
      assert.equal(engine.health().saved === undefined, round === 1);
      for (let n = 0; n < 20; n += 1) await client.entities.create("note", `${String(round)} ${String(n)}`, {});
      assert.equal((await client.entities.get("note", "first")).version, 1);
      assert.equal(await engine.checkpoint(), engine.head.position);
      await client.close();
    }
    await assert.rejects(onServer(url.href, "CREATE TABLE holdfast.own (n int)"), /permission denied/);
  });

  test("a node refuses a replica, and begins a new epoch after the replica is promoted to another timeline [X3]", async () => {
    const options = { clock: systemClock, allowsFsyncOff: true, url: postgres.url };
    await postgres.order("stop");
    await postgres.order("standby");
    await postgres.order("start");
    await assert.rejects(openPostgresJournal(options), refused(/it is a replica/));
    await onServer(postgres.url, "SELECT pg_promote()");
    const { client, reports } = await startNode(options);
    const { revision } = await client.entities.create("note", "after", {});
    assert.ok(Number(revision.split(".")[0]) > 1, revision);
    assert.ok(
      reports.some((report) => report.includes("is not the server that last wrote the journal")),
      reports.join(),
    );
    await client.close();
  });
});

async function startNode(options: Parameters<typeof openPostgresJournal>[0]) {
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const engine = await startEngine({ journal: await openPostgresJournal(options), report });
  return { engine, client: clientOf(servicesOf(engine)), reports };
}

async function onServer(url: string, sql: string): Promise<void> {
  const connection = new Connection({ connectionString: url });
  await connection.connect();
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}

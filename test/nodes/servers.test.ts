import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { type OwnPostgres, startOwnPostgres } from "../scenario/private-postgres.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

const refused =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof JournalError && error.code === "unsupported" && error.certain && pattern.test(error.message);

/** Gives every client another number than its backend has, as poolers do. */
function likeAPooler(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk);
  // BackendKeyData: the letter K, the length 12, the number of the backend.
  for (let at = changed.indexOf("K\u0000\u0000\u0000\u000c", 0, "latin1"); at >= 0; at = -1) {
    changed.writeUInt32BE(changed.readUInt32BE(at + 5) + 1, at + 5);
  }
  return changed;
}

describe("a Postgres that can not be trusted is refused with the reason", () => {
  let postgres: OwnPostgres;

  before(async () => {
    postgres = await startOwnPostgres();
  });

  after(() => postgres.stop());

  test("a server that does not wait for its disk", async () => {
    await assert.rejects(openPostgresJournal({ url: postgres.url, clock: systemClock }), refused(/fsync is off/));
  });

  test("a pooler in front of it", async () => {
    const proxy = await startTcpProxy(postgres.url, { rewrite: likeAPooler });
    const options = { clock: systemClock, acceptsForgetfulServer: true };
    await assert.rejects(openPostgresJournal({ ...options, url: proxy.url }), refused(/a pooler stands in front/));
    await proxy.close();
    const plain = await startTcpProxy(postgres.url);
    await (await openPostgresJournal({ ...options, url: plain.url })).close();
    await plain.close();
  });

  test("a database that is not there, and a server that is not there", async () => {
    const none = postgres.url.replace(/postgres$/u, "none");
    await assert.rejects(openPostgresJournal({ url: none, clock: systemClock }), refused(/no such database/));
    const url = "postgres://holdfast@127.0.0.1:1/postgres";
    const isDown = (error: unknown): boolean => error instanceof JournalError && error.code === "io" && error.certain;
    await assert.rejects(openPostgresJournal({ url, clock: systemClock }), isDown);
  });
});

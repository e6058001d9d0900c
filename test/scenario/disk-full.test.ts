/** A disk that is really full: SQLite refuses to grow the file. The tests use the programs on top of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { open } from "holdfast";
import type { CallReply, Client } from "holdfast";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { openWithConnection } from "../conformance/sqlite-folder.ts";
import { ManualClock, loopTicks } from "../engine/manual-clock.ts";
import { inEmptyFolder } from "./program.ts";

const callers = Array.from({ length: 20 }, (_, index) => index);
/** Too large for the free space in the file's last pages. */
const text = "x".repeat(20_000);

interface DiskFullSetup {
  readonly client: Client;
  readonly clock: ManualClock;
  readonly reports: string[];
  readonly connection: DatabaseSync;
}

async function start(folder: string): Promise<DiskFullSetup> {
  const { journal, connection } = await openWithConnection(folder);
  const clock = new ManualClock();
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const client = clientOf(servicesOf(await startEngine({ journal, clock, report })), { report });
  for (const id of callers) await client.entities.create("page", String(id), { text: "", count: 0 });
  return { client, clock, reports, connection };
}

/** Every second caller sends an idempotency key. */
function writeAll(client: Client): Promise<CallReply[]> {
  return Promise.all(
    callers.map((id) => {
      const input = { type: "page", id: String(id), merge: { text, count: 1 }, expected_version: 1 };
      return client.execute("patch-entity", input, id % 2 === 0 ? {} : { key: `write ${id}` });
    }),
  );
}

function waitOf(replies: readonly CallReply[]): number {
  const waits = replies.map(({ outcome }) => {
    assert.ok(outcome.kind === "refusal" && outcome.code === "journal_unavailable", JSON.stringify(outcome));
    assert.equal(outcome.data["reason"], "full");
    return Number(outcome.data["retry_after_ms"]);
  });
  assert.ok(Math.min(...waits) > 0, "each refusal has a retry delay");
  return Math.max(...waits);
}

async function assertUntouched(client: Client, cursor: string): Promise<void> {
  const { items } = await client.entities.list("page");
  assert.deepEqual(
    items.map(({ value, version }) => ({ value, version })),
    callers.map(() => ({ value: { text: "", count: 0 }, version: 1 })),
  );
  assert.equal((await client.entities.history("page", "0")).items.length, 1);
  assert.equal(await client.cursor(), cursor);
}

test(
  "a server with a full disk refuses writes with a retry delay, serves reads, and accepts writes again once there is space [M4]",
  inEmptyFolder(async (base) => {
    const folder = join(base, "data");
    const { client, clock, reports, connection } = await start(folder);
    const cursor = await client.cursor();
    const published = client.watch().next();
    connection.exec("PRAGMA max_page_count = 1");
    let waitMs = 0;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const longerMs = waitOf(await writeAll(client));
      assert.ok(longerMs >= waitMs, "the retry delay does not shrink while the disk stays full");
      waitMs = longerMs;
      await assertUntouched(client, cursor);
      await clock.pass(waitMs);
    }
    assert.equal(reports.length, 1, "the operator gets one report");
    assert.equal(await Promise.race([published.then(() => "published"), loopTicks(3).then(() => "silent")]), "silent");
    connection.exec("PRAGMA max_page_count = 1000000");
    await clock.pass(waitMs);
    const replies = await writeAll(client);
    for (const { outcome, replayed } of replies) assert.deepEqual([outcome.kind, replayed], ["done", false]);
    assert.equal((await published).done, false);
    await client.close();
    await using again = await open(folder);
    const { items } = await again.entities.list("page");
    assert.deepEqual(
      items.map(({ value, version }) => ({ value, version })),
      callers.map(() => ({ value: { text, count: 1 }, version: 2 })),
    );
  }),
);

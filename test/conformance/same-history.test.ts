/** Runs the same commands on every journal. Their results must not depend on the store. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { CallReply } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Ids } from "../../server/src/base/ids.ts";
import type { Head, Journal } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { clientOf, openFolder, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import { processPostgres } from "../nodes/process-postgres.ts";

/** Ids and salts that are the same in every run. */
function countedIds(): Ids {
  let count = 0;
  const next = (): string => (count += 1).toString(16).padStart(32, "0");
  return { unique: next, salts: (wanted) => Array.from({ length: wanted }, next) };
}

type OperationCall = readonly [operation: string, input: Readonly<Record<string, unknown>>, key?: string];

/** Creations, changes, conflicts, refusals with a key, replays, and a lock with a waiter. */
const calls: readonly OperationCall[] = [
  ...Array.from({ length: 30 }, (_, n): OperationCall => [
    "create-entity",
    { type: "note", id: String(n), value: { n } },
  ]),
  ...Array.from({ length: 30 }, (_, n): OperationCall => [
    "patch-entity",
    { type: "note", id: String(n % 7), merge: { n: -n }, expected_version: 1 },
    `key ${String(n % 9)}`,
  ]),
  ["delete-entity", { type: "note", id: "3" }],
  ["create-entity", { type: "note", id: "3", value: { again: true } }],
  ["create-entity", { type: "note", id: "4", value: {} }, "exists"],
  ["create-entity", { type: "note", id: "4", value: {} }, "exists"],
  ["create-entity", { type: "note" }],
  ["acquire-lock", { paths: ["a", "b/c"], owner_id: "ann", ttl_seconds: 60 }],
  ["acquire-lock", { paths: ["b"], owner_id: "bob", ttl_seconds: 60 }],
  ["acquire-lock", { paths: ["b"], owner_id: "bob", ttl_seconds: 60, wait: true }, "bob waits"],
  ["release-lock", { paths: ["a", "b/c"], owner_id: "ann" }],
  ["acquire-lock", { paths: ["b"], owner_id: "bob", ttl_seconds: 60, wait: true }, "bob waits"],
  ["replace-entity", { type: "b", id: "c", value: 1 }],
];

interface HistoryResult {
  readonly replies: readonly CallReply[];
  readonly head: Head;
}

async function historyOn(journal: Journal): Promise<HistoryResult> {
  const clock = new ManualClock();
  const ids = countedIds();
  const engine = await startEngine({ journal, clock, ids, report: () => undefined });
  const client = clientOf(servicesOf(engine, { clock, ids }), { client: { retry: false } });
  const replies: CallReply[] = [];
  for (const [operation, input, key] of calls) {
    replies.push(await client.execute(operation, input, defined({ key })));
  }
  const { head } = engine;
  await client.close();
  return { replies, head };
}

test("the same commands have the same replies, positions, revisions and hashes on memory, SQLite and Postgres [X7 M3]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-same-"));
  const postgres = await processPostgres();
  const schema = `holdfast_same_${String(process.pid)}`;
  const options = { url: postgres.url, clock: systemClock, allowsFsyncOff: true, schema };
  try {
    const memory = await historyOn(openMemoryJournal(createMemoryDisk()));
    const kinds = new Set(memory.replies.map(({ outcome }) => (outcome.kind === "done" ? "done" : outcome.code)));
    for (const kind of ["done", "concurrency_mismatch", "entity_exists", "input_invalid", "lock_denied"]) {
      assert.ok(kinds.has(kind), `${kind} is among ${[...kinds].join()}`);
    }
    assert.ok(memory.replies.some(({ replayed }) => replayed));
    assert.deepEqual(await historyOn(await openFolder(folder)), memory);
    assert.deepEqual(await historyOn(await openPostgresJournal(options)), memory);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

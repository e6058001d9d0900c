import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Client } from "holdfast";
import type { PendingCommand } from "../../server/src/engine/command-queue.ts";
import { findKeyedEntries } from "../../server/src/engine/find-keyed-entries.ts";
import { RecentEntries } from "../../server/src/engine/recent-entries.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { Journal } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { appendSample } from "../conformance/sample-entries.ts";
import { openFolder, withFolder } from "../conformance/sqlite-folder.ts";
import { startNode } from "./start-node.ts";

const send = (client: Client, id: string, key?: string): ReturnType<Client["execute"]> =>
  client.execute("create-entity", { type: "note", id, value: {} }, defined({ key }));

/** Sends a command with an old key and three unrelated commands in one batch. */
async function sendTogether(client: Client, round: string): Promise<readonly unknown[]> {
  const replies = await Promise.all([
    send(client, `${round} a`, `${round} a`),
    send(client, "1", "old"),
    send(client, `${round} b`),
    send(client, `${round} c`, `${round} c`),
  ]);
  return replies.map(({ outcome }) => (outcome.kind === "done" ? "done" : outcome));
}

describe("keys with an unreadable entry", () => {
  test(
    "a key whose segment file is missing is refused as expired, the rest of its batch is written, and the node stays ready [M4]",
    withFolder(async (folder) => {
      const first = await openFolder(folder);
      const before = await startEngine({ journal: first });
      const { position } = await send(clientOf(servicesOf(before)), "1", "old");
      await send(clientOf(servicesOf(before)), "2", "younger");
      await first.archive(position);
      await before.checkpoint();
      await before.stop();
      const [segment = ""] = await readdir(join(folder, "archive"));
      await rename(join(folder, "archive", segment), join(folder, "moved-away"));

      const reports: string[] = [];
      const engine = await startEngine({
        journal: await openFolder(folder),
        report: (message) => reports.push(message),
      });
      const client = clientOf(servicesOf(engine), { client: { retry: false } });
      for (const round of ["first", "second"]) {
        const [a, old, b, c] = await sendTogether(client, round);
        assert.deepEqual([a, b, c], ["done", "done", "done"]);
        assert.deepEqual(old, { kind: "refusal", code: "idempotency_key_expired", data: { position } });
        const { isWritable, reasons, outageMs } = engine.health();
        assert.deepEqual([isWritable, reasons, outageMs], [true, [], 0]);
      }
      assert.deepEqual(reports, []);
      // After the file is restored, the key is replayed.
      await rename(join(folder, "moved-away"), join(folder, "archive", segment));
      const again = await send(client, "1", "old");
      assert.deepEqual([again.outcome.kind, again.replayed, again.position], ["done", true, position]);
      await client.close();
    }),
  );

  test("a key whose entry is damaged is refused alone, does not run again, and is reported to the operator [M4]", async () => {
    const disk = createMemoryDisk();
    const before = await startNode({ disk });
    const { position } = await send(before.client, "1", "old");
    await before.engine.checkpoint();
    await before.client.close();
    const { client, engine, reports } = await startNode({
      disk,
      prepare: (journal) => void failAt(journal, [position], "damaged"),
    });
    const [a, old, b, c] = await sendTogether(client, "first");
    assert.deepEqual([a, b, c], ["done", "done", "done"]);
    const data = { reason: "damaged", retry_after_ms: 1_000 };
    assert.deepEqual(old, { kind: "refusal", code: "journal_unavailable", data });
    assert.equal(engine.health().isWritable, true);
    assert.equal(reports.length, 1);
    assert.match(reports[0] ?? "", new RegExp(`used by the unreadable entry ${String(position)}`));
    await client.close();
  });

  test("an unreadable entry does not hide the entries of other keys, and few reads find it among many", async () => {
    const journal = openMemoryJournal(createMemoryDisk());
    const entries = await appendSample(journal, 256, (index) => ({ key: `key ${String(index)}` }));
    const reads = failAt(journal, [100, 101], "archived");
    const pending = entries.map((command) => ({ command, scope: keyScope(command) }) as unknown as PendingCommand);
    const source = { journal, recent: new RecentEntries(), head: await journal.head(), mustQuery: false };
    const keyed = await findKeyedEntries(pending, source);
    assert.equal(keyed.entries.size, 254);
    const unreadable = [...keyed.unreadable].map(([scope, { position, error }]) => [scope, position, error.code]);
    assert.deepEqual(
      unreadable,
      [100, 101].map((position) => [pending[position - 1]?.scope, position, "archived"]),
    );
    assert.ok(reads.length < 40, `${String(reads.length)} reads`);
    await journal.close();
  });
});

/** Makes reads of these positions fail. Returns the list of all reads. */
function failAt(
  journal: Journal,
  positions: readonly number[],
  code: "archived" | "damaged",
): readonly (readonly number[])[] {
  const reads: (readonly number[])[] = [];
  const readAt = journal.readAt.bind(journal);
  journal.readAt = async (wanted) => {
    reads.push(wanted);
    const bad = wanted.find((position) => positions.includes(position));
    if (bad !== undefined) throw new JournalError(code, `staged: ${code}`, { certain: true, position: bad });
    return readAt(wanted);
  };
  return reads;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PendingCommand } from "../../server/src/engine/command-queue.ts";
import { findKeyedEntries } from "../../server/src/engine/find-keyed-entries.ts";
import { RecentEntries } from "../../server/src/engine/recent-entries.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { genesis } from "../../server/src/journal/seal.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import { appendSample, sampleEntries } from "../conformance/sample-entries.ts";

test("findKeyedEntries returns the entry that used a key, not an entry of a lost history at the same position [M4]", async () => {
  const journal = openMemoryJournal(createMemoryDisk());
  const [used] = await appendSample(journal, 1, () => ({ key: "k" }));
  assert.ok(used !== undefined);
  // This node still holds the entry of the lost history in memory.
  const recent = new RecentEntries();
  recent.push(
    sampleEntries(genesis, 1, () => ({ key: "another", id: "lost" })),
    100,
  );
  const scope = keyScope(used) ?? "";
  const source = { journal, recent, head: await journal.head(), mustQuery: false };
  const { entries } = await findKeyedEntries([{ command: used, scope } as unknown as PendingCommand], source);
  assert.equal(entries.get(scope)?.id, used.id);
  await journal.close();
});

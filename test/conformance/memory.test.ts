import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { appendIndexed, assertSubjects } from "./indexed-sample.ts";
import { journalSuite } from "./journal-suite.ts";
import { sampleBatch } from "./sample-entries.ts";

journalSuite({
  name: "memory",
  isShared: true,
  canArchive: false,
  create() {
    const disk = createMemoryDisk();
    return Promise.resolve({
      open: () => Promise.resolve(openMemoryJournal(disk)),
      crash: () => Promise.resolve(),
      loseIndex: () => Promise.resolve(),
      cleanUp: () => Promise.resolve(),
    });
  },
});

test("a node whose history was lost gets diverged, also after another node has appended past its head", async () => {
  const disk = createMemoryDisk();
  const [one, two] = [openMemoryJournal(disk), openMemoryJournal(disk)];
  await appendIndexed(one, 10, 5);
  const lost = await one.head();
  disk.truncate(7);
  assert.equal((await two.head()).position, 5);
  await assertSubjects(two, 5);
  assert.deepEqual(await one.append(sampleBatch(lost, 1)), { kind: "diverged" });
  await appendIndexed(two, 5, 1);
  assert.deepEqual(await one.append(sampleBatch(lost, 1)), { kind: "diverged" });
  assert.equal((await one.head()).position, 10);
  await assertSubjects(one, 10);
});

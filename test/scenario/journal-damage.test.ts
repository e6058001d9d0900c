import assert from "node:assert/strict";
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { batchLine } from "../../server/src/journal/batch-line.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import { openSqliteReader } from "../../server/src/journal/sqlite/folder/sqlite-reader.ts";
import { unsealAll } from "../../server/src/journal/unseal.ts";
import { appendSample, everything } from "../conformance/sample-entries.ts";
import { failure, withFolder } from "../conformance/sqlite-folder.ts";
import { openJournal, prepare } from "./journal-work.ts";
import { execChildSync } from "./spawn-child.ts";
import { counts } from "../prove/counts.ts";

/** A folder after a crash: segments, a database, and a write-ahead log with commits that are in no other file. */
async function leaveAfterCrash(folder: string): Promise<string> {
  await prepare(folder, "checkpoint");
  const journal = await openJournal(folder);
  for (let count = 0; count < 12; count += 1) await appendSample(journal, 3);
  // By another process: opening and closing a database file here would drop the locks that this process has on it.
  execChildSync("cp", ["-r", folder, `${folder}-crashed`]);
  await journal.close();
  return `${folder}-crashed`;
}

function flip(path: string, bit: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, bit >> 3);
  byte[0] = (byte[0] ?? 0) ^ (1 << (bit & 7));
  writeSync(file, byte, 0, 1, bit >> 3);
  closeSync(file);
}

/** All verified batches as text, or the fault that was found. */
function readVerified(folder: string): string {
  // A crash of the machine leaves no such file. With an old one, SQLite would not read the log again.
  rmSync(join(folder, "journal.db-shm"), { force: true });
  try {
    const reader = openSqliteReader(folder);
    try {
      const faults = reader.verifyFiles();
      if (faults.length > 0) return "found";
      let [previous, text] = ["0".repeat(64), ""];
      for (const batch of reader.batches(1)) {
        unsealAll(batch, previous);
        previous = batch.hash;
        text += batchLine(batch);
      }
      return text;
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof JournalError) return "found";
    throw error;
  }
}

for (const [file, mustBeFound] of [
  ["journal.db", 0.5],
  ["journal.db-wal", 0.9],
  ["archive/000000000001-000000000100.ndjson.gz", 1],
] as const) {
  test(
    `a flipped bit anywhere in ${file} is detected, or is in unused space [X1]`,
    withFolder(async (base) => {
      const folder = await leaveAfterCrash(base);
      const whole = readVerified(folder);
      assert.notEqual(whole, "found");
      const path = join(folder, file);
      const bits = statSync(path).size * 8;
      let [tries, found] = [0, 0];
      fc.assert(
        fc.property(fc.integer({ min: 0, max: bits - 1 }), (bit) => {
          flip(path, bit);
          const seen = readVerified(folder);
          flip(path, bit);
          tries += 1;
          if (seen === "found") found += 1;
          else assert.ok(seen === whole, `bit ${bit & 7} of byte ${bit >> 3} changes what is read and is not detected`);
        }),
        { numRuns: counts.journalDamages },
      );
      assert.equal(readVerified(folder), whole);
      assert.ok(found / tries >= mustBeFound, `${found} of ${tries} were detected`);
    }),
  );
}

test(
  "a missing or damaged segment is reported when it is needed, and all other reads work [X9]",
  withFolder(async (folder) => {
    await prepare(folder, "checkpoint");
    const path = join(folder, "archive/000000000001-000000000100.ndjson.gz");
    const journal = await openJournal(folder);
    flip(path, 4 * statSync(path).size);
    await assert.rejects(journal.read(0, everything), failure("damaged"));
    rmSync(path);
    await assert.rejects(
      journal.read(3, everything),
      failure("archived", { says: /1 to 100 .*000000000100.ndjson.gz/ }),
    );
    await assert.rejects(journal.readAt([200, 100]), failure("archived"));
    assert.equal((await journal.read(100, everything)).length, 140);
    await appendSample(journal, 1);
    await journal.close();
    const again = await openJournal(folder);
    assert.equal((await again.head()).position, 241);
    await again.close();
  }),
);

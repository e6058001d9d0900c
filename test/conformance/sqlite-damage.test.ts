import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { type Journal, JournalError } from "../../server/src/journal/journal.ts";
import { appendIndexed, assertSubjects, scopeOf } from "./indexed-sample.ts";
import { appendSample, everything } from "./sample-entries.ts";
import { failure, openFolder, tamper, withFolder } from "./sqlite-folder.ts";
import { counts } from "../prove/counts.ts";

/** Three batches: positions 1 to 3, 4 to 5, 6 to 9. */
async function openThreeBatches(folder: string): Promise<Journal> {
  const journal = await openFolder(folder);
  for (const count of [3, 2, 4]) await appendSample(journal, count);
  return journal;
}

test(
  "a read of a batch with any changed character throws an error that names a position in that batch [X1]",
  withFolder(async (folder) => {
    const journal = await openThreeBatches(folder);
    const database = new DatabaseSync(join(folder, "journal.db"));
    const rows = database.prepare("SELECT first, count, lines FROM batches").all() as unknown as BatchRow[];
    const update = database.prepare("UPDATE batches SET lines = ? WHERE first = ?");
    const place = fc.record({ row: fc.constantFrom(...rows), share: fc.double({ min: 0, max: 1, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom("0", "x", '"', "\n", "✨", ""), async ({ row, share }, other) => {
        const at = Math.floor(share * (row.lines.length - 1));
        fc.pre(row.lines[at] !== other);
        update.run(row.lines.slice(0, at) + other + row.lines.slice(at + 1), row.first);
        await assert.rejects(journal.read(0, everything), isDamageWithin(row));
        update.run(row.lines, row.first);
      }),
      { numRuns: counts.journalDamages },
    );
    database.close();
    assert.equal((await journal.read(0, everything)).length, 9);
    await journal.close();
  }),
);

interface BatchRow {
  readonly first: number;
  readonly count: number;
  readonly lines: string;
}

function isDamageWithin({ first, count }: BatchRow) {
  return (error: unknown): boolean => {
    if (!(error instanceof JournalError) || error.code !== "damaged" || error.position === undefined) return false;
    return error.position >= first && error.position < first + count;
  };
}

for (const [change, position, says] of [
  ["hash = replace(hash, substr(hash, 1, 1), 'z')", 4, /header/],
  ["previous = hash", 4, /chain/],
  ["time = time + 1", 4, /header/],
  ["count = 1", 4, /header/],
  ["first = 14", 4, /chain/],
  ["lines = replace(lines, '\"mode\"', '\"modes\"')", 4, /payload/],
  ['lines = replace(lines, \'{"paths":\', \'{"more":1,"paths":\')', 4, /payload/],
  ["lines = replace(lines, 'tester', 'taster')", 4, /header/],
] as const) {
  test(
    `every read of a batch with ${change} reports damage (${says.source}) [X1]`,
    withFolder(async (folder) => {
      const journal = await openThreeBatches(folder);
      const [, , , fourth] = await journal.read(0, everything);
      const heads = await journal.follow({ position: 0, hash: "0".repeat(64), time: 0 }, { entries: 1, bytes: 1 });
      assert.ok(heads.kind === "followed" && fourth !== undefined);
      tamper(folder, "journal.db", `UPDATE batches SET ${change} WHERE first = 4`);
      await assert.rejects(journal.read(0, everything), failure("damaged", { position, says }));
      await assert.rejects(journal.read(3, everything), failure("damaged", { position, says }));
      await assert.rejects(journal.follow(heads.head, everything), failure("damaged", { position, says }));
      await assert.rejects(journal.readAt([4]), failure("damaged", { position }));
      assert.equal((await journal.read(0, { entries: 3, bytes: 1e9 })).length, 3, "earlier entries are readable");
      await journal.close();
    }),
  );
}

test(
  "a read across a deleted batch throws an error instead of a shorter answer [X1]",
  withFolder(async (folder) => {
    const journal = await openThreeBatches(folder);
    tamper(folder, "journal.db", "DELETE FROM batches WHERE first = 4");
    await assert.rejects(journal.read(0, everything), failure("damaged", { position: 4, says: /chain/ }));
    await assert.rejects(journal.readAt([5]), failure("damaged", { position: 5 }));
    await journal.close();
  }),
);

test(
  "a journal whose last batch is damaged does not open, and releases the folder",
  withFolder(async (folder) => {
    await (await openThreeBatches(folder)).close();
    tamper(folder, "journal.db", "UPDATE batches SET time = time + 1 WHERE first = 6");
    await assert.rejects(openFolder(folder), failure("damaged", { position: 6 }));
    tamper(folder, "journal.db", "UPDATE batches SET time = time - 1 WHERE first = 6");
    await (await openFolder(folder)).close();
  }),
);

test(
  "an index file that is not a database, or has a newer format, is rebuilt [P5]",
  withFolder(async (folder) => {
    const journal = await openFolder(folder);
    await appendIndexed(journal, 60, 7);
    await journal.close();
    await writeFile(join(folder, "index.db"), "nonsense ".repeat(999));
    const again = await openFolder(folder);
    await assertSubjects(again, 60);
    await again.close();
    tamper(folder, "index.db", "PRAGMA user_version = 99");
    const third = await openFolder(folder);
    await assertSubjects(third, 60);
    await third.close();
  }),
);

test(
  "an index of another history is rebuilt, also if only an unfinished flush is of that history",
  withFolder(async (folder) => {
    const other = `${folder}-other`;
    for (const [place, key] of [
      [folder, "mine"],
      [other, "ghost"],
    ] as const) {
      const journal = await openFolder(place);
      await appendSample(journal, 3, () => ({ key }));
      await journal.close();
    }
    await cp(join(other, "index.db"), join(folder, "index.db"));
    await assertFound(folder, [1, undefined]);
    tamper(folder, "index.db", "UPDATE cover SET hash = 'of a lost batch' WHERE name = 'begun'");
    tamper(folder, "index.db", "UPDATE keys SET position = 77");
    await assertFound(folder, [1, undefined]);
  }),
);

test(
  "an index of another history is rebuilt even if it has no rows",
  withFolder(async (folder) => {
    const other = `${folder}-other`;
    const [mine, theirs] = [await openFolder(folder), await openFolder(other)];
    await appendSample(mine, 1, () => ({ key: "mine" }));
    await appendSample(theirs, 1, () => ({ events: [] }));
    await mine.close();
    await theirs.close();
    await cp(join(other, "index.db"), join(folder, "index.db"));
    await assertFound(folder, [1, undefined]);
  }),
);

async function assertFound(folder: string, expected: readonly (number | undefined)[]): Promise<void> {
  const journal = await openFolder(folder);
  assert.deepEqual(await journal.findKeys(["mine", "ghost"].map(scopeOf)), expected);
  await journal.close();
}

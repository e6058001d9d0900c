import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { LocalJournal } from "../../server/src/journal/journal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { appendSample } from "../conformance/sample-entries.ts";
import { withFolder } from "../conformance/sqlite-folder.ts";
import { execChildSync } from "./spawn-child.ts";

async function saveOne(journal: LocalJournal): Promise<void> {
  await appendSample(journal, 2);
  const draft = journal.checkpoints.begin(journal.checkpoints.list()[0]?.head);
  draft?.write([{ table: "t", key: "k", line: "1" }]);
  draft?.commit({ head: await journal.head(), rules: 1, stateHash: "x" });
}

function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "checkpoint.db"));
  database.exec(sql);
  database.close();
}

for (const [what, harm, isReported] of [
  [
    "is not a database",
    (folder: string) => writeFileSync(join(folder, "checkpoint.db"), "no database".repeat(1_000)),
    true,
  ],
  ["has a newer format", (folder: string) => tamper(folder, "PRAGMA user_version = 9"), true],
  ["has lost a table", (folder: string) => tamper(folder, "DROP TABLE versions"), true],
  ["is a fold of another history", (folder: string) => tamper(folder, "UPDATE checkpoints SET hash = 'other'"), false],
] as const) {
  test(
    `a checkpoint file that ${what} is replaced by a new one, and the journal works`,
    withFolder(async (folder) => {
      const errors: unknown[] = [];
      const onCheckpointError = (error: unknown): void => void errors.push(error);
      const open = (): Promise<LocalJournal> => openSqliteJournal({ folder, startedAt: "now", onCheckpointError });
      const journal = await open();
      await saveOne(journal);
      await journal.close();
      harm(folder);
      const again = await open();
      assert.deepEqual(again.checkpoints.list(), []);
      assert.equal(errors.length, isReported ? 1 : 0);
      await saveOne(again);
      assert.equal(again.checkpoints.list().length, 1);
      await again.close();
    }),
  );
}

test(
  "a checkpoint uses space for its current rows only, not for changed rows and abandoned drafts",
  withFolder(async (folder) => {
    const journal = await openSqliteJournal({ folder, startedAt: "now" });
    const line = "x".repeat(200);
    let saved = -1;
    for (let round = 0; round < 60; round += 1) {
      await appendSample(journal, 1);
      const { checkpoints } = journal;
      const draft = checkpoints.begin(checkpoints.list()[0]?.head);
      // Half of the rows appear and disappear, as leases do. Every third draft is abandoned.
      const rows = Array.from({ length: 200 }, (_, index) => ({
        table: "t",
        key: `${(round % 2) * 100 + index}`,
        line,
      }));
      const gone = Array.from({ length: 100 }, (_, index) => ({
        table: "lease",
        key: `${saved}-${index}`,
        line: undefined,
      }));
      const leases = gone.map(({ table }, index) => ({ table, key: `${round}-${index}`, line }));
      for (const slice of [rows, gone, leases]) draft?.write(slice);
      if (round % 3 === 2) draft?.abandon();
      else {
        draft?.commit({ head: await journal.head(), rules: 1, stateHash: "x" });
        saved = round;
      }
    }
    execChildSync("cp", [join(folder, "checkpoint.db"), join(folder, "checkpoint.db-wal"), `${folder}/..`]);
    const database = new DatabaseSync(join(folder, "..", "checkpoint.db"));
    const count = Number(database.prepare("SELECT count(*) AS count FROM versions").get()?.["count"]);
    database.close();
    await journal.close();
    assert.ok(count < 1_500, `${count} versions of some 400 rows are kept, of 24,000 that were written`);
  }),
);

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { appendIndexed, assertSubjects } from "./indexed-sample.ts";
import { appendSample, everything, sampleBatch } from "./sample-entries.ts";
import { failure, openFolder, openWithConnection, tamper, withFolder } from "./sqlite-folder.ts";
import { watchIndexThread } from "./watched-index-thread.ts";

const big = "x".repeat(100_000);

for (const [name, code, start, end] of [
  ["a full disk", "full", "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"],
  ["a read-only file", "read_only", "PRAGMA query_only = 1", "PRAGMA query_only = 0"],
] as const) {
  test(
    `an append on ${name} fails with certain: true, reads work, and appends work again when the cause ends`,
    withFolder(async (folder) => {
      const { journal, connection } = await openWithConnection(folder);
      await appendIndexed(journal, 60, 7);
      const before = await journal.head();
      connection.exec(start);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await assert.rejects(
          appendSample(journal, 1, () => ({ input: big })),
          failure(code, { certain: true }),
        );
        assert.equal(connection.isTransaction, false, "no transaction is open that a later commit could include");
        assert.deepEqual(await journal.head(), before);
        assert.equal((await journal.read(0, everything)).length, 60);
        await assertSubjects(journal, 60);
      }
      connection.exec(end);
      await appendIndexed(journal, 10, 1);
      await assertSubjects(journal, 70);
      await journal.close();
    }),
  );
}

test(
  "a refused batch leaves no transaction open [W7]",
  withFolder(async (folder) => {
    const { journal, connection } = await openWithConnection(folder);
    await appendSample(journal, 1, () => ({ time: 5000 }));
    const head = await journal.head();
    await journal.append(sampleBatch({ ...head, hash: "f".repeat(64) }, 1));
    assert.equal(connection.isTransaction, false);
    await assert.rejects(journal.append(sampleBatch({ ...head, time: 0 }, 1)), failure("invalid"));
    assert.equal(connection.isTransaction, false);
    await journal.close();
  }),
);

test(
  "an append fails with certain: true while another program locks the file, and works again afterwards",
  withFolder(async (folder) => {
    const journal = await openFolder(folder);
    await appendSample(journal, 1);
    const other = new DatabaseSync(join(folder, "journal.db"));
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(appendSample(journal, 1), failure("busy", { certain: true }));
    assert.equal((await journal.read(0, everything)).length, 1);
    other.exec("ROLLBACK");
    other.close();
    await appendSample(journal, 1);
    assert.equal((await journal.read(0, everything)).length, 2);
    await journal.close();
  }),
);

test(
  "an append returns behind, and overwrites nothing, after another connection has written a batch",
  withFolder(async (folder) => {
    const journal = await openFolder(folder);
    const { after, head, entries, lines } = sampleBatch(await journal.head(), 2);
    const other = new DatabaseSync(join(folder, "journal.db"));
    other
      .prepare("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?)")
      .run(1, entries.length, head.time, after.hash, head.hash, lines);
    other.close();
    assert.deepEqual(await journal.append(sampleBatch(after, 1)), { kind: "behind" });
    assert.deepEqual(await journal.read(0, everything), entries);
    const found = await journal.findSubject({ subject: "lock/project/2", order: "oldest-first", limit: 9 });
    assert.deepEqual(found, [2], "the index holds that batch too");
    await journal.close();
  }),
);

test(
  "an error of the index fails no append and no search, and ends when its cause ends",
  withFolder(async (folder) => {
    const errors: unknown[] = [];
    const onIndexError = (error: unknown): void => void errors.push(error);
    const watched = watchIndexThread();
    const options = { folder, startedAt: "today", tailRows: 40, openThread: watched.openThread, onIndexError };
    const journal = await openSqliteJournal(options);
    const other = new DatabaseSync(join(folder, "index.db"));
    other.exec("BEGIN IMMEDIATE");
    await appendIndexed(journal, 60, 20);
    await watched.settled();
    assert.ok(errors.length > 0);
    await assertSubjects(journal, 60);
    other.exec("ROLLBACK");
    await appendIndexed(journal, 600, 10);
    await assertSubjects(journal, 660);
    await watched.settled();
    assert.ok(Number(other.prepare("SELECT count(*) AS rows FROM subjects").get()?.["rows"]) > 100, "it was flushed");
    other.close();
    await journal.close();
  }),
);

test(
  "a journal whose index cannot be flushed still closes, and the next open folds the rest",
  withFolder(async (folder) => {
    const journal = await openFolder(folder);
    await appendIndexed(journal, 60, 20);
    const other = new DatabaseSync(join(folder, "index.db"));
    other.exec("BEGIN IMMEDIATE");
    await journal.close();
    other.close();
    const again = await openFolder(folder);
    await assertSubjects(again, 60);
    await again.close();
  }),
);

test(
  "a newer format or another space is refused with a clear message, and the folder is released",
  withFolder(async (folder) => {
    await (await openFolder(folder)).close();
    tamper(folder, "journal.db", "PRAGMA user_version = 9");
    await assert.rejects(openFolder(folder), failure("unsupported", { says: /format 9.*newer/ }));
    tamper(folder, "journal.db", "PRAGMA user_version = 1");
    const other = openSqliteJournal({ folder, startedAt: "today", space: "other" });
    await assert.rejects(other, failure("unsupported", { says: /space main, not other/ }));
    await (await openFolder(folder)).close();
  }),
);

test(
  "the folder is accessible to its user only, the journal mode is WAL, and every commit is synced [W7]",
  withFolder(async (folder) => {
    const { journal, connection } = await openWithConnection(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(connection.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "wal");
    assert.equal(connection.prepare("PRAGMA synchronous").get()?.["synchronous"], 2);
    await journal.close();
  }),
);

test(
  "a read that stops early leaves no open reader, which would block the truncation of the WAL [W7]",
  withFolder(async (folder) => {
    const { journal, connection } = await openWithConnection(folder);
    for (let batch = 0; batch < 5; batch += 1) await appendSample(journal, 2);
    await journal.read(0, { entries: 3, bytes: 1e9 });
    await journal.follow({ position: 0, hash: "0".repeat(64), time: 0 }, { entries: 1, bytes: 1 });
    assert.equal(connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"], 0);
    await journal.close();
  }),
);

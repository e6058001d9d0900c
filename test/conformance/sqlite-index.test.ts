import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { execPath } from "node:process";
import { test } from "node:test";
import { indexHash } from "../../server/src/journal/index-hash.ts";
import { createKeyFilter } from "../../server/src/journal/sqlite/index/key-filter.ts";
import { openIndexThread } from "../../server/src/journal/sqlite/index/index-thread.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { execChild } from "../scenario/spawn-child.ts";
import { appendIndexed, assertSubjects, scopeOf } from "./indexed-sample.ts";
import { appendSample } from "./sample-entries.ts";
import { openFolder, tamper, withFolder } from "./sqlite-folder.ts";
import { watchIndexThread } from "./watched-index-thread.ts";

const startedAt = "today";

function rowsIn(folder: string, table: "keys" | "subjects"): number {
  const database = new DatabaseSync(join(folder, "index.db"), { readOnly: true });
  try {
    return Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
  } finally {
    database.close();
  }
}

test(
  "the index thread writes what the journal holds, and searches find every entry before, during and after a flush [P5]",
  withFolder(async (folder) => {
    const watched = watchIndexThread();
    const journal = await openSqliteJournal({ folder, startedAt, tailRows: 200, openThread: watched.openThread });
    await appendIndexed(journal, 60, 20);
    assert.equal(watched.flushCount(), 0, "a short journal needs no thread");
    await appendIndexed(journal, 240, 20);
    await assertSubjects(journal, 300);
    await watched.settled();
    assert.ok(watched.flushCount() > 0);
    assert.ok(rowsIn(folder, "subjects") >= 150, "the thread wrote the rows");
    await assertSubjects(journal, 300);
    await journal.close();
    assert.equal(rowsIn(folder, "subjects"), 300);
    const again = await openFolder(folder);
    await assertSubjects(again, 300);
    await again.close();
  }),
);

test(
  "a program whose append waits for the index thread does not end before the append",
  withFolder(async (folder) => {
    const program = join(import.meta.dirname, "append-quickly.ts");
    assert.equal((await execChild(execPath, [program, folder])).stdout, "1600\n");
  }),
);

test(
  "a key that was never used costs no query, and every used key is found through the filter [P5]",
  withFolder(async (folder) => {
    const first = await openFolder(folder);
    await appendIndexed(first, 50, 25);
    await first.close();
    const watched = watchIndexThread();
    const journal = await openSqliteJournal({ folder, startedAt, tailRows: 40, openThread: watched.openThread });
    await appendSample(journal, 60, (index) => ({ key: `new-${index}` }));
    await watched.filled();
    await watched.settled();
    await appendSample(journal, 60, (index) => ({ key: `late-${index}` }));
    await watched.settled();
    assert.equal(watched.flushCount(), 2);
    // The row proves that no query ran: a query would find it.
    tamper(folder, "index.db", `INSERT INTO keys VALUES (x'${indexHash(scopeOf("unused"))}', 1)`);
    const keys = ["unused", "key-7", "new-0", "late-59"];
    assert.deepEqual(await journal.findKeys(keys.map(scopeOf)), [undefined, 7, 51, 170]);
    await journal.close();
  }),
);

test("the filter holds every key that was added, across all of its blocks, and few others", () => {
  const filter = createKeyFilter();
  const keyHash = (scope: string): Buffer => createHash("sha256").update(scope).digest().subarray(0, 16);
  const scopes = Array.from({ length: 70_000 }, (_, index) => `scope ${index}`);
  for (const scope of scopes) filter.add(keyHash(scope));
  assert.equal(filter.buffers().length, 2);
  const reader = createKeyFilter(filter.buffers());
  assert.ok(scopes.every((scope) => reader.mayHold(scope)));
  const others = Array.from({ length: 20_000 }, (_, index) => `other ${index}`).filter((scope) =>
    reader.mayHold(scope),
  );
  assert.ok(others.length < 200, `${others.length} of 20,000 need a query`);
  filter.add(keyHash("later"));
  assert.ok(reader.mayHold("later"), "both read the same memory");
  assert.equal(createKeyFilter().mayHold("scope 1"), false);
});

test(
  "an index thread that cannot start fails no append and no search, and the close writes the index",
  withFolder(async (folder) => {
    const errors: unknown[] = [];
    const watched = watchIndexThread(() => openIndexThread(join(folder, "missing")));
    const onIndexError = (error: unknown): void => void errors.push(error);
    const options = { folder, startedAt, tailRows: 40, openThread: watched.openThread, onIndexError };
    const journal = await openSqliteJournal(options);
    await appendIndexed(journal, 60, 20);
    await watched.settled();
    assert.match(String(errors[0]), /There is no journal in/u);
    await appendIndexed(journal, 60, 20);
    await watched.settled();
    assert.ok(watched.flushCount() > 1, "a later append tries again");
    await assertSubjects(journal, 120);
    await journal.close();
    assert.equal(rowsIn(folder, "subjects"), 120);
  }),
);

test(
  "appends wait for a slow index thread, so the rows in memory stay bounded",
  withFolder(async (folder) => {
    const gate = Promise.withResolvers<undefined>();
    const slow = watchIndexThread(() => {
      const none = {
        start: () => undefined,
        keepAlive: (running: Promise<void>) => running,
        filter: () => undefined,
        close: () => Promise.resolve(),
      };
      return { ...none, flush: () => gate.promise };
    });
    const journal = await openSqliteJournal({ folder, startedAt, tailRows: 10, openThread: slow.openThread });
    await appendIndexed(journal, 30, 10);
    let isAppended = false;
    const blocked = appendIndexed(journal, 10, 10).then(() => (isAppended = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isAppended, false);
    gate.resolve(undefined);
    await blocked;
    await journal.close();
  }),
);

test(
  "the index thread folds batches that were archived, and an erasure works while it runs [P5 X1]",
  withFolder(async (folder) => {
    const watched = watchIndexThread();
    const journal = await openSqliteJournal({ folder, startedAt, tailRows: 150, openThread: watched.openThread });
    await appendIndexed(journal, 80, 20);
    await journal.archive(60);
    await appendIndexed(journal, 40, 20);
    await journal.erase(30, 110);
    await journal.erase(90, 111);
    await watched.settled();
    assert.equal(watched.flushCount(), 1);
    await assertSubjects(journal, 120);
    await journal.close();
  }),
);

test(
  "a lost index is folded again from the journal by the thread [P5]",
  withFolder(async (folder) => {
    const first = await openFolder(folder);
    await appendIndexed(first, 300, 30);
    await first.close();
    rmSync(join(folder, "index.db"));
    const watched = watchIndexThread();
    const journal = await openSqliteJournal({ folder, startedAt, tailRows: 100, openThread: watched.openThread });
    await assertSubjects(journal, 300);
    await watched.settled();
    assert.ok(watched.flushCount() > 0);
    await assertSubjects(journal, 300);
    await journal.close();
  }),
);

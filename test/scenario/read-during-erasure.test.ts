/** Reading a folder without owning it, while its owner erases archived entries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../server/src/base/clock.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { verificationOf } from "../../server/src/assembly/data-folder.ts";
import { verify } from "../../server/src/engine/verify/verify.ts";
import { verifyFiles } from "../../server/src/journal/sqlite/folder/verify-files.ts";
import { openReadOnly, openSqliteReader } from "../../server/src/journal/sqlite/folder/sqlite-reader.ts";
import { clientOf, openFolder, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { refusedWith } from "../api/refused-with.ts";
import { appendSample } from "../conformance/sample-entries.ts";
import { failure, withFolder } from "../conformance/sqlite-folder.ts";
import { openJournal } from "./journal-work.ts";

/** Enough for an archive of several blocks, which a reader opens one after the other. */
const filling = "x".repeat(60_000);
const count = 20;

test(
  "a reader continues when an erasure replaces the file of a segment, and reads the entry that erased it [X1]",
  withFolder(async (folder) => {
    const journal = await openJournal(folder);
    for (let index = 0; index < count; index += 1) await appendSample(journal, 1, () => ({ input: { filling } }));
    await journal.archive(count - 1);
    const reader = openSqliteReader(folder);
    const read: { readonly first: number; readonly lines: string }[] = [];
    for (const batch of reader.batches(1)) {
      read.push(batch);
      if (batch.first !== 1) continue;
      // The entry that requests the erasure is appended after the read began, so it is not in the first page of the
      // reader.
      await appendSample(journal, 1);
      await assert.rejects(journal.erase(count - 1, count + 1), failure("busy"));
    }
    assert.deepEqual(
      read.map(({ first }) => first),
      Array.from({ length: count + 1 }, (_, index) => index + 1),
    );
    assert.ok(read[count - 2]?.lines.endsWith(`{"erased":${String(count + 1)}}`));
    reader.close();
    await journal.erase(count - 1, count + 1);
    await journal.close();
  }),
);

test(
  "verify reports a valid journal while a server erases an archived entry [X1]",
  withFolder(async (folder) => {
    const journal = await openFolder(folder);
    const engine = await startEngine({ journal });
    const client = clientOf(servicesOf(engine), { client: { retry: false } });
    for (let index = 1; index <= count; index += 1) await client.entities.create("note", String(index), { filling });
    await client.entities.replace("note", String(count), {});
    await journal.archive(count);
    const reader = openSqliteReader(folder);
    const erase = (): Promise<unknown> => client.run("erase-payload", { position: count, reason: "asked for" });
    let erasing: Promise<void> | undefined;
    // Verify pauses after every batch, and the server erases in the first pause.
    let nowMs = 0;
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => (nowMs += 1_000),
      soon: (work) => {
        erasing ??= assert.rejects(erase(), refusedWith("erasure_unfinished"));
        void erasing.finally(work);
      },
    };
    const verified = await verify(reader.batches(1), { ...verificationOf([]), clock });
    await erasing;
    assert.deepEqual([verified.ok, verified.firstBad, verified.erased], [true, undefined, 1]);
    assert.deepEqual(reader.verifyFiles(), []);
    reader.close();
    await erase();
    await client.close();
  }),
);

test(
  "verify accepts a segment that an erasure replaced during the check, and reports a missing segment",
  withFolder(async (folder) => {
    const journal = await openJournal(folder);
    await appendSample(journal, 2);
    await appendSample(journal, 2);
    await journal.archive(2);
    const reader = openSqliteReader(folder);
    const before = reader.segments();
    await journal.erase(1, 4);
    const after = reader.segments();
    reader.close();
    const database = openReadOnly(folder);
    const lists = [before, after];
    assert.deepEqual(
      verifyFiles(database, folder, () => lists.shift() ?? after),
      [],
    );
    const [fault] = verifyFiles(database, folder, () => before);
    assert.deepEqual([fault?.what, fault?.position], ["it cannot be read", 1]);
    database.close();
    await journal.close();
  }),
);

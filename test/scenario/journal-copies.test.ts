import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { cp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { backupFolder, restoreFolder } from "../../server/src/journal/sqlite/folder/backup-folder.ts";
import { openSqliteReader } from "../../server/src/journal/sqlite/folder/sqlite-reader.ts";
import { appendSample, everything } from "../conformance/sample-entries.ts";
import { failure, withFolder } from "../conformance/sqlite-folder.ts";
import { entryCount, openJournal, prepare } from "./journal-work.ts";
import { spawnChild } from "./spawn-child.ts";

async function forkOf(folder: string): Promise<string | undefined> {
  const journal = await openJournal(folder);
  const { forkReason } = journal;
  await journal.close();
  return forkReason;
}

test(
  "a copied folder is reported until the fork is settled, and a restart or a renamed folder is not a copy",
  withFolder(async (folder) => {
    await prepare(folder, "archive");
    assert.equal(await forkOf(folder), undefined);
    await rename(folder, `${folder}-renamed`);
    assert.equal(await forkOf(`${folder}-renamed`), undefined);
    await cp(`${folder}-renamed`, folder, { recursive: true });
    assert.match((await forkOf(folder)) ?? "", /copied/);
    assert.match((await forkOf(folder)) ?? "", /copied/, "until it is settled");
    const journal = await openJournal(folder);
    await journal.settleFork();
    assert.equal(journal.forkReason, undefined);
    await journal.close();
    assert.equal(await forkOf(folder), undefined);
    assert.equal(await forkOf(`${folder}-renamed`), undefined, "the original is unchanged");
    await rm(join(folder, "identity"));
    assert.match((await forkOf(folder)) ?? "", /identity file/);
  }),
);

test(
  "a restored folder names its source, and a folder in use is never overwritten",
  withFolder(async (folder) => {
    await prepare(folder, "checkpoint");
    const progress: number[] = [];
    const onProgress = ({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }): void =>
      void progress.push(doneBytes / totalBytes);
    const { head, segmentCount } = await backupFolder({ from: folder, to: `${folder}-backup`, onProgress });
    assert.deepEqual([head.position, segmentCount, progress.at(-1)], [entryCount, 1, 1]);
    assert.deepEqual(readdirSync(`${folder}-backup`).sort(), ["archive", "journal.db"]);
    await assert.rejects(restoreFolder({ from: `${folder}-backup`, to: folder }), failure("invalid"));
    await assert.rejects(restoreFolder({ from: `${folder}-none`, to: `${folder}-new` }), failure("invalid"));
    assert.ok(!existsSync(`${folder}-new`));
    assert.deepEqual((await restoreFolder({ from: `${folder}-backup`, to: `${folder}-new` })).head, head);
    const journal = await openJournal(`${folder}-new`);
    assert.match(journal.forkReason ?? "", /restored from a backup of position 240/);
    assert.equal(journal.checkpoints.list().length, 0, "a checkpoint of elsewhere is not trusted");
    assert.equal((await journal.read(0, everything)).length, entryCount);
    await journal.close();
    await writeFile(join(`${folder}-backup`, "archive", readdirSync(`${folder}-backup/archive`)[0] ?? ""), "x");
    await assert.rejects(restoreFolder({ from: `${folder}-backup`, to: `${folder}-newer` }), failure("damaged"));
    assert.ok(!existsSync(`${folder}-newer`) && !existsSync(`${folder}-newer.unfinished`));
  }),
);

test(
  "a backup and a reader work while another process writes continuously, and the copy is complete [X1]",
  withFolder(async (folder) => {
    const program = join(import.meta.dirname, "..", "conformance", "sqlite-child.ts");
    const owner = spawnChild(execPath, [program, folder, "500"], { stdio: ["pipe", "pipe", "inherit"] });
    const gone = once(owner, "exit");
    try {
      const lines = createInterface({ input: owner.stdout })[Symbol.asyncIterator]();
      owner.stdin.write("run 3\n");
      const acknowledged = async (): Promise<number> =>
        (JSON.parse((await lines.next()).value as string) as { position: number }).position;
      while ((await acknowledged()) < 300);
      for (const round of [1, 2, 3]) {
        const before = await acknowledged();
        const { head } = await backupFolder({ from: folder, to: `${folder}-${round}` });
        assert.ok(head.position >= before);
        const reader = openSqliteReader(folder);
        const positions = [...reader.batches(before)].flatMap(({ first, count }) => [first, first + count - 1]);
        assert.deepEqual(reader.verifyFiles(), []);
        reader.close();
        assert.ok((positions.at(-1) ?? 0) >= head.position, "a reader sees the entries that were written meanwhile");
        const copy = await openJournal(`${folder}-${round}`);
        assert.equal((await copy.read(0, everything)).length, head.position);
        await appendSample(copy, 1);
        await copy.close();
      }
    } finally {
      owner.kill("SIGKILL");
      await gone;
    }
  }),
);

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { test } from "node:test";
import type { LocalJournal } from "../../server/src/journal/journal.ts";
import { openSqliteReader } from "../../server/src/journal/sqlite/folder/sqlite-reader.ts";
import { appendSample, everything } from "../conformance/sample-entries.ts";
import { failure, withFolder } from "../conformance/sqlite-folder.ts";
import {
  entryCount,
  erasedPosition,
  filesWith,
  openJournal,
  prepare,
  run,
  secretOf,
  type Work,
  works,
} from "./journal-work.ts";
import { spawnChild } from "./spawn-child.ts";

for (const work of works) {
  test(
    `a journal opens, verifies and has lost nothing after kill -9 at any step of "${work}", and a retry completes the work [X1]`,
    withFolder(async (base) => {
      await prepare(base, work);
      const steps: string[] = [];
      await onCopy(base, "unharmed", (folder) => run(folder, work, (name) => steps.push(name)));
      assert.ok(steps.length >= 3, "the work has steps");
      for (const deadly of everyStep(steps)) {
        await onCopy(base, `killed-${deadly}`, async (folder) => {
          await runAndDie(folder, work, deadly);
          await assertWhole(folder, work, `after ${steps[deadly - 1] ?? ""}`);
        });
      }
    }),
  );
}

/**
 * The first and the last step of each name. The files differ after every step, but hundreds of similar ones need no
 * test.
 */
function everyStep(steps: readonly string[]): readonly number[] {
  return [...new Set(steps.flatMap((name) => [steps.indexOf(name) + 1, steps.lastIndexOf(name) + 1]))];
}

/** Works on a copy that identifies itself as the original. */
async function onCopy(base: string, name: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${base}-${name}`;
  for (const end of ["", "-backup"])
    if (existsSync(base + end)) await cp(base + end, folder + end, { recursive: true });
  await work(folder);
}

async function runAndDie(folder: string, work: Work, deadly: number): Promise<void> {
  const program = join(import.meta.dirname, "journal-child.ts");
  const child = spawnChild(execPath, [program, folder, work, String(deadly)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  assert.equal(signal, "SIGKILL");
}

async function assertWhole(folder: string, work: Work, when: string): Promise<void> {
  await assertEntries(folder, work, when);
  if (work === "backup" || work === "restore") {
    await assertCopy(folder, work, when);
    return;
  }
  await run(folder, work, () => undefined);
  const done = await assertEntries(folder, work, when);
  if (work === "archive") assert.equal(done.segments, 1, when);
  if (work.startsWith("erase")) assert.equal(done.isErased, true, when);
}

/** Checks the entries after the journal was opened, written and closed again. */
async function assertEntries(
  folder: string,
  work: Work,
  when: string,
): Promise<{ readonly isErased: boolean; readonly segments: number }> {
  const journal = await openJournal(folder);
  const entries = await journal.read(0, everything);
  assert.ok(entries.length >= entryCount, when);
  const target = erasedPosition(work);
  const isErased = entries[target - 1]?.erased !== undefined;
  for (const { position, input, erased } of entries.slice(0, entryCount)) {
    if (isErased && position === target) assert.deepEqual([input, erased], [null, entryCount]);
    else assert.equal((input as { secret: string }).secret, secretOf(position), when);
  }
  assertCheckpoints(journal, when);
  await appendSample(journal, 1);
  await journal.close();
  const reader = openSqliteReader(folder);
  assert.deepEqual(reader.verifyFiles(), [], when);
  const files = reader.segments().map(({ file }) => file);
  reader.close();
  const found = existsSync(join(folder, "archive")) ? readdirSync(join(folder, "archive")) : [];
  assert.deepEqual(found, files, `${when}: the archive contains exactly the files that the journal lists`);
  if (isErased) assert.deepEqual(filesWith(folder, secretOf(target)), [], `${when}: no file contains the payload`);
  return { isErased, segments: files.length };
}

function assertCheckpoints({ checkpoints }: LocalJournal, when: string): void {
  assert.ok(checkpoints.list().length >= 1, when);
  for (const header of checkpoints.list()) {
    const rows = [...checkpoints.rows(header)].flat();
    assert.equal(rows.length, 150, when);
    assert.ok(rows.every(({ line }) => line?.includes(`{"at":${header.head.position},`)));
  }
}

/** A copy is absent or complete, and is marked if it was restored. */
async function assertCopy(folder: string, work: "backup" | "restore", when: string): Promise<void> {
  const target = folder + (work === "backup" ? "-backup" : "-restored");
  if (!existsSync(target)) await run(folder, work, () => undefined);
  await assert.rejects(
    run(folder, work, () => undefined),
    failure("invalid", { says: /not empty/ }),
    when,
  );
  assert.ok(!existsSync(`${target}.unfinished`), when);
  const journal = await openJournal(target);
  const because = work === "backup" ? /copied without its identity/ : /backup of position 24[01] /;
  assert.match(journal.forkReason ?? "", because, when);
  assert.ok((await journal.read(0, everything)).length >= entryCount);
  await journal.close();
  const again = await openJournal(target);
  assert.match(again.forkReason ?? "", because, `${when}: until it is settled`);
  await again.settleFork();
  assert.equal(again.forkReason, undefined);
  await again.close();
  const settled = await openJournal(target);
  assert.equal(settled.forkReason, undefined);
  await settled.close();
}

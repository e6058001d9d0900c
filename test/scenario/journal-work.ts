/** Long-running work on a journal, step by step, for tests that kill it between any two steps. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { backupFolder, restoreFolder } from "../../server/src/journal/sqlite/folder/backup-folder.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { JournalError, type LocalJournal } from "../../server/src/journal/journal.ts";
import { appendSample } from "../conformance/sample-entries.ts";

export type Work = "archive" | "erase" | "erase archived" | "checkpoint" | "backup" | "restore";

export const works: readonly Work[] = ["archive", "erase", "erase archived", "checkpoint", "backup", "restore"];
export const entryCount = 240;
/** The entry to erase: it is archived before the erasure, or not. */
export const erasedPosition = (work: Work): number => (work === "erase archived" ? 50 : 150);
/** Text that only the payload at this position contains. */
export const secretOf = (position: number): string => `the secret of ${position}.`;

let ids = 0;

export function openJournal(folder: string, onStep: (name: string) => void = () => undefined): Promise<LocalJournal> {
  return openSqliteJournal({ folder, startedAt: "now", newId: () => `folder ${(ids += 1)} of ${process.pid}`, onStep });
}

/** Makes a journal that is ready for this work. */
export async function prepare(folder: string, work: Work): Promise<void> {
  const journal = await openJournal(folder);
  for (let first = 1; first <= entryCount; first += 4) {
    await appendSample(journal, 4, (index) => ({
      input: { secret: secretOf(first + index), filling: "x".repeat(((first * 37) % 23) * 100) },
      outcome: { kind: "done", data: { echo: secretOf(first + index) } },
    }));
  }
  await saveCheckpoint(journal, () => undefined);
  if (work !== "archive" && work !== "erase") await journal.archive(100);
  await journal.close();
  if (work === "restore") await backupFolder({ from: folder, to: `${folder}-backup` });
}

/** Does the work, and calls `step` after each step. */
export async function run(folder: string, work: Work, step: (name: string) => void): Promise<void> {
  if (work === "backup") {
    await backupFolder({ from: folder, to: `${folder}-backup`, onStep: step });
    return;
  }
  if (work === "restore") {
    await restoreFolder({ from: `${folder}-backup`, to: `${folder}-restored`, onStep: step });
    return;
  }
  const journal = await openJournal(folder, step);
  if (work === "archive") await journal.archive(120);
  else if (work === "checkpoint") await saveCheckpoint(journal, step);
  else await journal.erase(erasedPosition(work), entryCount);
  await journal.close();
}

async function saveCheckpoint(journal: LocalJournal, step: (name: string) => void): Promise<void> {
  const head = await journal.head();
  const draft = journal.checkpoints.begin(journal.checkpoints.list()[0]?.head);
  if (draft === undefined) throw new JournalError("invalid", "There is no draft.", { certain: true });
  step("checkpoint: begun");
  for (let slice = 0; slice < 3; slice += 1) {
    const keys = Array.from({ length: 50 }, (_, index) => `${slice}-${index}`);
    draft.write(keys.map((key) => ({ table: "rows", key, line: JSON.stringify({ at: head.position, key }) })));
    step(`checkpoint: slice ${slice} written`);
  }
  draft.commit({ head, rules: 1, stateHash: `of ${head.position}` });
  step("checkpoint: committed");
}

/** The files of a folder that contain a text, including compressed files. */
export function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return false;
    const content = readFileSync(path);
    return content.includes(text) || (name.endsWith(".gz") && gunzipSync(content).includes(text));
  });
}

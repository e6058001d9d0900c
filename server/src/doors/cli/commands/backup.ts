import { resolve } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText } from "../../../assembly/data-folder.ts";
import { backupFolder } from "../../../assembly/upkeep.ts";
import type { Command, Given, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, folderOf } from "../discovery/folder-option.ts";
import { Progress } from "../terminal/progress.ts";
import { orSayWhyNot } from "../terminal/report-failure.ts";

export const backupCommand: Command = {
  name: "backup",
  words: "TO",
  wordsMin: 1,
  wordsMax: 1,
  summary: "copy a data folder, also while it is in use",
  details: [
    "Copies everything that is durable now, archive included, to a new folder, and proves the copy. It works beside a",
    "running `holdfast up`, which goes on meanwhile. The folder appears under its name only when it is whole. A copy made",
    "by other means while Holdfast runs may be torn; this one is not.",
    "",
    "  holdfast backup /backups/2026-01-31",
  ],
  options: { data: dataOption, json: { summary: "print one object of JSON" } },
  run: (given, terminal) => orSayWhyNot(given, terminal, () => runBackup(given, terminal)),
};

async function runBackup(given: Given, terminal: Terminal): Promise<ExitCode> {
  const to = resolve(terminal.folder, given.words[0] ?? "");
  const progress = new Progress(terminal, systemClock);
  const { head, bytes } = await backupFolder({
    from: folderOf(given, terminal),
    to,
    onProgress: ({ doneBytes, totalBytes }) => {
      progress.show("copied bytes", doneBytes, totalBytes);
    },
  });
  progress.end();
  const text = headText(head);
  const words = `backed up ${bytes} bytes to ${to}\nhead ${text}`;
  const facts = { event: "backed_up", to, bytes, position: head.position, head: text };
  terminal.say(given.values["json"] === true ? jsonLine(facts) : words);
  return exitCodes.done;
}

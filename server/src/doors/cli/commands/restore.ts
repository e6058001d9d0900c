import { resolve } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText } from "../../../assembly/data-folder.ts";
import { restoreFolder } from "../../../assembly/upkeep.ts";
import type { Command, Given, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, folderOf } from "../discovery/folder-option.ts";
import { Progress } from "../terminal/progress.ts";
import { orSayWhyNot } from "../terminal/report-failure.ts";

export const restoreCommand: Command = {
  name: "restore",
  words: "FROM",
  wordsMin: 1,
  wordsMax: 1,
  summary: "make a data folder from a backup",
  details: [
    "Makes a data folder from a backup, proves it, and marks it: its first start begins a new epoch, so that revisions,",
    "fences and cursors from the time after the backup are refused instead of being taken for others. The data folder must",
    "not exist yet, or be empty: move the old one away first.",
    "",
    "  mv .holdfast .holdfast.broken",
    "  holdfast restore /backups/2026-01-31",
    "  holdfast up",
  ],
  options: { data: dataOption, json: { summary: "print one object of JSON" } },
  run: (given, terminal) => orSayWhyNot(given, terminal, () => runRestore(given, terminal)),
};

async function runRestore(given: Given, terminal: Terminal): Promise<ExitCode> {
  const to = folderOf(given, terminal);
  const progress = new Progress(terminal, systemClock);
  const { head, bytes } = await restoreFolder({
    from: resolve(terminal.folder, given.words[0] ?? ""),
    to,
    onProgress: ({ doneBytes, totalBytes }) => {
      progress.show("copied bytes", doneBytes, totalBytes);
    },
  });
  progress.end();
  const text = headText(head);
  const words = `restored ${to} up to position ${head.position}; its first start begins a new epoch.\nhead ${text}`;
  const facts = { event: "restored", data: to, bytes, position: head.position, head: text };
  terminal.say(given.values["json"] === true ? jsonLine(facts) : words);
  return exitCodes.done;
}

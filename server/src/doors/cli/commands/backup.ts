import { resolve } from "node:path";
import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText } from "../../../assembly/data-folder.ts";
import { backUpData } from "../../../assembly/upkeep.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { filesOptions, filesOptionsOf, filesText } from "../args/files-options.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const backupCommand: CliCommand = {
  name: "backup",
  usage: "TO",
  positionalsMin: 1,
  positionalsMax: 1,
  writesData: true,
  summary: "copy a data folder, even while a server uses it",
  details: [
    "Copies all durable data, including the archive, to a new folder, and verifies the copy. A running `holdfast up`",
    "continues during the backup. The folder appears under its name only when it is complete. A copy by other means while",
    "Holdfast runs may be inconsistent.",
    "",
    "Published files are copied after the journal: every version that it names, each compared with its digest. With",
    "--without-files the storage roots are left out. Copy them after the backup, within the retention time of versions.",
    "",
    "  holdfast backup /backups/2026-01-31",
  ],
  options: { data: dataOption, ...filesOptions, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => runBackup(args, terminal)),
};

async function runBackup(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const to = resolve(terminal.folder, args.positionals[0] ?? "");
  const progress = new Progress(terminal, systemClock);
  const { head, bytes, files } = await backUpData({
    ...filesOptionsOf(args, terminal),
    from: dataFolderOf(args, terminal),
    to,
    onProgress: ({ doneBytes, totalBytes }) => {
      progress.show("copied bytes", doneBytes, totalBytes);
    },
  });
  progress.end();
  const printedHead = headText(head);
  const text = `backed up ${bytes} bytes to ${to}${filesText(files)}\nhead ${printedHead}`;
  const json = defined({ event: "backed_up", to, bytes, files, position: head.position, head: printedHead });
  terminal.print(args.values["json"] === true ? jsonLine(json) : text);
  return exitCodes.done;
}

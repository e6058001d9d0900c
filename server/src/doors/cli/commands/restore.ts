import { resolve } from "node:path";
import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText } from "../../../assembly/data-folder.ts";
import { restoreData } from "../../../assembly/upkeep.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { filesOptions, filesOptionsOf, filesText } from "../args/files-options.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const restoreCommand: CliCommand = {
  name: "restore",
  usage: "FROM",
  positionalsMin: 1,
  positionalsMax: 1,
  writesData: true,
  summary: "restore a data folder from a backup",
  details: [
    "Restores a data folder from a backup and verifies it. The first start of the folder begins a new epoch. Revisions,",
    "fences and cursors that were issued after the backup are therefore refused. The data folder must be empty or must not",
    "exist: move the old one away first. Tokens stay valid, so restore only a backup of your own.",
    "",
    "Published files are restored too, and each is compared with its digest. A storage root outside the data folder must be",
    "empty or must not exist, or it must be whole. With --without-files the roots are left as they are.",
    "",
    "  mv .holdfast .holdfast.broken",
    "  holdfast restore /backups/2026-01-31",
    "  holdfast up",
  ],
  options: { data: dataOption, ...filesOptions, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => runRestore(args, terminal)),
};

async function runRestore(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const to = dataFolderOf(args, terminal);
  const progress = new Progress(terminal, systemClock);
  const { head, bytes, files } = await restoreData({
    ...filesOptionsOf(args, terminal),
    from: resolve(terminal.folder, args.positionals[0] ?? ""),
    to,
    onProgress: ({ doneBytes, totalBytes }) => {
      progress.show("copied bytes", doneBytes, totalBytes);
    },
  });
  progress.end();
  const printedHead = headText(head);
  const text = `restored ${to} up to position ${head.position}${filesText(files)}; its first start begins a new epoch.\nhead ${printedHead}`;
  const json = defined({ event: "restored", data: to, bytes, files, position: head.position, head: printedHead });
  terminal.print(args.values["json"] === true ? jsonLine(json) : text);
  return exitCodes.done;
}

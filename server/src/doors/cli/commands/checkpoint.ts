import { jsonLine } from "../../../base/json-line.ts";
import { checkpointFolder } from "../../../assembly/upkeep.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

export const checkpointCommand: CliCommand = {
  name: "checkpoint",
  positionalsMax: 0,
  writesData: true,
  summary: "save a checkpoint of the state for a faster start",
  details: [
    "Saves the current state of the journal. The next start loads it instead of replaying the whole journal. A running",
    "Holdfast saves checkpoints periodically. Stop `holdfast up` first.",
    "",
    "  holdfast checkpoint",
  ],
  options: { data: dataOption, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => takeCheckpoint(args, terminal)),
};

async function takeCheckpoint(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const position = await checkpointFolder(dataFolderOf(args, terminal), { report: warningPrinter(terminal) });
  const text = `saved a checkpoint of position ${position}.`;
  terminal.print(args.values["json"] === true ? jsonLine({ event: "saved", position }) : text);
  return exitCodes.done;
}

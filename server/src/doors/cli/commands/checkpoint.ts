import { jsonLine } from "../../../base/json-line.ts";
import { checkpointFolder } from "../../../assembly/upkeep.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

export const checkpointCommand: Command = {
  name: "checkpoint",
  positionalsMax: 0,
  summary: "save the state now, so that the next start is quick",
  details: [
    "Saves the state that the journal leads to, so that the next start loads it instead of executing the whole journal. A",
    "running Holdfast does this by itself from time to time. It needs the folder for itself: stop `holdfast up` first.",
    "",
    "  holdfast checkpoint",
  ],
  options: { data: dataOption, json: { summary: "print one object of JSON" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => takeCheckpoint(args, terminal)),
};

async function takeCheckpoint(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const position = await checkpointFolder(dataFolderOf(args, terminal), { report: warningPrinter(terminal) });
  const text = `the state of position ${position} is saved.`;
  terminal.print(args.values["json"] === true ? jsonLine({ event: "saved", position }) : text);
  return exitCodes.done;
}

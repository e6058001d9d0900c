import { jsonLine } from "../../../base/json-line.ts";
import { checkpointFolder } from "../../../assembly/upkeep.ts";
import type { Command, Given, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, folderOf } from "../discovery/folder-option.ts";
import { orSayWhyNot, warnOf } from "../terminal/report-failure.ts";

export const checkpointCommand: Command = {
  name: "checkpoint",
  wordsMax: 0,
  summary: "save the state now, so that the next start is quick",
  details: [
    "Saves the state that the journal leads to, so that the next start loads it instead of executing the whole journal. A",
    "running Holdfast does this by itself from time to time. It needs the folder for itself: stop `holdfast up` first.",
    "",
    "  holdfast checkpoint",
  ],
  options: { data: dataOption, json: { summary: "print one object of JSON" } },
  run: (given, terminal) => orSayWhyNot(given, terminal, () => takeCheckpoint(given, terminal)),
};

async function takeCheckpoint(given: Given, terminal: Terminal): Promise<ExitCode> {
  const position = await checkpointFolder(folderOf(given, terminal), { report: warnOf(terminal) });
  const words = `the state of position ${position} is saved.`;
  terminal.say(given.values["json"] === true ? jsonLine({ event: "saved", position }) : words);
  return exitCodes.done;
}

import { jsonLine } from "../../../base/json-line.ts";
import { eraseEntry } from "../../../assembly/upkeep.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { textOption, wholeNumber } from "../args/option-values.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

export const eraseCommand: Command = {
  name: "erase",
  usage: "POSITION",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "remove the payload of an entry for good",
  details: [
    "Removes what an entry said: its input, its outcome and the data of its events. That it happened, when and by whom",
    "stays, and so do the position and the chain; `verify` counts it as erased, and an entry says who asked for it and why.",
    "It is refused while the current state rests on it: replace or delete the entity first. There is no way back, except",
    "in backups and exports that were made before: those are yours to find. It needs the folder for itself.",
    "",
    '  holdfast erase 1042 --reason "request of 3 March"',
  ],
  options: {
    data: dataOption,
    reason: { value: "TEXT", summary: "why; it is kept in the journal" },
    json: { summary: "print one object of JSON" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => eraseOne(args, terminal)),
};

async function eraseOne(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const position = wholeNumber(args.positionals[0] ?? "", "POSITION", 1);
  const reason = textOption(args.values, "reason");
  if (reason === undefined) throw new UsageError('an erasure needs its reason: --reason="…"');
  const options = { report: warningPrinter(terminal) };
  const erased = (await eraseEntry(dataFolderOf(args, terminal), { position, reason }, options)) as {
    erased_by: number;
  };
  const text = `the payload of entry ${position} is erased; entry ${erased.erased_by} says so.`;
  const json = { event: "erased", position, erased_by: erased.erased_by };
  terminal.print(args.values["json"] === true ? jsonLine(json) : text);
  return exitCodes.done;
}

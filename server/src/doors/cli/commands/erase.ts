import { jsonLine } from "../../../base/json-line.ts";
import { eraseEntry } from "../../../assembly/upkeep.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { textOption, integerArgument } from "../args/option-values.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

export const eraseCommand: CliCommand = {
  name: "erase",
  usage: "POSITION",
  positionalsMin: 1,
  positionalsMax: 1,
  writesData: true,
  summary: "remove the payload of an entry permanently",
  details: [
    "Removes the input, the outcome and the event data of an entry. Its position, time, principal and hash stay. `verify`",
    "counts the entry as erased, and a new entry records who erased it and why. The erasure is refused while the current",
    "state depends on the entry: replace or delete the entity first. It cannot be undone. Earlier backups and exports",
    "still contain the payload; delete it there yourself. Stop `holdfast up` first. If the server publishes to NATS, the",
    "next start with NATS also removes the payload from the event stream; until then the erasure is reported as unfinished.",
    "",
    '  holdfast erase 1042 --reason "request of 3 March"',
  ],
  options: {
    data: dataOption,
    reason: { value: "TEXT", summary: "the reason, which is stored in the journal" },
    json: { summary: "print one JSON object" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => eraseOne(args, terminal)),
};

async function eraseOne(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const position = integerArgument(args.positionals[0] ?? "", "POSITION", 1);
  const reason = textOption(args.values, "reason");
  if (reason === undefined) throw new UsageError('--reason is required: --reason="…"');
  const options = { report: warningPrinter(terminal) };
  const erased = (await eraseEntry(dataFolderOf(args, terminal), { position, reason }, options)) as {
    erased_by: number;
  };
  const text = `erased the payload of entry ${position}; entry ${erased.erased_by} records it.`;
  const json = { event: "erased", position, erased_by: erased.erased_by };
  terminal.print(args.values["json"] === true ? jsonLine(json) : text);
  return exitCodes.done;
}

import { jsonLine } from "../../../base/json-line.ts";
import { eraseEntry } from "../../../assembly/upkeep.ts";
import { type Command, type Given, type Terminal, UsageError } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, folderOf } from "../discovery/folder-option.ts";
import { textOption, wholeNumber } from "../args/option-values.ts";
import { orSayWhyNot, warnOf } from "../terminal/report-failure.ts";

export const eraseCommand: Command = {
  name: "erase",
  words: "POSITION",
  wordsMin: 1,
  wordsMax: 1,
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
  run: (given, terminal) => orSayWhyNot(given, terminal, () => eraseOne(given, terminal)),
};

async function eraseOne(given: Given, terminal: Terminal): Promise<ExitCode> {
  const position = wholeNumber(given.words[0] ?? "", "POSITION", 1);
  const reason = textOption(given.values, "reason");
  if (reason === undefined) throw new UsageError('an erasure needs its reason: --reason="…"');
  const options = { report: warnOf(terminal) };
  const erased = (await eraseEntry(folderOf(given, terminal), { position, reason }, options)) as { erased_by: number };
  const words = `the payload of entry ${position} is erased; entry ${erased.erased_by} says so.`;
  const facts = { event: "erased", position, erased_by: erased.erased_by };
  terminal.say(given.values["json"] === true ? jsonLine(facts) : words);
  return exitCodes.done;
}

import { closestWord } from "@holdfast/sdk/base/closest-word";
import type { Command, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

/** Says that the command line can't be meant, and where to read how it is meant. */
export function printUsageError(terminal: Terminal, sentence: string, command?: Command): ExitCode {
  const next = command === undefined ? "holdfast --help" : `holdfast help ${command.name}`;
  // A sentence repeats words that may come from anywhere: a file name, a script, somebody else's text.
  const told = escapeControlChars(sentence.replace(/[?.]$/u, ""));
  terminal.warn(`holdfast: ${told}${sentence.endsWith("?") ? "?" : "."} See \`${next}\`.`);
  return exitCodes.usage;
}

export function printUnknownCommand(
  terminal: Terminal,
  [first = "", second]: readonly string[],
  names: readonly string[],
): ExitCode {
  const group = names.filter((name) => name.startsWith(`${first} `));
  const isNamed = second !== undefined && !second.startsWith("-");
  if (group.length > 0 && !isNamed)
    return printUsageError(terminal, `${first} is followed by a word: ${group.join(", ")}`);
  const name = group.length > 0 ? `${first} ${second ?? ""}` : first;
  const closest = closestWord(name.replace(/^-+/u, ""), names);
  const kind = name.startsWith("-") ? "option" : "command";
  return printUsageError(
    terminal,
    `there is no ${kind} ${name}${closest === undefined ? "" : `; did you mean ${closest}?`}`,
  );
}

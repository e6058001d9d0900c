import { closestWord } from "@holdfast/sdk/base/closest-word";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

/** The terminal of an invalid command line. With `isJson`, the error is one line of JSON. */
interface UsageTerminal extends Pick<Terminal, "print" | "warn"> {
  readonly isJson?: boolean;
}

/** Prints why the command line is invalid, and the help command to read. */
export function printUsageError(terminal: UsageTerminal, sentence: string, command?: CliCommand): ExitCode {
  const next = command === undefined ? "holdfast --help" : `holdfast help ${command.name}`;
  // The sentence quotes arguments, which may come from a file name, a script or another caller.
  const printed = escapeControlChars(sentence.replace(/[?.]$/u, ""));
  const message = `${printed}${sentence.endsWith("?") ? "?" : "."} See \`${next}\`.`;
  const json = jsonLine({ event: "failed", code: "usage", message, exit: exitCodes.usage });
  if (terminal.isJson !== true) terminal.warn(`holdfast: ${message}`);
  else if (command?.hasJsonOnStandardError === true) terminal.warn(json);
  else terminal.print(json);
  return exitCodes.usage;
}

export function printUnknownCommand(
  terminal: UsageTerminal,
  [first = "", second]: readonly string[],
  names: readonly string[],
): ExitCode {
  const group = names.filter((name) => name.startsWith(`${first} `));
  const isNamed = second !== undefined && !second.startsWith("-");
  if (group.length > 0 && !isNamed)
    return printUsageError(terminal, `${first} needs a subcommand: ${group.join(", ")}`);
  const name = group.length > 0 ? `${first} ${second ?? ""}` : first;
  const closest = closestWord(name.replace(/^-+/u, ""), names);
  const kind = name.startsWith("-") ? "option" : "command";
  return printUsageError(
    terminal,
    `unknown ${kind} ${name}${closest === undefined ? "" : `; did you mean ${closest}?`}`,
  );
}

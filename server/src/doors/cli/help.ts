import type { Command } from "./command.ts";
import { exitCodeMeanings } from "./exit-codes.ts";

/** What `holdfast --help` prints. */
export function generalHelp(commands: readonly Command[]): string {
  return [
    "Holdfast lets many agents change the same things at once, and nothing gets lost.",
    "",
    "Usage: holdfast COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...columns(commands.map((command) => [usageOf(command), command.summary])),
    "",
    "Options:",
    ...columns([
      ["--version", "print the version"],
      ["--help", "print this; `holdfast help COMMAND` explains one command"],
    ]),
    "",
    ...exitCodeLines(),
  ].join("\n");
}

/** What `holdfast help up` and `holdfast up --help` print. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(
    ([name, { value, summary }]) => [value === undefined ? `--${name}` : `--${name} ${value}`, summary] as const,
  );
  return [
    `Usage: holdfast ${usageOf(command)}${options.length === 0 ? "" : " [OPTIONS]"}`,
    "",
    ...command.details,
    "",
    ...(options.length === 0 ? [] : ["Options:", ...columns(options), ""]),
    ...exitCodeLines(),
  ].join("\n");
}

function usageOf({ name, words }: Command): string {
  return words === undefined ? name : `${name} ${words}`;
}

function exitCodeLines(): readonly string[] {
  return ["Exit codes:", ...columns(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]))];
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

import type { CliCommand, CommandOption } from "../command.ts";
import { exitCodeMeanings } from "../exit-codes.ts";

/** The output of `holdfast --help`. */
export function generalHelp(commands: readonly CliCommand[]): string {
  return [
    "Holdfast lets many agents change the same state concurrently without lost updates.",
    "",
    "Usage: holdfast COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...columns(commands.map((command) => [usageOf(command), command.summary])),
    "",
    "Options:",
    ...columns([
      ["--version", "print the version"],
      ["--help", "print this help; `holdfast help COMMAND` explains one command"],
    ]),
    "",
    exitCodesHint,
  ].join("\n");
}

/** The output of `holdfast help up` and `holdfast up --help`. */
export function commandHelp(command: CliCommand): string {
  const options = Object.entries(command.options).map(
    ([name, option]) => [optionUsage(name, option), option.summary] as const,
  );
  return [
    `Usage: holdfast ${usageOf(command)}${options.length === 0 ? "" : " [OPTIONS]"}`,
    "",
    ...command.details,
    "",
    ...(options.length === 0 ? [] : ["Options:", ...columns(options), ""]),
    exitCodesHint,
  ].join("\n");
}

const exitCodesHint = "`holdfast help exit-codes` lists the exit codes.";

/** The output of `holdfast help exit-codes`. */
export function exitCodesHelp(): string {
  return exitCodeLines().join("\n");
}

export function optionUsage(name: string, { value, isValueOptional }: CommandOption): string {
  if (value === undefined) return `--${name}`;
  return isValueOptional === true ? `--${name}[=${value}]` : `--${name} ${value}`;
}

export function usageOf({ name, usage }: CliCommand): string {
  return usage === undefined ? name : `${name} ${usage}`;
}

function exitCodeLines(): readonly string[] {
  return ["Exit codes:", ...columns(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]))];
}

/** Maximum width of a line of help. */
const lineWidthMax = 118;

/** Two columns. Long text in the right column is wrapped. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) =>
    wrapped(right, lineWidthMax - width - 4).map(
      (part, index) => `  ${(index === 0 ? left : "").padEnd(width)}  ${part}`,
    ),
  );
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

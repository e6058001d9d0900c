import type { OperationName } from "@holdfast/sdk/contract";
import type { ExitCode } from "./exit-codes.ts";
import type { Paint } from "./terminal/paint.ts";

/** What a command says to, and learns from, whoever started it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Writes a line of what was asked for. */
  print(line: string): void;
  /** Writes a line about what went wrong, or about what goes on. */
  warn(line: string): void;
  /** Writes over the last line that was drawn. Undefined if nobody watches: standard error is no terminal. */
  readonly draw?: (line: string) => void;
  /** How wide what is drawn may be. */
  readonly width: number;
  /** Colours for standard output; none, unless somebody looks at it. */
  readonly paint: Paint;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
}

export interface CommandOption {
  /** With a placeholder such as DIR it takes a value; without one it is a switch. */
  readonly value?: string;
  /** The value may be left out: `--wait` or `--wait=5`, never `--wait 5`. */
  readonly isValueOptional?: true;
  readonly summary: string;
}

/** What was given for a command's options; a switch that was not given is absent. */
export type OptionValues = Readonly<Record<string, string | true>>;

export interface Command {
  /** One word, or two for a command of a group: `journal list`. */
  readonly name: string;
  /** Words after the name, such as `[COMMAND]`. */
  readonly usage?: string;
  /** None, if not given. */
  readonly positionalsMin?: number;
  readonly positionalsMax: number;
  /** What follows `--` is a command of its own. */
  readonly takesCommand?: true;
  /** What it asks a server for. None, for a command that works on a folder or on nothing. */
  readonly operations?: readonly OperationName[];
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly run: (args: CommandArguments, terminal: Terminal, commands: CommandRegistry) => Promise<ExitCode>;
}

/** All commands, for those that speak about others. */
export interface CommandRegistry {
  readonly names: readonly string[];
  /** The command that the first one or two words name. */
  readonly find: (argv: readonly string[]) => Promise<Command | undefined>;
  readonly all: () => Promise<readonly Command[]>;
}

export interface CommandArguments {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
  /** The command after `--`; undefined if there is no `--`. */
  readonly child?: readonly string[];
}

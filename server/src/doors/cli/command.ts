import type { Writable } from "node:stream";
import type { OperationName } from "@holdfast/sdk/contract";
import type { OptionValues } from "./args/option-values.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Paint } from "./terminal/paint.ts";

/** The terminal of a command: its environment, its input and its output. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths are resolved against. */
  readonly folder: string;
  /** Writes a line of the requested output to standard output. */
  print(line: string): void;
  /** Standard output as a stream, for output that is too long for the memory. */
  readonly output: Writable;
  /** Writes an error or a status line to standard error. */
  warn(line: string): void;
  /** Overwrites the last drawn line. Undefined if standard error is not a terminal. */
  readonly draw?: ((line: string) => void) | undefined;
  /** Maximum width of a drawn line. */
  readonly width: number;
  /** Colours for standard output. There are none if standard output is not a terminal. */
  readonly paint: Paint;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
}

export interface CommandOption {
  /** The placeholder of the value, such as DIR. An option without a placeholder is a switch. */
  readonly value?: string;
  /** The value is optional: `--wait` or `--wait=5`, never `--wait 5`. */
  readonly isValueOptional?: true;
  readonly summary: string;
}

/** The operation of a pack, such as `intents.get`. */
type PackOperationName = `${string}.${string}`;

export interface CliCommand {
  /** One word, or two words for a command of a group: `journal list`. */
  readonly name: string;
  /** The positional arguments for the help text, such as `[COMMAND]`. */
  readonly usage?: string;
  /** Minimum number of positional arguments; 0 by default. */
  readonly positionalsMin?: number;
  readonly positionalsMax: number;
  /** The arguments after `--` are a command to run. */
  readonly takesCommand?: true;
  /** The lines of --json go to standard error, because standard output belongs to the command that it runs. */
  readonly hasJsonOnStandardError?: true;
  /** The operations that it calls on a server. Absent for a command that calls no server. */
  readonly operations?: readonly (OperationName | PackOperationName)[];
  /** It writes data of the journal. The files that it creates are readable by this user alone. */
  readonly writesData?: true;
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly run: (args: CommandArguments, terminal: Terminal, commands: CommandRegistry) => Promise<ExitCode>;
}

/** All commands, for the commands that describe other commands. */
export interface CommandRegistry {
  readonly names: readonly string[];
  /** Finds the command that the first one or two arguments name. */
  readonly find: (argv: readonly string[]) => Promise<CliCommand | undefined>;
  readonly all: () => Promise<readonly CliCommand[]>;
}

export interface CommandArguments {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
  /** The command after `--`; undefined if there is no `--`. */
  readonly child?: readonly string[] | undefined;
}

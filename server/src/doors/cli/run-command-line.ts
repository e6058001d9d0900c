import { allCommands } from "./commands/all-commands.ts";
import type { CliCommand, CommandArguments, Terminal } from "./command.ts";
import { UsageError } from "./args/usage-error.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { commandHelp, generalHelp } from "./args/command-help.ts";
import { printUsageError, printUnknownCommand } from "./args/print-usage-error.ts";
import { packageVersion } from "../../base/package-version.ts";
import { parseArguments } from "./args/parse-arguments.ts";

/** Finds the command that the arguments name, and runs it. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name] = argv;
  if (name === undefined) return printUsageError(terminal, "no command given");
  if (name === "--help" || name === "-h") return printAndExit(terminal, generalHelp(await allCommands.all()));
  if (name === "--version" || name === "-v") return printAndExit(terminal, `holdfast ${packageVersion()}`);
  const command = await allCommands.find(argv);
  const usageTerminal = { ...terminal, isJson: asksForJson(argv) };
  if (command === undefined) return printUnknownCommand(usageTerminal, argv, allCommands.names);
  const parsed = parseArguments(command, argv.slice(command.name.split(" ").length));
  if (!parsed.ok) return printUsageError(usageTerminal, parsed.sentence, command);
  if (parsed.given.values["help"] === true) return printAndExit(terminal, commandHelp(command));
  try {
    return await runNamed(command, parsed.given, terminal);
  } catch (error) {
    if (error instanceof UsageError) return printUsageError(usageTerminal, error.message, command);
    throw error;
  }
}

/** Also for a command line that cannot be parsed. The words after `--` belong to another command. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
}

function runNamed(command: CliCommand, args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  // Not for other commands: `holdfast lock` starts a child, which inherits the umask.
  if (command.writesData === true) process.umask(0o077);
  return command.run(args, terminal, allCommands);
}

function printAndExit(terminal: Terminal, text: string): ExitCode {
  terminal.print(text);
  return exitCodes.done;
}

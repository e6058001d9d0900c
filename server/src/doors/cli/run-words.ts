import { commands } from "./commands/all-commands.ts";
import { type Command, type Given, type Terminal, UsageError } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { commandHelp, generalHelp } from "./args/help.ts";
import { misused, unknownCommand } from "./args/misused.ts";
import { packageVersion } from "../../base/package-version.ts";
import { parseArguments } from "./args/parse-arguments.ts";

/** Finds the command that the words mean, and runs it. */
export async function runWords(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name] = words;
  if (name === undefined) return misused(terminal, "which command?");
  if (name === "--help" || name === "-h") return answer(terminal, generalHelp(await commands.all()));
  if (name === "--version" || name === "-v") return answer(terminal, `holdfast ${packageVersion()}`);
  const command = await commands.find(words);
  if (command === undefined) return unknownCommand(terminal, words, commands.names);
  const parsed = parseArguments(command, words.slice(command.name.split(" ").length));
  if (!parsed.ok) return misused(terminal, parsed.sentence, command);
  if (parsed.given.values["help"] === true) return answer(terminal, commandHelp(command));
  return runCommand(command, parsed.given, terminal);
}

async function runCommand(command: Command, given: Given, terminal: Terminal): Promise<ExitCode> {
  try {
    return await command.run(given, terminal, commands);
  } catch (error) {
    if (error instanceof UsageError) return misused(terminal, error.message, command);
    throw error;
  }
}

function answer(terminal: Terminal, answered: string): ExitCode {
  terminal.say(answered);
  return exitCodes.done;
}

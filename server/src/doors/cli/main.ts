/** The command `holdfast`: finds the command that is meant, runs it, and ends with a number that says how it went. */
import { text } from "node:stream/consumers";
import { commands } from "./all-commands.ts";
import { type Command, type Given, type Terminal, UsageError } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { misused, unknownCommand } from "./misused.ts";
import { packageVersion } from "./package-version.ts";
import { paintFor } from "./paint.ts";
import { parseArguments } from "./parse-arguments.ts";

async function main(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
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

// Whoever reads may stop reading, like `head`: that is an end, not a fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  throw error;
});

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  width: process.stderr.isTTY ? process.stderr.columns : 120,
  paint: paintFor(process.env, process.stdout.isTTY),
  readInput: () => text(process.stdin),
  ...(process.stderr.isTTY ? { draw: (line: string) => void process.stderr.write(`\r\u001b[2K${line}`) } : {}),
});

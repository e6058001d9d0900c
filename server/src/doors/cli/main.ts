/** The command `holdfast`: finds the command that is meant, runs it, and ends with a number that says how it went. */
import { closestWord } from "./closest-word.ts";
import type { Command, Terminal } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { packageVersion } from "./package-version.ts";
import { parseArguments } from "./parse-arguments.ts";
import { upCommand } from "./up.ts";

const helpCommand: Command = {
  name: "help",
  words: "[COMMAND]",
  wordsMax: 1,
  summary: "explain a command",
  details: ["Explains a command, or lists them all."],
  options: {},
  run: async ({ words: [name] }, terminal) => {
    if (name === undefined) return answer(terminal, generalHelp(commands));
    const command = findCommand(name);
    return command === undefined ? unknownCommand(terminal, name) : answer(terminal, commandHelp(command));
  },
};

const commands: readonly Command[] = [upCommand, helpCommand];

async function main(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = words;
  if (name === undefined) return misused(terminal, "which command?");
  if (name === "--help" || name === "-h") return answer(terminal, generalHelp(commands));
  if (name === "--version" || name === "-v") return answer(terminal, `holdfast ${packageVersion()}`);
  const command = findCommand(name);
  if (command === undefined) return unknownCommand(terminal, name);
  const parsed = parseArguments(command, rest);
  if (!parsed.ok) return misused(terminal, parsed.sentence, command);
  if (parsed.given.values["help"] === true) return answer(terminal, commandHelp(command));
  return command.run(parsed.given, terminal);
}

function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

function answer(terminal: Terminal, text: string): ExitCode {
  terminal.say(text);
  return exitCodes.done;
}

function unknownCommand(terminal: Terminal, name: string): ExitCode {
  const closest = closestWord(
    name.replace(/^-+/u, ""),
    commands.map((command) => command.name),
  );
  const kind = name.startsWith("-") ? "option" : "command";
  return misused(terminal, `there is no ${kind} ${name}${closest === undefined ? "" : `; did you mean ${closest}?`}`);
}

function misused(terminal: Terminal, sentence: string, command?: Command): ExitCode {
  const next = command === undefined ? "holdfast --help" : `holdfast help ${command.name}`;
  terminal.warn(`holdfast: ${sentence.replace(/[?.]$/u, "")}${sentence.endsWith("?") ? "?" : "."} See \`${next}\`.`);
  return exitCodes.usage;
}

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
});

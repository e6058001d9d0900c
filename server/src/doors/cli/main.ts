/** The command `holdfast`: finds the command that is meant, runs it, and ends with a number that says how it went. */
import { archiveCommand } from "./archive.ts";
import { backupCommand } from "./backup.ts";
import { checkpointCommand } from "./checkpoint.ts";
import { closestWord } from "./closest-word.ts";
import { type Command, type Given, type Terminal, UsageError } from "./command.ts";
import { eraseCommand } from "./erase.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { getCommand } from "./get.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { historyCommand } from "./history.ts";
import { journalExportCommand } from "./journal-export.ts";
import { journalFollowCommand } from "./journal-follow.ts";
import { journalImportCommand } from "./journal-import.ts";
import { journalListCommand } from "./journal-list.ts";
import { packageVersion } from "./package-version.ts";
import { parseArguments } from "./parse-arguments.ts";
import { restoreCommand } from "./restore.ts";
import { upCommand } from "./up.ts";
import { verifyCommand } from "./verify.ts";

const helpCommand: Command = {
  name: "help",
  words: "[COMMAND]",
  wordsMax: 2,
  summary: "explain a command",
  details: ["Explains a command, or lists them all.", "", "  holdfast help journal list"],
  options: {},
  run: async ({ words }, terminal) => {
    if (words.length === 0) return answer(terminal, generalHelp(commands));
    const command = findCommand(words);
    return command === undefined ? unknownCommand(terminal, words) : answer(terminal, commandHelp(command));
  },
};

const commands: readonly Command[] = [
  upCommand,
  verifyCommand,
  getCommand,
  historyCommand,
  journalListCommand,
  journalFollowCommand,
  journalExportCommand,
  journalImportCommand,
  backupCommand,
  restoreCommand,
  checkpointCommand,
  archiveCommand,
  eraseCommand,
  helpCommand,
];

async function main(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name] = words;
  if (name === undefined) return misused(terminal, "which command?");
  if (name === "--help" || name === "-h") return answer(terminal, generalHelp(commands));
  if (name === "--version" || name === "-v") return answer(terminal, `holdfast ${packageVersion()}`);
  const command = findCommand(words);
  if (command === undefined) return unknownCommand(terminal, words);
  const parsed = parseArguments(command, words.slice(command.name.split(" ").length));
  if (!parsed.ok) return misused(terminal, parsed.sentence, command);
  if (parsed.given.values["help"] === true) return answer(terminal, commandHelp(command));
  return runCommand(command, parsed.given, terminal);
}

async function runCommand(command: Command, given: Given, terminal: Terminal): Promise<ExitCode> {
  try {
    return await command.run(given, terminal);
  } catch (error) {
    if (error instanceof UsageError) return misused(terminal, error.message, command);
    throw error;
  }
}

/** The command that the first one or two words name. */
function findCommand([first, second]: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
}

function answer(terminal: Terminal, text: string): ExitCode {
  terminal.say(text);
  return exitCodes.done;
}

function unknownCommand(terminal: Terminal, [first = "", second]: readonly string[]): ExitCode {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  const isNamed = second !== undefined && !second.startsWith("-");
  if (group.length > 0 && !isNamed) return misused(terminal, `${first} is followed by a word: ${group.join(", ")}`);
  const name = group.length > 0 ? `${first} ${second ?? ""}` : first;
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
  ...(process.stderr.isTTY ? { draw: (line: string) => void process.stderr.write(`\r\u001b[2K${line}`) } : {}),
});

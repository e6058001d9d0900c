import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import type { CliCommand } from "../../server/src/doors/cli/command.ts";
import { exitCodes } from "../../server/src/doors/cli/exit-codes.ts";
import { parseArguments } from "../../server/src/doors/cli/args/parse-arguments.ts";
import { paintFor } from "../../server/src/doors/cli/terminal/paint.ts";
import { runCommandLine } from "../../server/src/doors/cli/run-command-line.ts";
import type { Random } from "../simulation/random.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { anyText, damaged } from "./fuzz-values.ts";

/** Words as a user might type them: options of this command and of none, values, more words, a command after `--`. */
function wordsFor(random: Random, command: CliCommand): readonly string[] {
  const options = Object.keys(command.options);
  const option = (): string => {
    const name = options.length === 0 || random.chance(0.2) ? anyText(random) : random.pick(options);
    const typed = `--${random.chance(0.2) ? damaged(random, name) : name}`;
    return random.chance(0.4) ? `${typed}=${anyText(random)}` : typed;
  };
  return Array.from({ length: random.below(7) }, () => {
    const kind = random.weighed({ option: 4, text: 4, end: 1, help: 1, short: 1 });
    if (kind === "option") return option();
    if (kind === "text") return anyText(random);
    return kind === "end" ? "--" : kind === "help" ? "--help" : `-${anyText(random)}`;
  });
}

function checkParsed(command: CliCommand, args: readonly string[]): void {
  const parsed = parseArguments(command, args);
  if (!parsed.ok) {
    assert.ok(parsed.sentence.length > 0);
    return;
  }
  const { values, positionals: taken, child } = parsed.given;
  for (const [name, value] of Object.entries(values)) {
    const options: CliCommand["options"] = { help: { summary: "" }, ...command.options };
    const known = Object.hasOwn(options, name) ? options[name] : undefined;
    assert.ok(known !== undefined, `--${name} is not its own`);
    if (known.value === undefined) assert.equal(value, true);
    else if (known.isValueOptional !== true) assert.ok(typeof value === "string" && value !== "");
  }
  assert.ok(taken.length <= command.positionalsMax);
  assert.ok(values["help"] !== undefined || taken.length >= (command.positionalsMin ?? 0));
  assert.ok(child === undefined || command.takesCommand === true);
  for (const word of [...taken, ...(child ?? [])]) assert.ok(args.includes(word), "no word is made up");
}

/** A command that does not exist, and one that is asked for its help, touch nothing: they can be run as they are. */
async function checkRun(random: Random, args: readonly string[]): Promise<void> {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const terminal = {
    env: {},
    folder: "/",
    width: 80,
    paint: paintFor({}, false),
    output: new PassThrough().resume(),
    readInput: () => Promise.resolve(""),
  };
  const first = `${anyText(random)}${random.pick(["!", "?", " ", "-x"])}`;
  if ((await allCommands.find([first, ...args])) !== undefined || /^-[hv]|^--(help|version)$/u.test(first)) return;
  assert.equal(await runCommandLine([first, ...args], { ...terminal, print, warn: print }), exitCodes.usage);
  assert.ok(printed.length > 0, "a misspelled command is reported");
  assert.doesNotMatch(printed.join(""), /[\u0000-\u001f\u007f-\u009f\u202e]/u, "the output has no control characters");
}

export const cliTarget: FuzzTarget = {
  name: "words of the command line",
  rounds: "cliFuzz",
  open: async () => {
    const all = await allCommands.all();
    return {
      round: async (random) => {
        const command = random.pick(all);
        const args = wordsFor(random, command);
        checkParsed(command, args);
        if (random.chance(0.1)) await checkRun(random, args);
      },
      close: () => Promise.resolve(),
    };
  },
};

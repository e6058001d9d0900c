import { parseArgs } from "node:util";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import type { Command, CommandOption, CommandArguments } from "../command.ts";

export type ParsedArguments =
  { readonly ok: true; readonly given: CommandArguments } | { readonly ok: false; readonly sentence: string };

/** Every command has these; whoever reads them looks for nothing else. */
const commonOptions = { help: { summary: "explain this command" } };

/** Reads what follows a command's name. Faults are sentences that name the nearest thing that would be right. */
export function parseArguments(command: Command, argv: readonly string[]): ParsedArguments {
  const options: Command["options"] = { ...commonOptions, ...command.options };
  const { tokens } = parseArgs({
    args: [...argv],
    // Its own faults are worded for programmers; it takes the words apart, and they are judged here.
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [
        name,
        { type: takesNextArgument(option) ? "string" : "boolean" },
      ]),
    ),
  });
  const values: Record<string, string | true> = {};
  const positionals: string[] = [];
  let child: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === "option-terminator" && command.takesCommand === true) child = [];
    if (token.kind === "positional") (child ?? positionals).push(token.value);
    if (token.kind !== "option") continue;
    const fault = optionError(token, options);
    if (fault !== undefined) return { ok: false, sentence: fault };
    values[token.name] = token.value ?? true;
  }
  const extra = positionals[command.positionalsMax];
  if (extra !== undefined) return { ok: false, sentence: `${command.name} takes no word "${extra}"` };
  const isShort = positionals.length < (command.positionalsMin ?? 0) && values["help"] === undefined;
  if (isShort) return { ok: false, sentence: `${command.name} needs ${command.usage ?? "a word"}` };
  return { ok: true, given: { values, positionals: positionals, ...(child === undefined ? {} : { child }) } };
}

function takesNextArgument({ value, isValueOptional }: CommandOption): boolean {
  return value !== undefined && isValueOptional !== true;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionError(token: OptionToken, options: Command["options"]): string | undefined {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (option === undefined) {
    const closest = closestWord(token.name, Object.keys(options));
    return `there is no option ${token.rawName}${closest === undefined ? "" : `; did you mean --${closest}?`}`;
  }
  if (option.value === undefined) return token.value === undefined ? undefined : `${token.rawName} takes no value`;
  if (option.isValueOptional === true && token.value === undefined) return undefined;
  const isSwallowed = token.inlineValue !== true && token.value?.startsWith("-") === true;
  if (token.value === undefined || token.value === "" || isSwallowed) {
    return `${token.rawName} needs a value: ${token.rawName}=${option.value}`;
  }
  return undefined;
}

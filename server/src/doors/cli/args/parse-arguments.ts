import { parseArgs } from "node:util";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import type { CliCommand, CommandOption, CommandArguments } from "../command.ts";

type ParsedArguments =
  | { readonly ok: true; readonly given: CommandArguments }
  | { readonly ok: false; readonly sentence: string };

/** The options of every command. */
const commonOptions = { help: { summary: "explain this command" } };

/** Parses the arguments after the name of a command. An error is a sentence that suggests the closest valid name. */
export function parseArguments(command: CliCommand, argv: readonly string[]): ParsedArguments {
  const options: CliCommand["options"] = { ...commonOptions, ...command.options };
  const { tokens } = parseArgs({
    args: [...argv],
    // `parseArgs` only splits the arguments. Its error messages are for programmers, so the checks are here.
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
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "option-terminator" && command.takesCommand === true) child = [];
    if (token.kind === "positional") {
      const error = detachedValueError(token.value, tokens[index - 1], options);
      if (error !== undefined) return { ok: false, sentence: error };
      (child ?? positionals).push(token.value);
    }
    if (token.kind !== "option") continue;
    const error = optionError(token, options);
    if (error !== undefined) return { ok: false, sentence: error };
    values[token.name] = token.value ?? true;
  }
  const extra = positionals[command.positionalsMax];
  if (extra !== undefined) return { ok: false, sentence: `unexpected argument "${extra}" of ${command.name}` };
  const isShort = positionals.length < (command.positionalsMin ?? 0) && values["help"] === undefined;
  if (isShort) return { ok: false, sentence: `${command.name} needs ${command.usage ?? "an argument"}` };
  return { ok: true, given: { values, positionals, child } };
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

/** `lock a --wait 30s` would lock the path `30s` too, and wait forever. */
function detachedValueError(
  text: string,
  before: OptionToken | { readonly kind: "positional" | "option-terminator" } | undefined,
  options: CliCommand["options"],
): string | undefined {
  if (before === undefined || !("rawName" in before) || before.value !== undefined) return undefined;
  if (options[before.name]?.isValueOptional !== true || !/^[0-9]+(ms|s|m|h|d)?$/u.test(text)) return undefined;
  return `the value of ${before.rawName} follows an equals sign: ${before.rawName}=${text}`;
}

function optionError(token: OptionToken, options: CliCommand["options"]): string | undefined {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (option === undefined) {
    const names = Object.keys(options);
    const closest = closestWord(token.name, names) ?? names.find((name) => name.startsWith(`${token.name}-`));
    return `unknown option ${token.rawName}${closest === undefined ? "" : `; did you mean --${closest}?`}`;
  }
  if (option.value === undefined) return token.value === undefined ? undefined : `${token.rawName} takes no value`;
  if (option.isValueOptional === true && token.value === undefined) return undefined;
  // A lone dash is a value: standard input.
  const isSwallowed = token.inlineValue !== true && token.value?.startsWith("-") === true && token.value !== "-";
  if (token.value === undefined || token.value === "" || isSwallowed) {
    return `${token.rawName} needs a value: ${token.rawName}=${option.value}`;
  }
  return undefined;
}

import { UsageError } from "./usage-error.ts";
import type { OptionValues } from "../command.ts";

/** A whole number that was given for an option; undefined if it was not given. */
export function numberOption(values: OptionValues, name: string, least: number): number | undefined {
  const given = values[name];
  return typeof given === "string" ? wholeNumber(given, `--${name}`, least) : undefined;
}

/** A whole number that was given as a word. */
export function wholeNumber(text: string, name: string, least: number): number {
  const number = Number(text);
  if (/^[0-9]{1,15}$/u.test(text) && number >= least) return number;
  throw new UsageError(`${name} takes a whole number from ${least} up, not "${text}"`);
}

export function textOption(values: OptionValues, name: string): string | undefined {
  const given = values[name];
  return typeof given === "string" ? given : undefined;
}

/** A head as `verify` and `journal list` print it. */
export function headOption(values: OptionValues): { readonly position: number; readonly hash: string } | undefined {
  const given = textOption(values, "head");
  if (given === undefined) return undefined;
  const match = /^([0-9]{1,15}):([0-9a-f]{64})$/u.exec(given);
  if (match === null) throw new UsageError(`--head takes a position and a hash, like 12:9f86…, not "${given}"`);
  return { position: Number(match[1]), hash: match[2] ?? "" };
}

/** `TYPE/ID`: a type holds no slash, an id may. */
export function entityArgument(word: string): { readonly type: string; readonly id: string } {
  const slash = word.indexOf("/");
  if (slash < 1 || slash === word.length - 1) {
    throw new UsageError(`an entity is named TYPE/ID, like note/first, not "${word}"`);
  }
  return { type: word.slice(0, slash), id: word.slice(slash + 1) };
}

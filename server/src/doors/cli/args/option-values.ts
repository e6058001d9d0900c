import { UsageError } from "./usage-error.ts";

/** The values of the given options. An option that was not given is absent. */
export type OptionValues = Readonly<Record<string, string | true>>;

/** The integer value of an option. Undefined if the option was not given. */
export function numberOption(values: OptionValues, name: string, min: number): number | undefined {
  const given = values[name];
  return typeof given === "string" ? integerArgument(given, `--${name}`, min) : undefined;
}

/** Reads an integer argument. */
export function integerArgument(text: string, name: string, min: number): number {
  const number = Number(text);
  if (/^[0-9]{1,15}$/u.test(text) && number >= min) return number;
  throw new UsageError(`${name} must be an integer of at least ${min}, not "${text}"`);
}

const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, min: 60, h: 3_600, d: 86_400 };

/** The seconds of an option such as `90`, `90s`, `5m` or `2h`. Undefined if the option was not given. */
export function secondsOption(values: OptionValues, name: string, min: number): number | undefined {
  const given = values[name];
  return typeof given === "string" ? secondsArgument(given, `--${name}`, min) : undefined;
}

export function secondsArgument(text: string, name: string, min: number): number {
  const [, digits = "", unit = ""] = /^([0-9]{1,12}) ?([a-z]*)$/u.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN);
  if (digits !== "" && seconds >= min) return seconds;
  throw new UsageError(`${name} must be a duration of at least ${min} s, like 90s, 5m or 2h, not "${text}"`);
}

export function textOption(values: OptionValues, name: string): string | undefined {
  const given = values[name];
  return typeof given === "string" ? given : undefined;
}

/** One of the allowed values of an option. Undefined if the option was not given. */
export function choiceOption<Choice extends string>(
  values: OptionValues,
  name: string,
  allowed: readonly Choice[],
): Choice | undefined {
  const given = textOption(values, name);
  if (given === undefined) return undefined;
  const found = allowed.find((allowedValue) => allowedValue === given);
  if (found === undefined) throw new UsageError(`--${name} must be ${allowed.join(" or ")}, not "${given}"`);
  return found;
}

/** Reads a head in the format of `verify` and `journal list`. */
export function headOption(values: OptionValues): { readonly position: number; readonly hash: string } | undefined {
  const given = textOption(values, "head");
  if (given === undefined) return undefined;
  const match = /^([0-9]{1,15}):([0-9a-f]{64})$/u.exec(given);
  if (match === null) throw new UsageError(`--head must be a position and a hash, like 12:9f86…, not "${given}"`);
  return { position: Number(match[1]), hash: match[2] ?? "" };
}

/** Reads `TYPE/ID`. An id may contain slashes, a type may not. */
export function entityArgument(text: string): { readonly type: string; readonly id: string } {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1) {
    throw new UsageError(`an entity name must be TYPE/ID, like note/first, not "${text}"`);
  }
  return { type: text.slice(0, slash), id: text.slice(slash + 1) };
}

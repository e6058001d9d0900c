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

export function textOption(values: OptionValues, name: string): string | undefined {
  const given = values[name];
  return typeof given === "string" ? given : undefined;
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

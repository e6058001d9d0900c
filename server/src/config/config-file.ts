import { readFileSync, statSync } from "node:fs";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import { trustFault } from "../base/trust-fault.ts";
import { ConfigError } from "./config-error.ts";
import { readJsonValue, printableValue } from "./read-value.ts";
import { settingNames, settingOf } from "./settings.ts";
import type { SettingName, SettingValue } from "./settings.ts";

/** The name of the configuration file in the data folder. */
export const configFileName = "holdfast.json";

/** Reads the settings of a configuration file. A file that neither --config nor HOLDFAST_CONFIG names may be missing. */
export function readConfigFile(
  file: string,
  { isRequired }: { readonly isRequired: boolean },
): ReadonlyMap<SettingName, SettingValue> {
  const text = textOf(file, isRequired);
  return text === undefined
    ? new Map()
    : new Map(Object.entries(parse(file, text)).map((pair) => checkedSetting(file, pair)));
}

/** Maximum size of a configuration file. */
const fileBytesMax = 1_048_576;

function textOf(file: string, isRequired: boolean): string | undefined {
  try {
    const fault = trustFault(file);
    if (fault !== undefined) throw new ConfigError(`the configuration file ${fault}`);
    const { size } = statSync(file);
    if (size > fileBytesMax)
      throw new ConfigError(`the configuration file ${file} is larger than ${fileBytesMax} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (!isRequired && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new ConfigError(
      `the configuration file ${file} cannot be read (${code ?? String(error)}): check its path and its permissions`,
    );
  }
}

function parse(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new ConfigError(`${file} is not JSON (${(error as Error).message}): correct it or delete it`);
  }
  throw new ConfigError(`${file} must contain one JSON object, such as {"port": 4653}`);
}

function checkedSetting(file: string, [name, value]: readonly [string, unknown]): [SettingName, SettingValue] {
  const known = settingNames.find((each) => each === name);
  if (known === undefined) {
    const closest = closestWord(name, settingNames);
    const hint = closest === undefined ? `the keys are ${settingNames.join(", ")}` : `did you mean ${closest}?`;
    throw new ConfigError(`${file} has an unknown key "${name}"; ${hint}`);
  }
  // The server finds the file through the data folder, so the file cannot name that folder.
  if (known === "data") throw new ConfigError(`${file} cannot set the data folder: use --data or HOLDFAST_DATA`);
  const setting = settingOf(known);
  const read = readJsonValue(setting, value);
  if (read.ok) return [known, read.value];
  throw new ConfigError(`${name} in ${file} must be ${read.expected}, not ${printableValue(setting, value)}`);
}

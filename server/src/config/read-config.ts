/**
 * Resolves the configuration of a server. Options override environment variables, which override the file, which
 * overrides the defaults. Misspelled names are errors: a setting that is silently ignored is worst when it protects data.
 */
import { join, resolve } from "node:path";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import { configFileName, readConfigFile } from "./config-file.ts";
import { ConfigError } from "./config-error.ts";
import { readTextValue, printableValue } from "./read-value.ts";
import { clientVariables, optionOf, settingNames, settingOf, variableOf } from "./settings.ts";
import type { Config, SettingName, SettingValue, SettingSource } from "./settings.ts";

export interface ConfigInput {
  /** Options by name, without the leading dashes. `true` is an option without a value. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths are resolved against. */
  readonly folder: string;
}

export interface ResolvedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
  /** The path of the configuration file, which may not exist. */
  readonly file: string;
}

export function readConfig(input: ConfigInput): ResolvedConfig {
  const { options, env, folder } = input;
  rejectMisspelledVariables(env);
  const overrides = new Map(settingNames.flatMap((name) => fromOption(name, options) ?? fromVariable(name, env) ?? []));
  const data = resolve(folder, String(overrides.get("data")?.value ?? settingOf("data").default));
  const configPath = options["config"] ?? nonEmpty(env["HOLDFAST_CONFIG"]);
  const file = typeof configPath === "string" ? resolve(folder, configPath) : join(data, configFileName);
  const inFile = readConfigFile(file, { isRequired: typeof configPath === "string" });
  const values = new Map<SettingName, SourcedValue>(
    settingNames.map((name) => [
      name,
      overrides.get(name) ?? sourcedValue("file", inFile.get(name)) ?? defaultOf(name),
    ]),
  );
  if (typeof configPath !== "string" && !overrides.has("data")) rejectSettingsOfFoundFile(file, values);
  const config = Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  const sources = Object.fromEntries([...values].map(([name, { source }]) => [name, source]));
  return {
    config: { ...(config as unknown as Config), data },
    sources: sources as Record<SettingName, SettingSource>,
    file,
  };
}

interface SourcedValue {
  readonly value: SettingValue;
  readonly source: SettingSource;
}

/**
 * The data folder of the working directory may be part of a repository. Its file must not send the secrets of the
 * environment to a host of its choice. It must not open the server with a token that its author knows.
 */
function rejectSettingsOfFoundFile(file: string, values: ReadonlyMap<SettingName, SourcedValue>): void {
  for (const [name, { source }] of values) {
    if (source !== "file" || settingOf(name).needsNamedFile !== true) continue;
    throw new ConfigError(
      `${name} in ${file} is not used, because the file was found in the working directory and may come from elsewhere: ` +
        "if you trust it, name its folder with --data, or the file with --config",
    );
  }
}

function sourcedValue(source: SettingSource, value: SettingValue | undefined): SourcedValue | undefined {
  return value === undefined ? undefined : { source, value };
}

function defaultOf(name: SettingName): SourcedValue {
  return { source: "default", value: settingOf(name).default };
}

function fromOption(name: SettingName, options: ConfigInput["options"]): [SettingName, SourcedValue][] | undefined {
  const option = optionOf(name);
  if (settingOf(name).isSecret === true) return undefined;
  const text = options[option];
  if (text === undefined) return undefined;
  // `--lock-manager` without a value means on.
  if (text === true) return [[name, { source: "option", value: true }]];
  return [[name, { source: "option", value: valueOf(name, text, `--${option}`) }]];
}

function fromVariable(name: SettingName, env: ConfigInput["env"]): [SettingName, SourcedValue][] | undefined {
  const variable = variableOf(name);
  const text = nonEmpty(env[variable]);
  return text === undefined ? undefined : [[name, { source: "environment", value: valueOf(name, text, variable) }]];
}

function valueOf(name: SettingName, text: string, source: string): SettingValue {
  const setting = settingOf(name);
  const read = readTextValue(setting, text);
  if (read.ok) return read.value;
  throw new ConfigError(`${source} must be ${read.expected}, not ${printableValue(setting, text)}`);
}

/** Rejects a variable whose name is close to a setting. Other HOLDFAST_ variables are ignored: tests and images set some. */
function rejectMisspelledVariables(env: ConfigInput["env"]): void {
  const known = [...settingNames.map(variableOf), ...Object.keys(clientVariables)];
  for (const name of Object.keys(env)) {
    if (!name.startsWith("HOLDFAST_") || known.includes(name)) continue;
    const suffix = name.slice("HOLDFAST_".length);
    const closest = closestWord(
      suffix,
      settingNames.map((each) => each.toUpperCase()),
    );
    if (closest === undefined) continue;
    throw new ConfigError(`the environment variable ${name} is not a setting; did you mean HOLDFAST_${closest}?`);
  }
}

/** An empty variable counts as not set. */
function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

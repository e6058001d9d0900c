import { ConfigError } from "../../../config/config-error.ts";
import { readConfig } from "../../../config/read-config.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import { optionOf, settingNames, settingOf, variableOf } from "../../../config/settings.ts";
import type { SettingKind, Setting, SettingName } from "../../../config/settings.ts";
import { UsageError } from "./usage-error.ts";
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";

const placeholders: Readonly<Record<SettingKind, string>> = {
  text: "TEXT",
  number: "N",
  switch: "on|off",
  list: "LIST",
  choice: "CHOICE",
  postgres: "URL",
};

const ownPlaceholders: Partial<Record<SettingName, string>> = {
  data: "DIR",
  host: "HOST",
  port: "PORT",
  space: "NAME",
};

/** The options of `holdfast up`, from the table of settings. */
export function configOptions(): Readonly<Record<string, CommandOption>> {
  const shown = settingNames.filter((name) => settingOf(name).isSecret !== true);
  const named = shown.map((name) => [optionOf(name), configOption(name, settingOf(name))] as const);
  const file = {
    value: "FILE",
    summary: "the configuration file (default: $HOLDFAST_CONFIG, else holdfast.json in the data folder)",
  };
  return { ...Object.fromEntries(named), config: file };
}

function configOption(name: SettingName, setting: Setting): CommandOption {
  const value = ownPlaceholders[name] ?? setting.choices?.join("|") ?? placeholders[setting.kind];
  const summary = `${setting.summary} (default: $${variableOf(name)}, else ${defaultText(setting)})`;
  return setting.kind === "switch" ? { value, isValueOptional: true, summary } : { value, summary };
}

/** A default value for help texts and documents. */
export function defaultText({ default: value }: Setting): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return (typeof value === "object" ? value.join(",") : String(value)) || "none";
}

/** Reads the configuration of a server. An error in it is a usage error, in whichever source it is. */
export function configOf({ values }: CommandArguments, { env, folder }: Terminal): ResolvedConfig {
  try {
    return readConfig({ options: values, env, folder });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

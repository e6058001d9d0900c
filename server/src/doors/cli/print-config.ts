import { jsonLine } from "../../base/json-line.ts";
import type { ReadConfig } from "../../config/read-config.ts";
import { settingNames } from "../../config/settings.ts";
import type { SettingValue } from "../../config/settings.ts";
import type { Given, Terminal } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { harmless } from "./harmless.ts";
import { table } from "./table.ts";

/** Says what a server would be started with, and where each value comes from. */
export function printConfig(read: ReadConfig, { values }: Given, terminal: Terminal): ExitCode {
  const { config, sources, file } = read;
  if (values["json"] === true) {
    terminal.say(jsonLine({ event: "config", config, sources, file }));
    return exitCodes.done;
  }
  const rows = settingNames.map((name) => [name, shownValue(config[name]), sources[name]]);
  terminal.say(table(["SETTING", "VALUE", "FROM"], rows, terminal.paint));
  terminal.say(`\nThe file is ${file}.`);
  return exitCodes.done;
}

function shownValue(value: SettingValue): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return harmless(typeof value === "object" ? value.join(",") || "-" : String(value));
}

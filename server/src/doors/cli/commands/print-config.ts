import { jsonLine } from "../../../base/json-line.ts";
import { redactAddress } from "../../../base/redact-address.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import { settingNames, settingOf } from "../../../config/settings.ts";
import type { SettingName, SettingValue } from "../../../config/settings.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { table } from "../terminal/table.ts";

/** Prints the settings of a server and the source of each value. */
export function printConfig(read: ResolvedConfig, { values }: CommandArguments, terminal: Terminal): ExitCode {
  const { sources, file } = read;
  const config = Object.fromEntries(settingNames.map((name) => [name, redacted(name, read.config[name])]));
  if (values["json"] === true) {
    terminal.print(jsonLine({ event: "config", config, sources, file }));
    return exitCodes.done;
  }
  const rows = settingNames.map((name) => [name, shownValue(config[name] ?? ""), sources[name]]);
  terminal.print(table(["SETTING", "VALUE", "FROM"], rows, terminal.paint));
  terminal.print(`\nConfiguration file: ${file}`);
  return exitCodes.done;
}

/** Replaces a secret by a marker that a value is set. */
function redacted(name: SettingName, value: SettingValue): SettingValue {
  const { isSecret, kind } = settingOf(name);
  if (value === "") return value;
  if (kind === "postgres") return redactAddress(String(value));
  return isSecret === true ? "(given)" : value;
}

function shownValue(value: SettingValue): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  const text = escapeControlChars(typeof value === "object" ? value.join(",") : String(value));
  return text === "" ? "-" : text;
}

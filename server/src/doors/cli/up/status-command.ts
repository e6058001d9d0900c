import { existsSync } from "node:fs";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { dataOption } from "../discovery/data-option.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { logFileOf } from "./log-file.ts";
import { runningServerOf } from "./running-server-of.ts";

export const statusCommand: CliCommand = {
  name: "status",
  positionalsMax: 0,
  summary: "show the server of a data folder",
  details: [
    "Shows whether a server runs on the nearest data folder: its address, its process, its position and its log file. The",
    "exit code is 0 only if the server runs and is ready.",
    "",
    "  holdfast status",
    "  holdfast status --data /var/lib/holdfast --json",
  ],
  options: { data: dataOption, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => showStatus(args, terminal)),
};

async function showStatus(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { folder, url, pid, health } = await runningServerOf(args, terminal);
  const log = existsSync(logFileOf(folder)) ? logFileOf(folder) : undefined;
  const { version, position, epoch, ready, reasons } = health;
  const text = [
    `Holdfast ${String(version)} runs and is ${ready === true ? terminal.paint.good("ready") : terminal.paint.bad("not ready")}.`,
    ...(Array.isArray(reasons) ? reasons.map((reason) => `  ${escapeControlChars(String(reason))}`) : []),
    `  address   ${url}`,
    `  data      ${folder}`,
    `  process   ${pid}`,
    `  position  ${String(position)} (epoch ${String(epoch)})`,
    ...(log === undefined ? [] : [`  log       ${log}`]),
  ].join("\n");
  terminal.print(args.values["json"] === true ? jsonLine({ url, data: folder, pid, log, ...health }) : text);
  return ready === true ? exitCodes.done : exitCodes.unavailable;
}

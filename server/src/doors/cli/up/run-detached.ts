/** `holdfast up --detach`: starts the server in a process of its own, and waits until it is up or has failed. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { createFolder } from "../../../base/create-folder.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { configOf } from "../args/config-options.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { failureReport } from "../terminal/failure-report.ts";
import { dataOption } from "./data-option.ts";
import { logFileOf } from "./log-file.ts";
import { ignoreInGit, newFolder } from "./new-folder.ts";
import { eventPrinter } from "./up-event.ts";
import type { UpEvent } from "./up-event.ts";

/** Maximum bytes of a log file at the start of a server. A larger one is kept once, under another name. */
const logBytesMax = 16 * 1024 * 1024;

export async function runDetached(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { data } = configOf(args, terminal).config;
  const printEvent = eventPrinter(terminal, args.values["json"] === true);
  const folder = newFolder(data);
  const log = logFileOf(data);
  try {
    createFolder(data);
    ignoreInGit(data);
    const { event, code } = await started(log, terminal);
    if (event?.event === "up") {
      printEvent(detachedEvent(event, log, terminal.folder));
      return exitCodes.done;
    }
    printEvent(event ?? crashedEvent(log));
    folder.remove();
    return code ?? exitCodes.defect;
  } catch (error) {
    folder.remove();
    const { exit, json, lines } = failureReport(error);
    printEvent({ event: "failed", json, lines });
    return exit;
  }
}

/** The last line of the event `up` says how to stop it, which is different here. */
function detachedEvent({ json, lines }: UpEvent, log: string, here: string): UpEvent {
  const stop = [
    `It runs in the background as process ${String(json["pid"])}. Its log is ${log}.`,
    `Stop it with \`holdfast down${dataOption(String(json["data"]), here)}\`.`,
  ];
  return { event: "up", json: { ...json, log }, lines: [...lines.slice(0, -1), ...stop] };
}

/** Maximum characters of the log that are printed after a crash. */
const crashTextMax = 2_000;

function crashedEvent(log: string): UpEvent {
  const output = readFileSync(log, "utf8").slice(-crashTextMax).trimEnd();
  return { event: "failed", json: { code: "defect", output }, lines: ["the server ended before it was up:", output] };
}

interface StartResult {
  readonly event?: UpEvent;
  /** The exit code of a process that ended. */
  readonly code?: number | null;
}

/** The first event of the server's process. After a failure it also waits for the end of the process. */
function started(log: string, { env, folder }: Terminal): Promise<StartResult> {
  rotate(log);
  const output = openSync(log, "a", 0o600);
  const [node, script = "", ...argv] = [process.execPath, process.argv[1], ...process.argv.slice(2)];
  const child = spawn(node, [...process.execArgv, script, ...argv.filter((word) => word !== "--detach")], {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  return new Promise((resolve, reject) => {
    let event: UpEvent | undefined;
    child.once("error", reject);
    child.once("message", (message) => {
      event = message as UpEvent;
      if (event.event !== "up") return;
      child.unref();
      resolve({ event });
    });
    child.once("exit", (code) => resolve(event === undefined ? { code } : { event, code }));
  });
}

function rotate(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logBytesMax) renameSync(log, `${log}.1`);
}

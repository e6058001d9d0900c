import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { hasPassword, redactAddress } from "../../../base/redact-address.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import type { Config } from "../../../config/settings.ts";
import type { RunningServer, ServeOptions } from "../../../assembly/serve.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { configOf } from "../args/config-options.ts";
import { explainListenError } from "../discovery/explain-listen-error.ts";
import { operatorTokenFile } from "../../../base/operator-token-file.ts";
import { packageVersion } from "../../../base/package-version.ts";
import { printConfig } from "../commands/print-config.ts";
import { failureReport } from "../terminal/failure-report.ts";
import { serveOptions } from "../args/serve-options.ts";
import { untilSignal } from "../terminal/until-signal.ts";
import { eventPrinter } from "./up-event.ts";
import type { UpEvent } from "./up-event.ts";
import { dataOption } from "./data-option.ts";
import { lastPort } from "./last-port.ts";
import { ignoreInGit, newFolder } from "./new-folder.ts";
import { portsOf, serveOnFreePort } from "./serve-on-free-port.ts";

export async function runUp(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const read = configOf(args, terminal);
  if (args.values["print-config"] === true) return printConfig(read, args, terminal);
  const { config } = read;
  const isJson = args.values["json"] === true;
  const printEvent = eventPrinter(terminal, isJson);
  const report = (message: string, cause: unknown): void => {
    // Without --json the log contains the warning.
    if (isJson || config.log_level === "silent") printEvent(warningEvent(message, cause));
  };
  const options = serveOptions(read, { isJson, write: (line) => terminal.warn(line), report });
  try {
    if (showsPassword(read)) printEvent(warningEvent(passwordWarning, undefined));
    const running = await serveOrRemove(options, read);
    // The listener comes first: a reader of the event `up` may stop the server immediately.
    const signalled = untilSignal(systemClock);
    const up = await upEvent(running, config, terminal);
    printEvent(up);
    reportToParent(up);
    const signal = await signalled;
    const stopping = `${signal}: stopping. A second signal ends the process immediately.`;
    printEvent({ event: "stopping", json: { signal }, lines: [stopping] });
    await running.close();
    printEvent(await stoppedEvent(running));
    return exitCodes.done;
  } catch (error) {
    const { exit, json, lines } = failureReport(explainListenError(error, config));
    const failed: UpEvent = { event: "failed", json, lines };
    printEvent(failed);
    reportToParent(failed);
    return exit;
  }
}

/** Starts the server. If the start fails, the folders that it created are removed. */
async function serveOrRemove(options: ServeOptions, read: ResolvedConfig): Promise<RunningServer> {
  const folder = newFolder(options.data);
  try {
    const running = await serveOnFreePort(options, portsOf(read));
    ignoreInGit(options.data);
    lastPort.write(options.data, Number(new URL(running.url).port));
    return running;
  } catch (error) {
    // Another process created the folder meanwhile, and uses it.
    if (exitCodeOf(error) !== exitCodes.owned) folder.remove();
    throw error;
  }
}

/** The process of `up --detach` prints the first event and leaves. */
function reportToParent(event: UpEvent): void {
  process.send?.(event);
  if (process.connected) process.disconnect();
}

const passwordWarning =
  "all users of this host can read the password in --journal: set HOLDFAST_JOURNAL or PGPASSWORD instead";

function showsPassword({ config, sources }: ResolvedConfig): boolean {
  return sources.journal === "option" && hasPassword(config.journal);
}

async function upEvent(running: RunningServer, config: Config, { env, folder: here }: Terminal): Promise<UpEvent> {
  const { data: folder, journal } = config;
  const { position, epoch, entityCount } = await running.summary();
  const version = packageVersion();
  const token = join(folder, operatorTokenFile);
  const operator = { operator_token_file: existsSync(token) ? token : undefined };
  const { nats } = running;
  const isShared = journal !== "";
  const shared = { journal: isShared ? redactAddress(journal) : undefined, space: isShared ? config.space : undefined };
  const base = { version, url: running.url, data: folder, ...shared, position, epoch, entity_count: entityCount };
  // A server that npm started comes from a checkout, in which only npx finds the command.
  const command = env["npm_execpath"] === undefined ? "holdfast" : "npx holdfast";
  const option = dataOption(folder, here);
  const lock = `${command} lock demo${option}`;
  return {
    event: "up",
    json: { ...base, ...operator, nats, pid: process.pid },
    lines: [
      `Holdfast ${version} is up.`,
      `  address   ${running.url}`,
      `  data      ${folder}`,
      ...(journal === "" ? [] : [`  journal   ${redactAddress(journal)}, space ${config.space}`]),
      `  position  ${position} (epoch ${epoch})`,
      `  entities  ${entityCount}, including deleted ones`,
      ...(existsSync(token) ? [`  operator  ${token} (the operator's token; keep it secret)`] : []),
      ...natsLines(nats),
      "",
      `Try this in two other terminals${option === "" ? ", in this folder" : ""}:`,
      `  ${lock} --purpose "trying it out" -- sleep 30`,
      `  ${lock} -- echo "my turn"`,
      "",
      "Stop it with Ctrl+C or SIGTERM.",
    ],
  };
}

/** The version of the nats-server, and the limits of that version. */
function natsLines(nats: RunningServer["nats"]): readonly string[] {
  if (nats === undefined) return [];
  if (nats.server_version === null) return [`  nats      not connected (${nats.reasons.join("; ")}); retrying`];
  const warnings = nats.warnings.map((warning) => `            ${warning}`);
  return [`  nats      nats-server ${nats.server_version}; the limits of this version:`, ...warnings];
}

async function stoppedEvent(running: RunningServer): Promise<UpEvent> {
  const { position } = await running.summary();
  return { event: "stopped", json: { position }, lines: [`stopped at position ${position}.`] };
}

function warningEvent(message: string, cause: unknown): UpEvent {
  const reason = cause instanceof Error ? cause.message : undefined;
  const isIncluded = reason === undefined || message.includes(reason);
  return { event: "problem", json: { message, reason }, lines: [isIncluded ? message : `${message}: ${reason}`] };
}

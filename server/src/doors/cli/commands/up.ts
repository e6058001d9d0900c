import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { hasPassword, redactAddress } from "../../../base/redact-address.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import type { Config } from "../../../config/settings.ts";
import { serve } from "../../../assembly/serve.ts";
import type { RunningServer } from "../../../assembly/serve.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { configOf, configOptions } from "../args/config-options.ts";
import { explainListenError } from "../discovery/explain-listen-error.ts";
import { operatorTokenFile } from "../../../base/operator-token-file.ts";
import { packageVersion } from "../../../base/package-version.ts";
import { printConfig } from "./print-config.ts";
import { failureReport } from "../terminal/failure-report.ts";
import { serveOptions } from "../args/serve-options.ts";
import { untilSignal } from "../terminal/until-signal.ts";

export const upCommand: CliCommand = {
  name: "up",
  positionalsMax: 0,
  writesData: true,
  summary: "start Holdfast on a data folder and keep it running",
  details: [
    "Starts Holdfast on a data folder, and creates the folder if it does not exist. It runs until Ctrl+C or SIGTERM. On a",
    "stop it answers the pending calls and closes the folder. A second signal ends the process immediately, without the",
    "loss of acknowledged writes. Only one process at a time can open a folder.",
    "",
    "With --journal the journal is in a Postgres database. Any number of nodes can serve it, each with its own data folder.",
    "Set a password in HOLDFAST_JOURNAL or in the file, because all users of this host can read options.",
    "",
    "A setting can be an option, an environment variable, or a key of holdfast.json in the data folder, such as",
    '{"port": 4700, "require_token": true}. An option overrides a variable, and a variable overrides the file.',
    "",
    "  holdfast up",
    "  holdfast up --data /var/lib/holdfast --port 4700",
    "  holdfast up --journal 'postgres://holdfast@db.internal/holdfast?sslmode=verify-full'",
    "  holdfast up --print-config",
  ],
  options: {
    ...configOptions(),
    "print-config": { summary: "print the value and the source of each setting, and exit" },
    json: { summary: "print one line of JSON per event" },
  },
  run: runUp,
};

/** An event of the server, as lines for people and as JSON for programs. */
interface UpEvent {
  readonly event: "up" | "problem" | "stopping" | "stopped" | "failed";
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

async function runUp(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const read = configOf(args, terminal);
  if (args.values["print-config"] === true) return printConfig(read, args, terminal);
  const { config } = read;
  const isJson = args.values["json"] === true;
  const printEvent = isJson ? printJson(terminal) : printText(terminal);
  const report = (message: string, cause: unknown): void => {
    // Without --json the log contains the warning.
    if (isJson || config.log_level === "silent") printEvent(warningEvent(message, cause));
  };
  const options = serveOptions(read, { isJson, write: (line) => terminal.warn(line), report });
  try {
    if (showsPassword(read)) printEvent(warningEvent(passwordWarning, undefined));
    const running = await serve(options);
    // The listener comes first: a reader of the event `up` may stop the server immediately.
    const signalled = untilSignal(systemClock);
    printEvent(await upEvent(running, config, terminal));
    const signal = await signalled;
    const stopping = `${signal}: stopping. A second signal ends the process immediately.`;
    printEvent({ event: "stopping", json: { signal }, lines: [stopping] });
    await running.close();
    printEvent(await stoppedEvent(running));
    return exitCodes.done;
  } catch (error) {
    const { exit, json, lines } = failureReport(explainListenError(error, config));
    printEvent({ event: "failed", json, lines });
    return exit;
  }
}

const passwordWarning =
  "all users of this host can read the password in --journal: set HOLDFAST_JOURNAL or PGPASSWORD instead";

function showsPassword({ config, sources }: ResolvedConfig): boolean {
  return sources.journal === "option" && hasPassword(config.journal);
}

async function upEvent(running: RunningServer, config: Config, { env }: Terminal): Promise<UpEvent> {
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
      "Try this in two other terminals, in this folder:",
      `  ${command} lock demo --purpose "trying it out" -- sleep 30`,
      `  ${command} lock demo -- echo "my turn"`,
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

function printText(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, lines }) => {
    if (event === "problem" || event === "failed") terminal.warn(`holdfast: ${lines.join("\n")}`);
    else terminal.print(lines.join("\n"));
  };
}

function printJson(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, json }) => {
    terminal.print(jsonLine({ event, ...json }));
  };
}

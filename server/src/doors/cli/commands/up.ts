import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { hasPassword, redactAddress } from "../../../base/redact-address.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import type { Config } from "../../../config/settings.ts";
import { serve } from "../../../assembly/serve.ts";
import type { Serving } from "../../../assembly/serve.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
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

export const upCommand: Command = {
  name: "up",
  positionalsMax: 0,
  summary: "start Holdfast on a data folder and keep it running",
  details: [
    "Starts Holdfast on a data folder, which is made if it does not exist, and runs until it is stopped with Ctrl+C or",
    "SIGTERM. Stopping answers what waits and closes the folder; a second signal ends it at once, and even then nothing",
    "that was acknowledged is lost. One process at a time can have a folder open.",
    "",
    "With --journal the journal is in a Postgres database, and any number of nodes serve it, each with a data folder of its",
    "own. A password belongs into HOLDFAST_JOURNAL or the file: everybody on this host can see options.",
    "",
    "Every setting can be given as an option, as an environment variable, or in holdfast.json in the data folder, such as",
    '{"port": 4700, "require_token": true}; the first of these that has it wins.',
    "",
    "  holdfast up",
    "  holdfast up --data /var/lib/holdfast --port 4700",
    "  holdfast up --journal 'postgres://holdfast@db.internal/holdfast?sslmode=verify-full'",
    "  holdfast up --print-config",
  ],
  options: {
    ...configOptions(),
    "print-config": { summary: "print what it would start with, and where each value comes from" },
    json: { summary: "print one line of JSON for each event, for programs" },
  },
  run: runUp,
};

/** Something that happened, in words for people and with the json for programs. */
interface UpEvent {
  readonly event: "up" | "trouble" | "stopping" | "stopped" | "failed";
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

async function runUp(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const read = configOf(args, terminal);
  if (args.values["print-config"] === true) return printConfig(read, args, terminal);
  const { config } = read;
  const isJson = args.values["json"] === true;
  const tell = isJson ? printJson(terminal) : printText(terminal);
  const report = (message: string, cause: unknown): void => {
    // To people the log tells it.
    if (isJson || config.log_level === "silent") tell(warningEvent(message, cause));
  };
  const options = serveOptions(read, { isJson, write: (line) => terminal.warn(line), report });
  try {
    if (showsPassword(read)) tell(warningEvent(passwordWarning, undefined));
    const running = await serve(options);
    // Listened for before it is up in words: whoever reads that may stop it at once.
    const signalled = untilSignal(systemClock);
    tell(await upEvent(running, config, terminal));
    const signal = await signalled;
    tell({ event: "stopping", json: { signal }, lines: [`${signal}: stopping; once more ends it at once.`] });
    await running.close();
    tell(await stoppedEvent(running));
    return exitCodes.done;
  } catch (error) {
    const { exit, json, lines } = failureReport(explainListenError(error, config));
    tell({ event: "failed", json, lines });
    return exit;
  }
}

const passwordWarning =
  "the password in --journal can be seen by everybody on this host: set HOLDFAST_JOURNAL instead, or PGPASSWORD";

function showsPassword({ config, sources }: ResolvedConfig): boolean {
  return sources.journal === "option" && hasPassword(config.journal);
}

async function upEvent(running: Serving, config: Config, { env }: Terminal): Promise<UpEvent> {
  const { data: folder, journal } = config;
  const { position, epoch, entityCount } = await running.facts();
  const version = packageVersion();
  const token = join(folder, operatorTokenFile);
  const operator = existsSync(token) ? { operator_token_file: token } : {};
  const { nats } = running;
  const shared = journal === "" ? {} : { journal: redactAddress(journal), space: config.space };
  const base = { version, url: running.url, data: folder, ...shared, position, epoch, entity_count: entityCount };
  // Whoever started it with npm has the command through npx alone.
  const command = env["npm_execpath"] === undefined ? "holdfast" : "npx holdfast";
  return {
    event: "up",
    json: { ...base, ...operator, ...(nats === undefined ? {} : { nats }), pid: process.pid },
    lines: [
      `Holdfast ${version} is up.`,
      `  address   ${running.url}`,
      `  data      ${folder}`,
      ...(journal === "" ? [] : [`  journal   ${redactAddress(journal)}, space ${config.space}`]),
      `  position  ${position} (epoch ${epoch})`,
      `  entities  ${entityCount}, deleted ones included`,
      ...(existsSync(token) ? [`  operator  ${token} (its token; keep it secret)`] : []),
      ...natsLines(nats),
      "",
      "Try this in two other terminals, here:",
      `  ${command} lock demo --purpose "trying it out" -- sleep 30`,
      `  ${command} lock demo -- echo "my turn"`,
      "",
      "Stop it with Ctrl+C or SIGTERM.",
    ],
  };
}

/** Which nats-server was found, and what it can't be trusted with. */
function natsLines(nats: Serving["nats"]): readonly string[] {
  if (nats === undefined) return [];
  if (nats.server_version === null) return [`  nats      not reached yet (${nats.reasons.join("; ")}); trying again`];
  const warnings = nats.warnings.map((warning) => `            ${warning}`);
  return [`  nats      nats-server ${nats.server_version}; of this version know that`, ...warnings];
}

async function stoppedEvent(running: Serving): Promise<UpEvent> {
  const { position } = await running.facts();
  return { event: "stopped", json: { position }, lines: [`stopped; the last position is ${position}.`] };
}

function warningEvent(message: string, cause: unknown): UpEvent {
  const reason = cause instanceof Error ? cause.message : undefined;
  const isSaid = reason === undefined || message.includes(reason);
  return { event: "trouble", json: { message, reason }, lines: [isSaid ? message : `${message}: ${reason}`] };
}

function printText(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, lines }) => {
    if (event === "trouble" || event === "failed") terminal.warn(`holdfast: ${lines.join("\n")}`);
    else terminal.print(lines.join("\n"));
  };
}

function printJson(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, json }) => {
    terminal.print(jsonLine({ event, ...json }));
  };
}

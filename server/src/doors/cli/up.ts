import { systemClock } from "../../base/clock.ts";
import { jsonLine } from "../../base/json-line.ts";
import { serve } from "../../serve.ts";
import type { Serving } from "../../serve.ts";
import { UsageError } from "./command.ts";
import type { Command, Given, Terminal } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { dataOption, folderOf } from "./folder-option.ts";
import { numberOption, wholeNumber } from "./option-values.ts";
import { packageVersion } from "./package-version.ts";
import { failureOf } from "./report-failure.ts";
import { untilSignal } from "./until-signal.ts";

const defaultPort = 4653;

export const upCommand: Command = {
  name: "up",
  wordsMax: 0,
  summary: "start Holdfast on a data folder and keep it running",
  details: [
    "Starts Holdfast on a data folder, which is made if it does not exist, and runs until it is stopped with Ctrl+C or",
    "SIGTERM. Stopping answers what waits and closes the folder; a second signal ends it at once, and even then nothing",
    "that was acknowledged is lost. One process at a time can have a folder open.",
  ],
  options: {
    data: dataOption,
    port: { value: "PORT", summary: `listen there; 0: any free one (default: $HOLDFAST_PORT, else ${defaultPort})` },
    json: { summary: "print one line of JSON for each event, for programs" },
  },
  run: runUp,
};

/** Something that happened, in words for people and with the facts for programs. */
interface UpEvent {
  readonly event: "up" | "trouble" | "stopping" | "stopped" | "failed";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

async function runUp(given: Given, terminal: Terminal): Promise<ExitCode> {
  const folder = folderOf(given, terminal);
  const tell = given.values["json"] === true ? tellPrograms(terminal) : tellPeople(terminal);
  try {
    const running = await serve({
      data: folder,
      host: "127.0.0.1",
      port: portOf(given, terminal),
      report: (message, cause) => {
        tell(trouble(message, cause));
      },
    });
    // Listened for before it is up in words: whoever reads that may stop it at once.
    const signalled = untilSignal(systemClock);
    tell(await upEvent(running, folder));
    const signal = await signalled;
    tell({ event: "stopping", facts: { signal }, words: [`${signal}: stopping; once more ends it at once.`] });
    await running.close();
    tell(await stoppedEvent(running));
    return exitCodes.done;
  } catch (error) {
    const { exit, facts, words } = failureOf(error);
    tell({ event: "failed", facts, words });
    return exit;
  }
}

function portOf({ values }: Given, { env }: Terminal): number {
  const named = env["HOLDFAST_PORT"];
  const port =
    numberOption(values, "port", 0) ?? (named === undefined ? defaultPort : wholeNumber(named, "HOLDFAST_PORT", 0));
  if (port <= 65_535) return port;
  throw new UsageError(`${port} is not a port: give a number from 0 to 65535`);
}

async function upEvent(running: Serving, folder: string): Promise<UpEvent> {
  const { position, epoch, entityCount } = await running.facts();
  const version = packageVersion();
  return {
    event: "up",
    facts: { version, url: running.url, data: folder, position, epoch, entity_count: entityCount, pid: process.pid },
    words: [
      `Holdfast ${version} is up.`,
      `  address   ${running.url}`,
      `  data      ${folder}`,
      `  position  ${position} (epoch ${epoch})`,
      `  entities  ${entityCount}, deleted ones included`,
      "",
      "Stop it with Ctrl+C or SIGTERM.",
    ],
  };
}

async function stoppedEvent(running: Serving): Promise<UpEvent> {
  const { position } = await running.facts();
  return { event: "stopped", facts: { position }, words: [`stopped; the last position is ${position}.`] };
}

function trouble(message: string, cause: unknown): UpEvent {
  const reason = cause instanceof Error ? cause.message : undefined;
  const isSaid = reason === undefined || message.includes(reason);
  return { event: "trouble", facts: { message, reason }, words: [isSaid ? message : `${message}: ${reason}`] };
}

function tellPeople(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, words }) => {
    if (event === "trouble" || event === "failed") terminal.warn(`holdfast: ${words.join("\n")}`);
    else terminal.say(words.join("\n"));
  };
}

function tellPrograms(terminal: Terminal): (event: UpEvent) => void {
  return ({ event, facts }) => {
    terminal.say(jsonLine({ event, ...facts }));
  };
}

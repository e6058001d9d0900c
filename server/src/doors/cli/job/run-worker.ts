import type { Client } from "@holdfast/sdk";
import { addressesOf } from "@holdfast/sdk/address";
import type { RunningJob } from "@holdfast/sdk/running-job";
import { jsonLine } from "../../../base/json-line.ts";
import { systemClock } from "../../../base/clock.ts";
import { defaultName } from "../agent/agent-note.ts";
import { secondsOption, textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { connectAs } from "../discovery/server-command.ts";
import { inheritedEnvironment } from "../discovery/inherited-environment.ts";
import { serverOf } from "../discovery/server-of.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { failureReport, withFailureReport } from "../terminal/failure-report.ts";
import { duration } from "../terminal/relative-time.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import { runJobCommand } from "./run-job-command.ts";
import type { JobCommand } from "./run-job-command.ts";
import { workerSlots } from "./worker-slots.ts";
import { isWorkOnWorkspace, workOnWorkspace } from "./work-on-workspace.ts";

const laterDefaultSeconds = 60;

export function runWorker(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  return withFailureReport(args, terminal, async () => {
    const worker = isWorkOnWorkspace(args) ? undefined : workerArguments(args);
    const server = serverOf(args, terminal);
    await using client = await connectAs(args, terminal, server);
    if (worker === undefined)
      return await workOnWorkspace({ client, addresses: addressesOf(server.url, server.from) }, args, terminal);
    const env = { ...inheritedEnvironment(server, terminal), HOLDFAST_URL: server.url };
    return await workUntilStopped(client, worker, { terminal, env, isJson: args.values["json"] === true });
  });
}

interface WorkerArguments {
  readonly types: readonly string[];
  readonly command: readonly [string, ...string[]];
  readonly slots: number;
  readonly laterMs: number;
  readonly drainMs: number | undefined;
  readonly name: string;
}

function workerArguments({ positionals, values, child }: CommandArguments): WorkerArguments {
  const [file, ...rest] = child ?? [];
  if (file === undefined) throw new UsageError("a command is required: holdfast work TYPE -- COMMAND");
  const slots = workerSlots({ values });
  const drainSeconds = secondsOption(values, "drain-timeout", 0);
  return {
    types: positionals,
    command: [file, ...rest],
    slots,
    laterMs: 1_000 * (secondsOption(values, "later", 0) ?? laterDefaultSeconds),
    drainMs: drainSeconds === undefined ? undefined : 1_000 * drainSeconds,
    name: textOption(values, "name") ?? defaultName(),
  };
}

interface WorkerPlace {
  readonly terminal: Terminal;
  readonly env: JobCommand["env"];
  readonly isJson: boolean;
}

async function workUntilStopped(client: Client, worker: WorkerArguments, place: WorkerPlace): Promise<ExitCode> {
  const { types, slots, name } = worker;
  const say = speaker(place);
  const broken = Promise.withResolvers<string>();
  const handler = (job: RunningJob): Promise<unknown> =>
    runReported(job, say, {
      ...worker,
      env: place.env,
      log: (line) => {
        place.terminal.warn(place.isJson ? line : `${job.id}: ${line}`);
      },
      onStartError: broken.resolve,
    });
  const onError = (error: unknown): void => {
    const { json, lines } = failureReport(error);
    say("problem", json, lines[0] ?? "");
  };
  const onReconnect = (): void => say("reconnected", {}, "the server answers again.");
  const listening = listenForSignal(systemClock);
  const working = await client.jobs
    .work(types, handler, { slots, name, onError, onReconnect })
    .catch((error: unknown) => {
      listening.stop();
      throw error;
    });
  const offered = `${types.map(escapeControlChars).join(", ")}: ${slots} ${slots === 1 ? "slot" : "slots"}`;
  say("working", { types, slots }, `working on ${offered}. Ctrl+C drains the worker.`);
  const reason = await Promise.race([listening.signalled, broken.promise]);
  listening.stop();
  const isBroken = !reason.startsWith("SIG");
  say(
    "draining",
    { reason, running: working.running },
    isBroken
      ? `${escapeControlChars(reason)}. The job was returned to the queue.`
      : `${reason}: taking no more jobs, ${working.running} still run. A second signal returns them to the queue.`,
  );
  await drainOrClose(working, worker, say);
  return isBroken ? exitCodes.usage : exitCodes.done;
}

type Say = (event: string, data: object, text: string) => void;

/** Prints an event as text to standard error, or as JSON to standard output. */
function speaker({ terminal, isJson }: WorkerPlace): Say {
  return (event, data, text) => {
    if (isJson) terminal.print(jsonLine({ event, ...data }));
    else terminal.warn(`holdfast: ${text}`);
  };
}

async function runReported(job: RunningJob, say: Say, command: JobCommand): Promise<unknown> {
  const { id, type, attempt } = job;
  const startedMs = systemClock.monotonicMs();
  const about = { id, type, attempt };
  say("started", about, `${id} started (${type}, attempt ${attempt})`);
  const took = (): string => duration(systemClock.monotonicMs() - startedMs);
  try {
    const result = await runJobCommand(job, command);
    say("ended", { ...about, outcome: "completed" }, `${id} completed (${took()})`);
    return result;
  } catch (error) {
    const message = escapeControlChars((error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "");
    const outcome = error instanceof Error && error.name === "JobReturn" ? "returned" : "failed";
    say("ended", { ...about, outcome, reason: message }, `${id} ${outcome} (${took()}): ${message}`);
    throw error;
  }
}

/** Waits for the running jobs. A second signal, or the end of the time, returns them to the queue. */
async function drainOrClose(
  working: Awaited<ReturnType<Client["jobs"]["work"]>>,
  { drainMs }: WorkerArguments,
  say: Say,
): Promise<void> {
  const again = listenForSignal(systemClock);
  const late = Promise.withResolvers<"time">();
  const cancel =
    drainMs === undefined
      ? () => undefined
      : systemClock.after(drainMs, () => late.resolve("time"), { keepAlive: false });
  const drained = working.drain().then(() => "drained" as const);
  const end = await Promise.race([drained, again.signalled, late.promise]);
  cancel();
  again.stop();
  if (end === "drained") return;
  say("closing", { reason: end }, "stopping the running jobs, which return to the queue.");
  await working.close();
}

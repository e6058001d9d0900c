import { hostname, userInfo } from "node:os";
import { HoldfastError } from "@holdfast/sdk";
import type { Client, Lock, Registered } from "@holdfast/sdk";
import type { FoundServer } from "@holdfast/sdk/find-server";
import { systemClock } from "../../../base/clock.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverOf } from "../discovery/server-of.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { failureReport } from "../terminal/failure-report.ts";
import { connectAs } from "../discovery/server-command.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import { runUnderLock } from "./run-under-lock.ts";
import { parseLockArguments } from "./parse-lock-arguments.ts";
import type { LockArguments } from "./parse-lock-arguments.ts";
import { consumeOnceKey } from "./consume-once-key.ts";
import { LockMessages } from "./lock-messages.ts";
import type { QueuePosition } from "./lock-messages.ts";

/** One run of `holdfast lock`. */
interface LockRun {
  readonly parsed: LockArguments;
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly messages: LockMessages;
}

export async function runLock(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const parsed = parseLockArguments(args, terminal);
  const server = serverOf(args, terminal);
  const run: LockRun = { parsed, server, terminal, messages: new LockMessages(terminal, args.values["json"] === true) };
  const goodbye: CleanupSteps = [];
  let code;
  try {
    const client = await connectAs(args, terminal, { server, isOperator: false });
    goodbye.unshift(() => client.close());
    code = await lockAsAgent(client, run, goodbye);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    code = isUnavailable(error) ? await handleUnavailable(run, error) : handleFailure(run, error);
  }
  if (!(await runCleanup(goodbye))) process.exit(code);
  return code;
}

/** A lock, and what is told of it. */
interface HeldLock {
  readonly lock: Lock;
  readonly leftBefore: Awaited<ReturnType<Lock["leftBefore"]>>;
}

/** What is to be done at the end, the last thing first. */
type CleanupSteps = (() => Promise<unknown>)[];

const cleanupMs = 2_000;

/** A server that does not answer must not keep us: what is left on it ends with its lease. False if it did not answer. */
function runCleanup(goodbye: CleanupSteps): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(cleanupMs, () => resolve(false), { keepAlive: true });
    const all = async (): Promise<void> => {
      for (const part of goodbye) await part().catch(() => undefined);
    };
    void all().then(() => {
      cancel();
      resolve(true);
    });
  });
}

/** The lock belongs to an agent that lives as long as this command; under another lock it is that one's child. */
async function lockAsAgent(client: Client, run: LockRun, goodbye: CleanupSteps): Promise<ExitCode> {
  const { parsed, terminal } = run;
  const { purpose, ttlSeconds } = parsed.options;
  const parent = terminal.env["HOLDFAST_AGENT_ID"] ?? "";
  const agent = await client.agents.register({
    name: parsed.name ?? `${userName()}@${hostname()}`,
    ...(purpose === undefined ? {} : { purpose }),
    ...(parent === "" ? {} : { parent }),
    inactivitySeconds: Math.max(60, 2 * ttlSeconds),
  });
  const own = client.as(agent);
  goodbye.unshift(() => own.agents.end());
  const listening = listenForSignal(systemClock);
  const interruption = new AbortController();
  void listening.signalled.then((signal) => interruption.abort(new Interrupted(signal)));
  try {
    const lock = await acquire(own, run, interruption.signal);
    if (lock === undefined) return exitCodes.denied;
    goodbye.unshift(() => lock.release());
    const isWanted = await isFirstRun(own, run, lock);
    const leftBefore = await lock.leftBefore();
    interruption.signal.throwIfAborted();
    // From here on signals are the command's.
    listening.stop();
    return isWanted ? await runWhileHeld(agent, run, { lock, leftBefore }) : exitCodes.done;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    run.messages.write("interrupted", { signal: error.signal }, `${error.signal}: nothing was run.`);
    return error.code;
  } finally {
    listening.stop();
  }
}

/** The lock; undefined if it is denied. */
async function acquire(client: Client, { parsed, messages }: LockRun, signal: AbortSignal): Promise<Lock | undefined> {
  const onPlace = (place: QueuePosition): void => messages.waiting(place);
  const lock = await client.acquire(parsed.paths, { ...parsed.options, signal, onPlace });
  if (lock.granted) return lock;
  messages.denied(parsed.paths, lock);
  return undefined;
}

/** With --once, whoever has spent the key may. */
async function isFirstRun(client: Client, { parsed, messages }: LockRun, lock: Lock): Promise<boolean> {
  if (parsed.once === undefined) return true;
  const once = await consumeOnceKey(client, lock, parsed.once);
  if (once.isFirst) return true;
  const text = `${parsed.once} is done: ${once.text}; nothing is run again.`;
  messages.write("already_run", { key: parsed.once, ...once.json }, text);
  return false;
}

async function runWhileHeld(agent: Registered, run: LockRun, { lock, leftBefore }: HeldLock): Promise<ExitCode> {
  const { parsed, messages, terminal, server } = run;
  messages.granted(lock, leftBefore);
  const { command } = parsed;
  if (command === undefined) return holdUntilSignal(lock, messages);
  const env = {
    ...terminal.env,
    HOLDFAST_URL: server.url,
    HOLDFAST_AGENT_ID: agent.agent_id,
    HOLDFAST_AGENT_SECRET: agent.secret,
    HOLDFAST_FENCE: lock.fence,
    HOLDFAST_LOCK_PATHS: [terminal.env["HOLDFAST_LOCK_PATHS"] ?? "", ...parsed.paths]
      .filter((path) => path !== "")
      .join("\n"),
  };
  return runUnderLock({ command, env, messages }, lock);
}

async function holdUntilSignal(lock: Lock, messages: LockMessages): Promise<ExitCode> {
  const listening = listenForSignal(systemClock);
  messages.write("holding", {}, "holding it until Ctrl+C.");
  const lost = new Promise<undefined>((resolve) => {
    lock.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    if (lock.signal.aborted) resolve(undefined);
  });
  const signal = await Promise.race([listening.signalled, lost]);
  listening.stop();
  if (signal !== undefined) return exitCodes.done;
  const why = lock.lost?.message ?? "the lock is lost.";
  messages.write("lost", { code: "lock_lost", reason: why }, `lock_lost: ${escapeControlChars(why)}`);
  return exitCodes.lost;
}

/** Nobody can say whether the lock is free. */
async function handleUnavailable({ parsed, messages, terminal }: LockRun, error: unknown): Promise<ExitCode> {
  const { json, lines } = failureReport(error);
  const why = escapeControlChars(lines[0] ?? "");
  if (!parsed.runsWithout || parsed.command === undefined) {
    messages.write("unavailable", json, why);
    return exitCodes.unreachable;
  }
  messages.write(
    "unavailable",
    { ...json, runs: true },
    `${why} Running WITHOUT the lock, as --if-unavailable=run says.`,
  );
  return runUnderLock({ command: parsed.command, env: terminal.env, messages }, undefined);
}

function handleFailure({ messages }: LockRun, error: unknown): ExitCode {
  const { exit, json, lines } = failureReport(error);
  messages.write("failed", json, lines.map(escapeControlChars).join("\n"));
  return exit;
}

const unavailableCodes = ["unreachable", "journal_unavailable", "stopping", "overloaded", "outcome_unknown", "closed"];

function isUnavailable(error: unknown): boolean {
  return error instanceof HoldfastError && unavailableCodes.includes(error.code);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}

/** Somebody does not want to wait any longer. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }

  /** As a shell has it: 128 and the number of the signal. */
  get code(): ExitCode {
    return this.signal === "SIGINT" ? 130 : 143;
  }
}

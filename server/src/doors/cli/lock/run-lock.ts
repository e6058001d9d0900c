import { hostname } from "node:os";
import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { Client, DeniedLock, LeftBefore, Lock, LockOptions, QueuePlace, Registered } from "@holdfast/sdk";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { systemClock } from "../../../base/clock.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverOf } from "../discovery/server-of.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { failureReport } from "../terminal/failure-report.ts";
import { connectAs } from "../discovery/server-command.ts";
import { inheritedEnvironment } from "../discovery/inherited-environment.ts";
import { defaultName } from "../agent/agent-note.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import { runUnderLock } from "./run-under-lock.ts";
import { parseLockArguments } from "./parse-lock-arguments.ts";
import type { LockArguments } from "./parse-lock-arguments.ts";
import { consumeOnceKey } from "./consume-once-key.ts";
import { recentHolds } from "./recent-holds.ts";
import { LockMessages } from "./lock-messages.ts";

/** One run of `holdfast lock`. */
interface LockRun {
  readonly parsed: LockArguments;
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly messages: LockMessages;
}

export async function runLock(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const parsed = parseLockArguments(args, terminal);
  const messages = new LockMessages(terminal, args.values["json"] === true);
  const run = { parsed, terminal, messages };
  const cleanup: CleanupSteps = [];
  let code;
  try {
    const server = serverOf(args, terminal);
    const client = await connectAs(args, { ...terminal, warn: (line) => messages.note(line) }, server);
    cleanup.unshift(() => client.close());
    code = await lockAsAgent(client, { ...run, server }, cleanup);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    code = isUnavailable(error) ? await handleUnavailable(run, error) : handleFailure(run, error);
  }
  if (!(await runCleanup(cleanup))) process.exit(code);
  return code;
}

/** A held lock, and the ends of the previous holds of its paths. */
interface HeldLock {
  readonly lock: Lock;
  readonly leftBefore: readonly LeftBefore[];
  readonly names: AgentNames;
}

/** The steps to run at the end, newest first. */
type CleanupSteps = (() => Promise<unknown>)[];

/** Maximum time for the cleanup steps. */
const cleanupMs = 2_000;

/**
 * Runs the cleanup steps and returns false if the server does not answer in time. An unresponsive server must not block
 * the command: the remaining state on it expires with its lease.
 */
function runCleanup(cleanup: CleanupSteps): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(cleanupMs, () => resolve(false), { keepAlive: true });
    const all = async (): Promise<void> => {
      for (const step of cleanup) await step().catch(() => undefined);
    };
    void all().then(() => {
      cancel();
      resolve(true);
    });
  });
}

/** Registers an agent for the duration of this command. Under another `holdfast lock`, its agent is the parent. */
async function lockAsAgent(client: Client, run: LockRun, cleanup: CleanupSteps): Promise<ExitCode> {
  const { parsed, terminal } = run;
  const { purpose, ttlMs } = parsed.options;
  const { HOLDFAST_AGENT_ID: parent = "", HOLDFAST_FENCE: outerFence = "" } = terminal.env;
  const agent = await client.agents.register({
    name: parsed.name ?? defaultName(),
    host: hostname(),
    processId: process.pid,
    ...defined({ purpose, parent: parent === "" ? undefined : parent }),
    // A fence in the environment shows that the parent is a `holdfast lock`, which waits for its command.
    ...defined({ parentWaits: parent === "" || outerFence === "" ? undefined : true }),
    inactivityMs: Math.max(60_000, 2 * ttlMs),
  });
  const own = client.as(agent);
  cleanup.unshift(() => own.agents.end());
  const listening = listenForSignal(systemClock);
  const interruption = new AbortController();
  void listening.signalled.then((signal) => interruption.abort(new Interrupted(signal)));
  try {
    const lock = await acquire(own, run, interruption.signal);
    if (lock === undefined) return exitCodes.denied;
    cleanup.unshift(() => lock.release());
    const isFirst = await isFirstRun(own, run, lock);
    const leftBefore = await lock.leftBefore();
    const names = await namesOf(own, leftBefore);
    interruption.signal.throwIfAborted();
    // From here on, signals are forwarded to the command.
    listening.stop();
    return isFirst ? await runWhileHeld(agent, run, { lock, leftBefore, names }) : exitCodes.done;
  } catch (error) {
    if (!(error instanceof Interrupted)) {
      if (!run.messages.isJson) await namesFor(own).nameIn(error);
      throw error;
    }
    run.messages.write("interrupted", { signal: error.signal }, `${error.signal}: the command was not started.`);
    return error.code;
  } finally {
    listening.stop();
  }
}

function namesFor(client: Client): AgentNames {
  return new AgentNames({ call: (operation, input) => client.run(operation, input) as never });
}

/** The names of the owners of previous holds, which may have ended. */
async function namesOf(client: Client, holds: readonly LeftBefore[]): Promise<AgentNames> {
  const names = namesFor(client);
  await names.load(holds.filter(({ how }) => how !== "released").map(({ by }) => by));
  return names;
}

/** Acquires the lock. Returns undefined if it is denied. */
async function acquire(client: Client, { parsed, messages }: LockRun, signal: AbortSignal): Promise<Lock | undefined> {
  // The first line waits for the history of the paths: it says how long recent holds took.
  let pace: Promise<void> | undefined;
  let latest: QueuePlace | undefined;
  const onPlace = (place: QueuePlace): void => {
    latest = place;
    if (pace !== undefined) {
      messages.waiting(place);
      return;
    }
    pace = recentHolds(client, parsed.paths).then((text) => {
      messages.showPace(text);
      if (latest !== undefined && !signal.aborted) messages.waiting(latest);
    });
  };
  const lock = await acquireOrTry(client, parsed, { signal, onPlace });
  latest = undefined;
  if (lock.granted) return lock;
  messages.denied(parsed.paths, lock);
  return undefined;
}

/** Without a limit of the wait there is no denial. */
function acquireOrTry(
  client: Client,
  { paths, options: { waitMs, ...options } }: LockArguments,
  more: Pick<LockOptions, "signal" | "onPlace">,
): Promise<Lock | DeniedLock> {
  return waitMs === undefined
    ? client.acquire(paths, { ...options, ...more })
    : client.tryAcquire(paths, { ...options, ...more, waitMs });
}

/** With --once, only the process that consumed the key may run the command. */
async function isFirstRun(client: Client, { parsed, messages }: LockRun, lock: Lock): Promise<boolean> {
  if (parsed.once === undefined) return true;
  const once = await consumeOnceKey(client, lock, parsed.once);
  if (once.isFirst) return true;
  const text = `${parsed.once} has already run: ${once.text}. Nothing to do.`;
  messages.write("already_run", { key: parsed.once, ...once.json }, text);
  return false;
}

async function runWhileHeld(agent: Registered, run: LockRun, { lock, leftBefore, names }: HeldLock): Promise<ExitCode> {
  const { parsed, messages, terminal, server } = run;
  messages.granted(lock, leftBefore, (id) => names.label(id));
  const { command } = parsed;
  if (command === undefined) return holdUntilSignal(lock, messages);
  const env = {
    ...inheritedEnvironment(server, terminal),
    HOLDFAST_URL: server.url,
    HOLDFAST_AGENT_ID: agent.agentId,
    HOLDFAST_AGENT_SECRET: agent.secret,
    HOLDFAST_FENCE: lock.fence,
    HOLDFAST_LOCK_PATHS: [terminal.env["HOLDFAST_LOCK_PATHS"] ?? "", ...parsed.paths]
      .filter((path) => path !== "")
      .join("\n"),
  };
  return runUnderLock({ command, env, messages, names }, lock);
}

async function holdUntilSignal(lock: Lock, messages: LockMessages): Promise<ExitCode> {
  const listening = listenForSignal(systemClock);
  messages.write("holding", {}, "holding the lock until Ctrl+C.");
  const lost = new Promise<undefined>((resolve) => {
    lock.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    if (lock.signal.aborted) resolve(undefined);
  });
  const signal = await Promise.race([listening.signalled, lost]);
  listening.stop();
  if (signal !== undefined) return exitCodes.done;
  const reason = lock.lost?.message ?? "the lock is lost.";
  messages.write("lost", { code: "lock_lost", reason }, `lock_lost: ${escapeControlChars(reason)}`);
  return exitCodes.lost;
}

/** No server answers, so the state of the lock is unknown. */
async function handleUnavailable(
  { parsed, messages, terminal }: Omit<LockRun, "server">,
  error: unknown,
): Promise<ExitCode> {
  const { json, lines } = failureReport(error);
  const reason = escapeControlChars(lines[0] ?? "");
  if (!parsed.runsWithout || parsed.command === undefined) {
    messages.write("unavailable", json, reason);
    return exitCodes.unreachable;
  }
  messages.write(
    "unavailable",
    { ...json, runs: true },
    `${reason} Running WITHOUT the lock because of --if-unavailable=run.`,
  );
  return runUnderLock({ command: parsed.command, env: terminal.env, messages }, undefined);
}

function handleFailure({ messages }: Pick<LockRun, "messages">, error: unknown): ExitCode {
  const { exit, json, lines } = failureReport(error);
  messages.write("failed", json, lines.map(escapeControlChars).join("\n"));
  return exit;
}

const unavailableCodes = ["unreachable", "journal_unavailable", "stopping", "overloaded", "outcome_unknown", "closed"];

function isUnavailable(error: unknown): boolean {
  return error instanceof HoldfastError && unavailableCodes.includes(error.code);
}

/** A signal ended the wait for the lock. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }

  /** 128 plus the number of the signal, as in a shell. */
  get code(): ExitCode {
    return this.signal === "SIGINT" ? 130 : 143;
  }
}

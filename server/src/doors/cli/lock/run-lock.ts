import { hostname, userInfo } from "node:os";
import { HoldfastError } from "@holdfast/sdk";
import type { Client, FoundServer, Lock, Registered } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { type Given, type Terminal, UsageError } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverOf } from "../discovery/server-of.ts";
import { harmless } from "../terminal/harmless.ts";
import { failureOf } from "../terminal/report-failure.ts";
import { connectAs } from "../discovery/server-command.ts";
import { listenForSignal } from "../terminal/until-signal.ts";
import { holdChild } from "./hold-child.ts";
import { lockWishOf } from "./lock-wish.ts";
import type { LockWish } from "./lock-wish.ts";
import { spendKey } from "./once.ts";
import { LockTeller } from "./tell-lock.ts";
import type { Place } from "./tell-lock.ts";

/** One run of `holdfast lock`. */
interface Run {
  readonly wish: LockWish;
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly teller: LockTeller;
}

export async function runLock(given: Given, terminal: Terminal): Promise<ExitCode> {
  const wish = lockWishOf(given, terminal);
  const server = serverOf(given, terminal);
  const run: Run = { wish, server, terminal, teller: new LockTeller(terminal, given.values["json"] === true) };
  const goodbye: Goodbye = [];
  let code;
  try {
    const client = await connectAs(given, terminal, { server, isOperator: false });
    goodbye.unshift(() => client.close());
    code = await underAgent(client, run, goodbye);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    code = isUnavailable(error) ? await withoutLock(run, error) : failed(run, error);
  }
  if (!(await said(goodbye))) process.exit(code);
  return code;
}

/** A lock, and what is told of it. */
interface Got {
  readonly lock: Lock;
  readonly leftBefore: Awaited<ReturnType<Lock["leftBefore"]>>;
}

/** What is to be done at the end, the last thing first. */
type Goodbye = (() => Promise<unknown>)[];

const goodbyeMs = 2_000;

/** A server that does not answer must not keep us: what is left on it ends with its lease. False if it did not answer. */
function said(goodbye: Goodbye): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(goodbyeMs, () => resolve(false), { keepAlive: true });
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
async function underAgent(client: Client, run: Run, goodbye: Goodbye): Promise<ExitCode> {
  const { wish, terminal } = run;
  const { purpose, ttlSeconds } = wish.options;
  const parent = terminal.env["HOLDFAST_AGENT_ID"] ?? "";
  const agent = await client.agents.register({
    name: wish.name ?? `${userName()}@${hostname()}`,
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
    const isWanted = await mayRun(own, run, lock);
    const leftBefore = await lock.leftBefore();
    interruption.signal.throwIfAborted();
    // From here on signals are the command's.
    listening.stop();
    return isWanted ? await whileHeld(agent, run, { lock, leftBefore }) : exitCodes.done;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    run.teller.tell("interrupted", { signal: error.signal }, `${error.signal}: nothing was run.`);
    return error.code;
  } finally {
    listening.stop();
  }
}

/** The lock; undefined if it is denied. */
async function acquire(client: Client, { wish, teller }: Run, signal: AbortSignal): Promise<Lock | undefined> {
  const onPlace = (place: Place): void => teller.waiting(place);
  const lock = await client.acquire(wish.paths, { ...wish.options, signal, onPlace });
  if (lock.granted) return lock;
  teller.denied(wish.paths, lock);
  return undefined;
}

/** With --once, whoever has spent the key may. */
async function mayRun(client: Client, { wish, teller }: Run, lock: Lock): Promise<boolean> {
  if (wish.once === undefined) return true;
  const once = await spendKey(client, lock, wish.once);
  if (once.isFirst) return true;
  const words = `${wish.once} is done: ${once.words}; nothing is run again.`;
  teller.tell("already_run", { key: wish.once, ...once.facts }, words);
  return false;
}

async function whileHeld(agent: Registered, run: Run, { lock, leftBefore }: Got): Promise<ExitCode> {
  const { wish, teller, terminal, server } = run;
  teller.granted(lock, leftBefore);
  const { command } = wish;
  if (command === undefined) return holdUntilSignal(lock, teller);
  const env = {
    ...terminal.env,
    HOLDFAST_URL: server.url,
    HOLDFAST_AGENT_ID: agent.agent_id,
    HOLDFAST_AGENT_SECRET: agent.secret,
    HOLDFAST_FENCE: lock.fence,
    HOLDFAST_LOCK_PATHS: [terminal.env["HOLDFAST_LOCK_PATHS"] ?? "", ...wish.paths]
      .filter((path) => path !== "")
      .join("\n"),
  };
  return holdChild({ command, env, teller }, lock);
}

async function holdUntilSignal(lock: Lock, teller: LockTeller): Promise<ExitCode> {
  const listening = listenForSignal(systemClock);
  teller.tell("holding", {}, "holding it until Ctrl+C.");
  const lost = new Promise<undefined>((resolve) => {
    lock.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    if (lock.signal.aborted) resolve(undefined);
  });
  const signal = await Promise.race([listening.signalled, lost]);
  listening.stop();
  if (signal !== undefined) return exitCodes.done;
  const why = lock.lost?.message ?? "the lock is lost.";
  teller.tell("lost", { code: "lock_lost", reason: why }, `lock_lost: ${harmless(why)}`);
  return exitCodes.lost;
}

/** Nobody can say whether the lock is free. */
async function withoutLock({ wish, teller, terminal }: Run, error: unknown): Promise<ExitCode> {
  const { facts, words } = failureOf(error);
  const why = harmless(words[0] ?? "");
  if (!wish.runsWithout || wish.command === undefined) {
    teller.tell("unavailable", facts, why);
    return exitCodes.unreachable;
  }
  teller.tell(
    "unavailable",
    { ...facts, runs: true },
    `${why} Running WITHOUT the lock, as --if-unavailable=run says.`,
  );
  return holdChild({ command: wish.command, env: terminal.env, teller }, undefined);
}

function failed({ teller }: Run, error: unknown): ExitCode {
  const { exit, facts, words } = failureOf(error);
  teller.tell("failed", facts, words.map(harmless).join("\n"));
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

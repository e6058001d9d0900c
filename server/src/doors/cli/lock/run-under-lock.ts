import { defined } from "@holdfast/sdk/base/defined";
import type { Lock, ReleaseRequest } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { agentLabel } from "../terminal/agent-label.ts";
import type { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { startChild } from "./child.ts";
import type { Child, ChildExit } from "./child.ts";
import type { LockMessages } from "./lock-messages.ts";

/** Maximum time between SIGTERM and SIGKILL, if the lease lasts that long. */
const graceMs = 5_000;
/** Interval between SIGKILL and the end of the lease. */
const marginMs = 100;

const forwarded: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

interface ChildCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly messages: LockMessages;
  /** Names the agents that ask for the lock. */
  readonly names?: AgentNames;
}

/** Runs a command while the lock is held. Without a lock the command runs unguarded. */
export async function runUnderLock(
  { command, env, messages, names }: ChildCommand,
  lock: Lock | undefined,
): Promise<ExitCode> {
  // The handlers come first: a signal during the start must reach the child, and must not end this process.
  const stopForwarding = forwardSignals(() => child, lock);
  const child = startChild(command, env, systemClock);
  const state = { isLost: false };
  const lose = (reason: string, withinMs: number): void => {
    if (state.isLost) return;
    state.isLost = true;
    const text = `lock_lost: ${escapeControlChars(reason)} Stopping the command.`;
    messages.write("lost", { code: "lock_lost", reason }, text);
    child.stop(withinMs);
  };
  const unwatch =
    lock === undefined
      ? () => undefined
      : watchLock(lock, lose, (request) => void showRequest(request, messages, names));
  const exit = await child.exited;
  unwatch();
  stopForwarding();
  reportExit(exit, command, messages);
  return state.isLost ? exitCodes.lost : exit.code;
}

/**
 * Calls `lose` when the lock is lost. If its state is uncertain, it calls `lose` early enough that the command is dead
 * before another owner can get the lock.
 */
function watchLock(
  lock: Lock,
  lose: (reason: string, withinMs: number) => void,
  onRequest: (request: ReleaseRequest) => void,
): () => void {
  const onLost = (): void => lose(lock.lost?.message ?? "the lock is lost.", graceMs);
  const onUncertain = (): void => {
    const leftMs = lock.expiresAt.getTime() - systemClock.wallMs() - marginMs;
    lose("the server does not answer, and the lease ends soon.", Math.min(graceMs, leftMs));
  };
  const unsubscribes = [
    lock.onStateChange((state) => {
      if (state === "lost") onLost();
      if (state === "uncertain") onUncertain();
    }),
    lock.onReleaseRequested(onRequest),
  ];
  // The state may have changed before the listeners were added.
  if (lock.state === "lost") onLost();
  if (lock.state === "uncertain") onUncertain();
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
  };
}

async function showRequest(
  { by, byOwner, reason, path }: ReleaseRequest,
  messages: LockMessages,
  names: AgentNames | undefined,
): Promise<void> {
  if (byOwner !== undefined) await names?.load([byOwner]);
  const requester = byOwner === undefined ? escapeControlChars(by) : (names?.label(byOwner) ?? agentLabel(byOwner));
  const text = `${requester} asks you to release ${escapeControlChars(path)}: "${escapeControlChars(reason)}"`;
  messages.write("release_requested", defined({ by, by_owner: byOwner, reason, path }), text);
}

/** Forwards signals to the command, including Ctrl+Z. Otherwise the command would run while its lease expires. */
function forwardSignals(child: () => Child, lock: Lock | undefined): () => void {
  const forward = (signal: NodeJS.Signals): void => child().signal(signal);
  const pause = (): void => {
    child().signal("SIGSTOP");
    process.kill(process.pid, "SIGSTOP");
  };
  const resume = (): void => {
    if (lock === undefined || lock.state === "held") child().signal("SIGCONT");
    // The command was stopped for longer than the lease, so it must not run another instruction.
    else child().signal("SIGKILL");
  };
  for (const signal of forwarded) process.on(signal, forward);
  process.on("SIGTSTP", pause).on("SIGCONT", resume);
  return () => {
    for (const signal of forwarded) process.off(signal, forward);
    process.off("SIGTSTP", pause).off("SIGCONT", resume);
  };
}

function reportExit(
  { code, signal, startError }: ChildExit,
  [file]: ChildCommand["command"],
  messages: LockMessages,
): void {
  const text =
    startError === undefined
      ? undefined
      : `${escapeControlChars(file)} could not be started: ${escapeControlChars(startError)}.`;
  messages.write("ended", { code, signal, fault: startError }, text);
}

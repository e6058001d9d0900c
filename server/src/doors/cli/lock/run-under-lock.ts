import type { Lock } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { startChild } from "./child.ts";
import type { Child, ChildExit } from "./child.ts";
import type { LockMessages } from "./lock-messages.ts";

/** So long a command may take to end by itself, where nobody else can have the lock before. */
const graceMs = 5_000;
/** So much before the end of the lease the command is certainly dead. */
const marginMs = 100;

const forwarded: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

export interface ChildCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly messages: LockMessages;
}

/** Runs a command for as long as the lock is held. Without a lock it just runs. */
export async function runUnderLock(
  { command, env, messages }: ChildCommand,
  lock: Lock | undefined,
): Promise<ExitCode> {
  // Before it is there: a signal that comes meanwhile is heard after this, and must not end this process instead.
  const unfollow = followSignals(() => child, lock);
  const child = startChild(command, env, systemClock);
  const fate = { isLost: false };
  const lose = (why: string, withinMs: number): void => {
    if (fate.isLost) return;
    fate.isLost = true;
    messages.write(
      "lost",
      { code: "lock_lost", reason: why },
      `lock_lost: ${escapeControlChars(why)} The command is stopped.`,
    );
    child.stop(withinMs);
  };
  const unwatch = lock === undefined ? () => undefined : watchLock(lock, messages, lose);
  const end = await child.exited;
  unwatch();
  unfollow();
  reportExit(end, command, messages);
  return fate.isLost ? exitCodes.lost : end.code;
}

/** Loses it when it is lost; and when it may be, so early that the command is dead before anybody else can have it. */
function watchLock(lock: Lock, messages: LockMessages, lose: (why: string, withinMs: number) => void): () => void {
  const lost = (): void => lose(lock.lost?.message ?? "the lock is lost.", graceMs);
  const doubted = (): void => {
    const leftMs = lock.expiresAt.getTime() - systemClock.wallMs() - marginMs;
    lose("the server does not answer, and the lease ends soon.", Math.min(graceMs, leftMs));
  };
  const stops = [
    lock.onStateChange((state) => {
      if (state === "lost") lost();
      if (state === "uncertain") doubted();
    }),
    lock.onReleaseRequested(({ by, reason, path }) => {
      const text = `${escapeControlChars(by)} asks for ${escapeControlChars(path)}: "${escapeControlChars(reason)}"`;
      messages.write("release_requested", { by, reason, path }, text);
    }),
  ];
  // It may have happened before anybody listened.
  if (lock.state === "lost") lost();
  if (lock.state === "uncertain") doubted();
  return () => {
    for (const stop of stops) stop();
  };
}

/** The command gets what this process gets. Ctrl+Z stops it too: on its own it would run on while the lease runs out. */
function followSignals(child: () => Child, lock: Lock | undefined): () => void {
  const forward = (signal: NodeJS.Signals): void => child().signal(signal);
  const pause = (): void => {
    child().signal("SIGSTOP");
    process.kill(process.pid, "SIGSTOP");
  };
  const goOn = (): void => {
    if (lock === undefined || lock.state === "held") child().signal("SIGCONT");
    // Stopped for longer than the lease: it must not do one more step.
    else child().signal("SIGKILL");
  };
  for (const signal of forwarded) process.on(signal, forward);
  process.on("SIGTSTP", pause).on("SIGCONT", goOn);
  return () => {
    for (const signal of forwarded) process.off(signal, forward);
    process.off("SIGTSTP", pause).off("SIGCONT", goOn);
  };
}

function reportExit({ code, signal, fault }: ChildExit, [file]: ChildCommand["command"], messages: LockMessages): void {
  const text =
    fault === undefined ? undefined : `${escapeControlChars(file)} could not be started: ${escapeControlChars(fault)}.`;
  messages.write("ended", { code, signal, ...(fault === undefined ? {} : { fault }) }, text);
}

/**
 * The command under a lock. It runs in a process group of its own, so that it can be stopped together with all that it
 * started; and it does not outlive `holdfast lock`, however that ends: what runs on without its lease is what locks are
 * there to prevent.
 */
import { spawn } from "node:child_process";
import type { ChildProcess, ChildProcessByStdio } from "node:child_process";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";

export interface ChildExit {
  /** Its exit code; 128 and the number of the signal that ended it; 126 or 127 if it could not be started. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly fault?: string;
}

export interface Child {
  readonly pid: number | undefined;
  readonly exited: Promise<ChildExit>;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM now, and SIGKILL when this is over. */
  stop(withinMs: number): void;
}

type Env = Readonly<Record<string, string | undefined>>;

export function startChild([file, ...args]: readonly [string, ...string[]], env: Env, clock: Clock): Child {
  const child = spawn(file, args, { stdio: "inherit", env, detached: true });
  const { pid } = child;
  const watchdog = pid === undefined ? undefined : startWatchdog(pid);
  let cancelKill: () => void = () => undefined;
  const ended = exitOf(child).then((end) => {
    cancelKill();
    watchdog?.stdin.end("done\n");
    return end;
  });
  const signal = (name: NodeJS.Signals): void => {
    if (pid !== undefined) signalGroup(pid, name);
  };
  return {
    pid,
    exited: ended,
    signal,
    stop(withinMs) {
      signal("SIGTERM");
      cancelKill();
      cancelKill = clock.after(Math.max(0, withinMs), () => signal("SIGKILL"), { keepAlive: true });
    },
  };
}

/**
 * A process that waits for this one to end: it hears that by the end of its input, which no way of dying can prevent. Then
 * it kills the group. It has a group of its own, so that nothing at the terminal ends it first.
 */
function startWatchdog(group: number): ChildProcessByStdio<Writable, null, null> {
  const script = 'read -r done || kill -s KILL -- "-$1"';
  const watchdog = spawn("/bin/sh", ["-c", script, "holdfast-watchdog", String(group)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.on("error", () => undefined);
  watchdog.stdin.on("error", () => undefined);
  watchdog.unref();
  return watchdog;
}

function exitOf(child: ChildProcess): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      const fault = isMissing ? "there is no such command" : error.message;
      resolve({ code: isMissing ? notFound : notRunnable, signal: null, fault });
    });
    child.once("exit", (code, signal) => {
      resolve({ code: code ?? signalBase + (signal === null ? 0 : constants.signals[signal]), signal });
    });
  });
}

const notRunnable = 126;
const notFound = 127;
const signalBase = 128;

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // It has ended in this moment.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

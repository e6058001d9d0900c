/**
 * The command under a lock, or of a job. It runs in a process group of its own, so that one signal stops it and all its
 * children. It never outlives this process, even if that is killed. A command that runs without its lease is exactly
 * what the lock must prevent.
 */
import { spawn } from "node:child_process";
import type { ChildProcess, ChildProcessByStdio, StdioOptions } from "node:child_process";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";

export interface ChildExit {
  /** The exit code, or 128 plus the number of the signal that ended the command, or 126 or 127 if it did not start. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** The reason why the command did not start. */
  readonly startError?: string;
}

export interface Child {
  readonly pid: number | undefined;
  readonly exited: Promise<ChildExit>;
  /** Its streams that are pipes, by descriptor. */
  readonly streams: ChildProcess["stdio"];
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM immediately, and SIGKILL after this time. */
  stop(withinMs: number): void;
}

type ChildEnvironment = Readonly<Record<string, string | undefined>>;

export function startChild(
  [file, ...args]: readonly [string, ...string[]],
  env: ChildEnvironment,
  clock: Clock,
  stdio: StdioOptions = "inherit",
): Child {
  const child = spawn(file, args, { stdio, env, detached: true });
  const { pid } = child;
  const watchdog = pid === undefined ? undefined : startWatchdog(pid);
  let cancelKill: () => void = () => undefined;
  const exited = exitOf(child).then((exit) => {
    cancelKill();
    watchdog?.stdin.end("done\n");
    return exit;
  });
  const signal = (name: NodeJS.Signals): void => {
    if (pid !== undefined) signalGroup(pid, name);
  };
  return {
    pid,
    exited,
    streams: child.stdio,
    signal,
    stop(withinMs) {
      signal("SIGTERM");
      cancelKill();
      cancelKill = clock.after(Math.max(0, withinMs), () => signal("SIGKILL"), { keepAlive: true });
    },
  };
}

/**
 * A process that waits for this one to end, and then kills the process group. It detects the end by the end of its input,
 * which works for every way to die. It has a process group of its own, so that no signal of the terminal ends it first.
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
      const startError = isMissing ? "command not found" : error.message;
      resolve({ code: isMissing ? notFound : notRunnable, signal: null, startError });
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
    // The group has just ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

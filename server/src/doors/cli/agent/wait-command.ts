import type { CliCommand } from "../command.ts";
import { secondsOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { takeLock } from "./take-lock.ts";
import { takeOptions } from "./take-command.ts";

/** Default maximum wait in seconds. Programs that run commands for a model often stop them after two minutes. */
const timeoutDefault = 100;

export const waitCommand: CliCommand = serverCommand({
  name: "wait",
  usage: "PATH…",
  positionalsMin: 1,
  positionalsMax: 1_000,
  summary: "wait in the queue for a lock, acquire it and return",
  details: [
    "Like `holdfast take`, but it waits for the holder. After --timeout it exits with 120 and keeps its place in the queue",
    "for another two minutes: the same command continues there. A lock that is granted while no command waits goes to the",
    "next owner after ten seconds.",
    "",
    '  holdfast wait src/a.ts --purpose "renaming a function"',
    "  holdfast wait src/a.ts --name ann --timeout 10m",
  ],
  options: { ...takeOptions, timeout: { value: "TIME", summary: "the maximum wait (default: 100s)" } },
  operations: ["acquire-lock", "register-agent", "heartbeat"],
  execute: (context) => takeLock(context, secondsOption(context.values, "timeout", 1) ?? timeoutDefault),
});

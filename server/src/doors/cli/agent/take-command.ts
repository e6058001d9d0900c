import type { CliCommand } from "../command.ts";
import { literalOption } from "../args/lock-paths.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { takeLock } from "./take-lock.ts";

/** The options of a lock that outlives the command. */
export const takeOptions = {
  purpose: { value: "TEXT", summary: "the purpose of the lock, for the waiters" },
  note: { value: "TEXT", summary: "the progress of the work, for the next holder" },
  mode: {
    value: "read|upgradeable|write",
    summary: "read is shared with other reads; write, the default, is exclusive",
  },
  scope: { value: "tree|self", summary: "tree, the default, covers all paths below; self covers the path alone" },
  ttl: { value: "TIME", summary: "the lease: the maximum time without a command of this agent (default: 1h)" },
  literal: literalOption,
} as const;

export const takeCommand: CliCommand = serverCommand({
  name: "take",
  usage: "PATH…",
  positionalsMin: 1,
  positionalsMax: 1_000,
  summary: "acquire a lock and return; for agents whose reads and writes are separate commands",
  details: [
    "Acquires the lock on all given paths, or on none of them, and returns. Take the lock before you read what you want to",
    "change: a lock around the write alone protects nothing. If another owner holds it, the output names the holder and",
    "the exit code is 120. `holdfast wait` waits for it, and `holdfast ask` asks the holder.",
    "",
    "The lock belongs to an agent, which is known by the user, the project folder and --name. Each command of that name in",
    "the project renews its leases. Without a command for an hour, the registration and its locks end. `holdfast release`",
    "ends the lock. The note of the agent is a private file in .holdfast/agents. Without a server the command takes no",
    "lock and exits with 122.",
    "",
    '  holdfast take src/a.ts --purpose "renaming a function"',
    "  holdfast take src/a.ts src/b.ts --name ann --ttl 20m",
  ],
  options: takeOptions,
  operations: ["acquire-lock", "register-agent", "heartbeat"],
  execute: (context) => takeLock(context),
});

import type { CliCommand } from "../command.ts";
import { literalOption } from "../args/lock-paths.ts";
import { tokenFileOption } from "../discovery/token-of.ts";
import { runLock } from "./run-lock.ts";

export const lockCommand: CliCommand = {
  name: "lock",
  usage: "PATH… [-- COMMAND…]",
  positionalsMin: 1,
  positionalsMax: 1_000,
  takesCommand: true,
  summary: "acquire a lock, run a command under it, and release the lock",
  details: [
    "Acquires the lock on all given paths, or on none of them, and waits unless --no-wait is given. While it waits, it",
    "prints its queue position and each holder with purpose, age and end of lease. Then it runs COMMAND, and releases the",
    "lock when COMMAND ends. It exits with the exit code of COMMAND, or with 128 plus the number of its signal.",
    "",
    "The lease is renewed automatically. If the lock is lost, COMMAND and all its children get SIGTERM. The same happens",
    "if the server does not answer and the lease is about to end. SIGKILL follows before another owner can get the lock,",
    "and the exit code is 121. If `holdfast lock` itself is killed, COMMAND is killed too.",
    "",
    "The environment of COMMAND contains HOLDFAST_FENCE, HOLDFAST_LOCK_PATHS, HOLDFAST_URL, HOLDFAST_AGENT_ID and",
    'HOLDFAST_AGENT_SECRET. A write with `holdfast put … --fence "$HOLDFAST_FENCE"` is refused once the lock is lost.',
    "Without COMMAND, it holds the lock until Ctrl+C.",
    "",
    '  holdfast lock repo/x/src --purpose "renaming a module" -- npm run rename',
    "  holdfast lock deploy --no-wait -- ./deploy.sh",
    "  holdfast lock plan/7 plan/8 --mode read --wait=30s -- ./report.sh",
    "  holdfast lock nightly --once backup-2026-11-16 --if-unavailable=fail -- ./backup.sh",
    '  holdfast lock staging --purpose "examining a defect"',
  ],
  options: {
    mode: {
      value: "read|upgradeable|write",
      summary: "read is shared with other reads; write, the default, is exclusive",
    },
    scope: { value: "tree|self", summary: "tree, the default, covers all paths below; self covers the path alone" },
    ttl: { value: "TIME", summary: "the lease, and the time until a crash of this host is noticed (default: 30s)" },
    literal: literalOption,
    wait: {
      value: "TIME",
      isValueOptional: true,
      summary: "maximum wait; on a timeout exit with 120 (default: wait forever)",
    },
    "no-wait": { summary: "do not wait: if the lock is held, print its holder and exit with 120" },
    purpose: { value: "TEXT", summary: "the purpose of the lock, for the waiters" },
    note: { value: "TEXT", summary: "the progress of the work, for the next holder" },
    name: { value: "TEXT", summary: "the name of the holder (default: user@host)" },
    "if-unavailable": {
      value: "fail|run",
      summary: "without a server: exit with 122 (the default), or run without the lock",
    },
    once: {
      value: "KEY",
      summary: "run the command once per key; a repeated run prints the first one and exits with 0",
    },
    url: { value: "URL", summary: "the server (default: $HOLDFAST_URL, else the server of the nearest .holdfast)" },
    data: { value: "DIR", summary: "the server that runs on this data folder" },
    "token-file": tokenFileOption,
    verbose: { summary: "print the address of the server" },
    json: { summary: "print each event as a line of JSON to standard error; standard output belongs to COMMAND" },
  },
  operations: [
    "acquire-lock",
    "accept-lock",
    "cancel-ticket",
    "renew-lock",
    "release-lock",
    "register-agent",
    "heartbeat",
    "end-agent",
  ],
  run: runLock,
};

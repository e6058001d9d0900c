import { defined } from "@holdfast/sdk/base/defined";
import type { RequestLockOptions } from "@holdfast/sdk";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { isIdempotencyKey } from "@holdfast/sdk/base/is-idempotency-key";
import type { CommandArguments, Terminal } from "../command.ts";
import { lockPathsOf } from "../args/lock-paths.ts";
import { UsageError } from "../args/usage-error.ts";
import { choiceOption, secondsArgument, secondsOption, textOption } from "../args/option-values.ts";

/** The arguments of `holdfast lock`, checked before the first call to the server. */
export interface LockArguments {
  readonly paths: readonly string[];
  readonly options: Omit<RequestLockOptions, "ifAvailable"> & { readonly ttlMs: number };
  readonly name?: string | undefined;
  readonly once?: string | undefined;
  readonly runsWithout: boolean;
  readonly command?: readonly [string, ...string[]] | undefined;
}

const ttlDefault = 30;
const ttlMax = 86_400;

export function parseLockArguments(args: CommandArguments, terminal: Terminal): LockArguments {
  const { values } = args;
  const paths = lockPathsOf(args);
  refuseNested(paths, terminal);
  const once = textOption(values, "once");
  if (once !== undefined && !isOnceKey(once)) {
    throw new UsageError(
      `--once must be 1 to 200 printable ASCII characters without spaces, quotes and backslashes, not "${once}"`,
    );
  }
  const name = textOption(values, "name");
  const command = commandOf(args);
  if (once !== undefined && command === undefined) throw new UsageError("--once needs a command: -- COMMAND");
  return {
    paths,
    options: optionsOf(args),
    runsWithout: choiceOption(values, "if-unavailable", ["fail", "run"]) === "run",
    name,
    once,
    command,
  };
}

function optionsOf(args: CommandArguments): LockArguments["options"] {
  const { values } = args;
  const ttlSeconds = secondsOption(values, "ttl", 1) ?? ttlDefault;
  if (ttlSeconds > ttlMax) throw new UsageError(`--ttl must be at most ${ttlMax} seconds, not ${ttlSeconds}`);
  const mode = choiceOption(values, "mode", ["read", "upgradeable", "write"]);
  const scope = choiceOption(values, "scope", ["tree", "self"]);
  const purpose = textOption(values, "purpose");
  const note = textOption(values, "note");
  const waitMs = waitOf(args);
  return defined({ ttlMs: ttlSeconds * 1_000, mode, scope, purpose, note, waitMs });
}

/** The maximum wait in milliseconds. Undefined waits forever. */
function waitOf({ values }: CommandArguments): number | undefined {
  const { wait } = values;
  if (values["no-wait"] === true) {
    if (wait !== undefined) throw new UsageError("use --wait or --no-wait, not both");
    return 0;
  }
  return typeof wait === "string" ? secondsArgument(wait, "--wait", 1) * 1_000 : undefined;
}

function commandOf({ child }: CommandArguments): LockArguments["command"] {
  if (child === undefined) return undefined;
  const [file, ...rest] = child;
  if (file === undefined) throw new UsageError("no command after --; add the command to run, or remove --");
  return [file, ...rest];
}

/** A command under a lock that waits for the same path would wait for itself, forever. */
function refuseNested(paths: readonly string[], { env }: Terminal): void {
  const held = (env["HOLDFAST_LOCK_PATHS"] ?? "").split("\n").filter((path) => path !== "");
  for (const path of paths) {
    const outer = held.find((other) => isAtOrBelow(path, other) || isAtOrBelow(other, path));
    if (outer === undefined) continue;
    throw new UsageError(
      `this command already runs under \`holdfast lock ${outer}\`; a wait for ${path} would never end`,
    );
  }
}

/** A part of an idempotency key, short enough for its prefix. */
function isOnceKey(once: string): boolean {
  return isIdempotencyKey(once) && once.length <= 200 && !once.includes(" ");
}

import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { endIfIdle } from "../agent/end-if-idle.ts";
import { literalOption, lockPathsOf } from "../args/lock-paths.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { holderLine } from "../terminal/lock-table.ts";
import type { WireLockStatus } from "../terminal/lock-table.ts";

export const ownerOption = { value: "ID", summary: "the owner of the lock (default: the calling agent)" } as const;

export const releaseCommand: CliCommand = serverCommand({
  name: "release",
  usage: "[PATH…]",
  positionalsMax: 1_000,
  summary: "release a lock of your own",
  details: [
    "Releases locks of the calling agent, or of the owner in --owner: single paths, or with --fence a whole grant. The",
    "calling agent is the one of `holdfast take` with the same --name, or of HOLDFAST_AGENT_ID. The next waiter gets the",
    "lock immediately. An agent of `holdfast take` ends with its last lock. A release of a path that the owner does not",
    "hold is refused. `holdfast lock` releases its lock automatically.",
    "",
    "  holdfast release src/a.ts",
    "  holdfast release --fence 1.42",
    '  holdfast release repo/x/src --owner nightly --note "half done"',
  ],
  options: {
    fence: { value: "FENCE", summary: "the fence of the grant" },
    owner: ownerOption,
    note: { value: "TEXT", summary: "a note for the next holder" },
    literal: literalOption,
  },
  operations: ["release-lock", "get-lock", "who-am-i", "end-agent"],
  async execute(context) {
    const { call, values, show } = context;
    const positionals = lockPathsOf(context);
    const fence = textOption(values, "fence");
    if (fence === undefined && positionals.length === 0) throw new UsageError("PATH or --fence is required");
    const note = textOption(values, "note");
    const ownerId = textOption(values, "owner");
    const target = positionals.length === 0 ? { fence: fence ?? "" } : defined({ paths: positionals, fence });
    const release = { ...target, ...defined({ note, owner_id: ownerId }) };
    const answer = await call("release-lock", release).catch(async (error: unknown) => {
      await explainLost(context, positionals, error);
      throw error;
    });
    await endIfIdle(context);
    return show(answer, () => `released ${answer.released.map(escapeControlChars).join(", ")}.`);
  },
});

function unknownAgentLine(paths: readonly string[]): string {
  const held = paths.length === 0 ? "" : ` on ${paths.map(escapeControlChars).join(", ")}`;
  return `no agent of \`holdfast take\` has this name here, so it has no lock${held}. Choose its --name, or its --owner.`;
}

/** Shows the owner that holds a path which the caller does not hold. A silent agent learns here that its lease ended. */
async function explainLost(context: CommandContext, paths: readonly string[], error: unknown): Promise<void> {
  const codes = ["lock_not_held", "owner_required"];
  if (!(error instanceof HoldfastError) || !codes.includes(error.code) || context.isJson) return;
  const lines = await holderLines(context, paths);
  if (lines.length === 0 && error.code === "owner_required") lines.push(unknownAgentLine(paths));
  for (const line of lines) context.terminal.warn(`holdfast: ${line}`);
}

/** The holders of each path, one line for each path that has any. */
async function holderLines({ call }: CommandContext, paths: readonly string[]): Promise<string[]> {
  const nowMs = systemClock.wallMs();
  const lines: string[] = [];
  for (const path of paths) {
    const status = (await call("get-lock", { path }).catch(() => undefined)) as WireLockStatus | undefined;
    const holders = (status?.holders ?? []).map((holder) => holderLine(holder, nowMs));
    if (holders.length > 0) lines.push(holders.join("; "));
  }
  return lines;
}

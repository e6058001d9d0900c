import { defined } from "@holdfast/sdk/base/defined";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { literalOption, lockPathsOf } from "../args/lock-paths.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { textOption } from "../args/option-values.ts";
import { ownerOption } from "./release.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const requestReleaseCommand: CliCommand = serverCommand({
  name: "request-release",
  usage: "PATH",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "ask the holders of a path to release it",
  details: [
    "Notifies the holders of a path that another owner needs it, with the reason. The holders keep the lock until they",
    "release it.",
    "",
    '  holdfast request-release repo/x/src --reason "the release is waiting" --owner ann',
  ],
  options: {
    reason: { value: "TEXT", summary: "the reason, for the holders" },
    literal: literalOption,
    owner: { ...ownerOption, summary: "the owner that asks (default: the calling agent)" },
  },
  operations: ["request-release"],
  async execute(context) {
    const { call, values, show } = context;
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('--reason is required: --reason="…"');
    const ownerId = textOption(values, "owner");
    const answer = await call("request-release", {
      path: lockPathsOf(context)[0] ?? "",
      reason,
      ...defined({ owner_id: ownerId }),
    });
    const names = new AgentNames(context);
    await names.load(answer.asked);
    return show(answer, () => `notified ${answer.asked.map((id) => names.label(id)).join(", ")}.`);
  },
});

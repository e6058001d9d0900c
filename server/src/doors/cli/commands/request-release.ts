import type { Command } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { ownerOption } from "./release.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const requestReleaseCommand: Command = serverCommand({
  name: "request-release",
  usage: "PATH",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "ask whoever holds a path to give it back",
  details: [
    "Tells whoever holds a path that somebody needs it, and why. Nothing is taken from them: they decide.",
    "",
    '  holdfast request-release repo/x/src --reason "the release is waiting" --owner ann',
  ],
  options: {
    reason: { value: "TEXT", summary: "why; the holders read it" },
    owner: { ...ownerOption, summary: "who asks, if not the calling agent" },
  },
  operations: ["request-release"],
  async execute({ client, positionals, values, show }) {
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('a request needs its reason: --reason="…"');
    const ownerId = textOption(values, "owner");
    const answer = await client.locks.requestRelease(
      positionals[0] ?? "",
      reason,
      ownerId === undefined ? {} : { ownerId },
    );
    return show(answer, () => `asked ${answer.asked.map(escapeControlChars).join(", ")}.`);
  },
});

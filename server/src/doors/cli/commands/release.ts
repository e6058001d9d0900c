import type { Command } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const ownerOption = { value: "ID", summary: "whose lock it is, if not that of the calling agent" } as const;

export const releaseCommand: Command = serverCommand({
  name: "release",
  usage: "[PATH…]",
  positionalsMax: 1_000,
  summary: "give back a lock of one's own",
  details: [
    "Gives back what the calling agent holds (HOLDFAST_AGENT_ID and HOLDFAST_AGENT_SECRET), or the owner that --owner names:",
    "single paths, or with --fence a whole grant. Whoever waits next has it at once. What is not held is refused.",
    "`holdfast lock` releases by itself.",
    "",
    "  holdfast release --fence 1.42",
    '  holdfast release repo/x/src --owner nightly --note "half done"',
  ],
  options: {
    fence: { value: "FENCE", summary: "the fence of the grant" },
    owner: ownerOption,
    note: { value: "TEXT", summary: "what the next holder should know" },
  },
  operations: ["release-lock"],
  async execute({ client, positionals, values, show }) {
    const fence = textOption(values, "fence");
    if (fence === undefined && positionals.length === 0) throw new UsageError("give the PATH to release, or --fence");
    const note = textOption(values, "note");
    const ownerId = textOption(values, "owner");
    const what =
      positionals.length === 0
        ? { fence: fence ?? "" }
        : { paths: positionals, ...(fence === undefined ? {} : { fence }) };
    const answer = await client.locks.release(what, {
      ...(note === undefined ? {} : { note }),
      ...(ownerId === undefined ? {} : { ownerId }),
    });
    return show(answer, () => `released ${answer.released.map(escapeControlChars).join(", ")}.`);
  },
});

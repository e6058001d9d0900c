import type { Client } from "@holdfast/sdk";
import type { Command } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const forceReleaseCommand: Command = serverCommand({
  name: "force-release",
  usage: "FENCE|PATH",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "free a lock as an operator",
  details: [
    "Frees exactly one grant: the one with this FENCE, or the only one on this PATH. Its holder is told, and what it still",
    "writes with the old fence is refused. A lock that may only be recovered is freed if the conditions for that hold;",
    "--override frees it whatever they say, and is another verb in the audit trail. It needs the operator's token: --token,",
    "HOLDFAST_TOKEN, or the file in the data folder.",
    "",
    '  holdfast force-release repo/x/src --reason "its host is gone"',
    '  holdfast force-release 1.42 --override --reason "checked by hand"',
  ],
  options: {
    reason: { value: "TEXT", summary: "why; it is kept in the audit trail" },
    override: { summary: "free it even if the conditions of recovery do not hold" },
  },
  operations: ["force-release", "override-release"],
  isForOperators: () => true,
  async execute({ client, positionals, values, show }) {
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('freeing a lock of others needs its reason: --reason="…"');
    const fence = await fenceOf(client, positionals[0] ?? "");
    const override = values["override"] === true;
    const answer = (await client.locks.forceRelease(fence, reason, { override })) as {
      readonly released: readonly string[];
    };
    return show(
      { ...answer, fence, override },
      () => `freed ${answer.released.map(escapeControlChars).join(", ")} (fence ${fence}).`,
    );
  },
});

/** A path stands for its grant if there is one, and only one: an operator must not free what they did not look at. */
async function fenceOf(client: Client, word: string): Promise<string> {
  if (/^[0-9]+(\.[0-9]+){1,2}$/u.test(word)) return word;
  const { holders } = await client.locks.status(word);
  const fences = [...new Set(holders.map(({ fence }) => fence))];
  const [fence] = fences;
  if (fence === undefined)
    throw new UsageError(`nobody holds ${word} itself; \`holdfast locks ${word}\` shows what is around it`);
  if (fences.length > 1)
    throw new UsageError(`${word} is held more than once, by the fences ${fences.join(", ")}: give one of them`);
  return fence;
}

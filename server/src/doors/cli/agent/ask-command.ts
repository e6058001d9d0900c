import type { CliCommand } from "../command.ts";
import { lockPathsOf, literalOption } from "../args/lock-paths.ts";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

export const askCommand: CliCommand = serverCommand({
  name: "ask",
  usage: "PATH",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "ask the holders of a path to release it",
  details: [
    "Notifies the holders of a path that this agent needs it, with the reason. `holdfast lock` prints it, and",
    "`holdfast who PATH` shows it. The holders keep the lock until they release it.",
    "",
    '  holdfast ask src/a.ts --reason "a fix must go out"',
  ],
  options: { reason: { value: "TEXT", summary: "the reason, for the holders" }, literal: literalOption },
  operations: ["request-release"],
  async execute(context) {
    const { call, values, show } = context;
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('--reason is required: --reason="…"');
    const [path = ""] = lockPathsOf(context);
    const answer = await call("request-release", { path, reason });
    const names = new AgentNames(context);
    await names.load(answer.asked);
    return show(
      answer,
      () => `asked ${answer.asked.map((id) => names.label(id)).join(", ")} to release ${escapeControlChars(path)}.`,
    );
  },
});

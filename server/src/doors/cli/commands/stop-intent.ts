import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

export const stopIntentCommand: CliCommand = serverCommand({
  name: "stop-intent",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "ask the run of an intent to stop",
  details: [
    "A running run gets the request: its worker ends the step and stops. If the worker does not react, release its lock",
    "with `holdfast force-release intent/ID`, and the run ends. An interrupted or paused run ends at once.",
    "",
    '  holdfast stop-intent order-42 --reason "the order was cancelled"',
  ],
  options: { reason: { value: "TEXT", summary: "the reason, which is stored in the audit trail" } },
  operations: ["intents.stop"],
  async execute({ run, positionals, values, show }) {
    const id = positionals[0] ?? "";
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('--reason is required: --reason="…"');
    const answer = (await run("intents.stop", { id, reason })) as StopAnswer;
    const name = escapeControlChars(id);
    return show(answer, () =>
      answer.requested
        ? `Run ${answer.run} of ${name} was asked to stop. \`holdfast intent ${name} --watch\` shows when it has.`
        : `Run ${answer.run} of ${name} is ${answer.state}.`,
    );
  },
});

interface StopAnswer {
  readonly run: number;
  readonly state: string;
  readonly requested: boolean;
}

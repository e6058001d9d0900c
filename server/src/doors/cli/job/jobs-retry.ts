import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { actOnSelection, jobCount, jobsSelection, selectionOptions } from "./jobs-selection.ts";

export const jobsRetryCommand: CliCommand = serverCommand({
  name: "jobs retry",
  usage: "[ID]",
  positionalsMax: 1,
  summary: "make a failed job, or all failed jobs of a type, ready again",
  details: [
    "Makes failed jobs ready again. Their attempts are counted from zero.",
    "",
    "  holdfast jobs retry job-42",
    "  holdfast jobs retry --type mail.send",
  ],
  options: selectionOptions,
  operations: ["jobs.retry"],
  async execute(context) {
    const count = await actOnSelection(context, "jobs.retry", jobsSelection(context));
    return context.show({ count }, () =>
      count === 0 ? "No failed job matches." : `${jobCount(count)} will run again.`,
    );
  },
});

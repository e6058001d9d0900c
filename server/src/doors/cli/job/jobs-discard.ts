import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { actOnSelection, jobCount, jobsSelection, selectionOptions } from "./jobs-selection.ts";

export const jobsDiscardCommand: CliCommand = serverCommand({
  name: "jobs discard",
  usage: "[ID]",
  positionalsMax: 1,
  summary: "remove a failed job, or all failed jobs of a type",
  details: [
    "Removes failed jobs. Their history stays in the journal.",
    "",
    "  holdfast jobs discard job-42",
    "  holdfast jobs discard --type mail.send --project p1",
  ],
  options: selectionOptions,
  operations: ["jobs.discard"],
  async execute(context) {
    const count = await actOnSelection(context, "jobs.discard", jobsSelection(context));
    return context.show({ count }, () => (count === 0 ? "No failed job matches." : `${jobCount(count)} removed.`));
  },
});

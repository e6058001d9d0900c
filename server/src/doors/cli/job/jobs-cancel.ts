import { defined } from "@holdfast/sdk/base/defined";
import { choiceOption, textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { actOnSelection, jobCount, jobsSelection, selectionOptions } from "./jobs-selection.ts";

export const jobsCancelCommand: CliCommand = serverCommand({
  name: "jobs cancel",
  usage: "[ID]",
  positionalsMax: 1,
  summary: "cancel a job, or the jobs of a type in one state",
  details: [
    "Cancels a job. A running job gets a signal: if its worker does not end it within 30 seconds, the server ends the",
    "attempt. With --type it cancels the jobs of one state, which is ready by default.",
    "",
    '  holdfast jobs cancel job-42 --reason "not needed"',
    "  holdfast jobs cancel --type mail.send --state scheduled",
  ],
  options: {
    ...selectionOptions,
    state: { value: "STATE", summary: "with --type: the state, such as ready, scheduled or running (default: ready)" },
    reason: { value: "TEXT", summary: "the reason, which is stored in the history of the job" },
  },
  operations: ["jobs.cancel", "jobs.get"],
  async execute(context) {
    const { values, show } = context;
    const selection = jobsSelection(context);
    const state = choiceOption(values, "state", cancelledStates);
    const input = { ...selection, ...defined({ state, reason: textOption(values, "reason") }) };
    const count = await actOnSelection(context, "jobs.cancel", input);
    return show({ count }, () => (count === 0 ? "No job matches." : `${jobCount(count)} cancelled, or asked to end.`));
  },
});

const cancelledStates = ["ready", "scheduled", "waiting", "locking", "running"] as const;

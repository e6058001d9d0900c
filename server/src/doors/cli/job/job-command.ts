import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { followJob, readJob } from "./follow-job.ts";
import { jobDetails } from "./job-details.ts";

export const jobCommand: CliCommand = serverCommand({
  name: "job",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show a job: its state, attempts, locks, progress, and its result or error",
  details: [
    "Shows one job. With --watch it follows the job until it ends: a bar in a terminal, a line per change elsewhere. The",
    "exit code is then 0 if the job was completed, and 9 if it failed or was cancelled. Ctrl+C stops the command only.",
    "",
    "  holdfast job job-42",
    "  holdfast job job-42 --watch",
    "  holdfast job job-42 --json",
  ],
  options: { watch: { summary: "follow the job until it ends" } },
  operations: ["jobs.get"],
  async execute(context) {
    const id = context.positionals[0] ?? "";
    if (context.values["watch"] === true) return followJob(context, id);
    const names = new AgentNames(context);
    const job = await readJob(context, names, id);
    const { paint } = context.terminal;
    return context.show(job, () =>
      jobDetails(job, { paint, nowMs: systemClock.wallMs(), labelOf: (worker) => names.label(worker) }),
    );
  },
});

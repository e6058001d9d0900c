import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { showRequestedJob, watchJobDetails, watchJobOption } from "./show-requested-job.ts";
import type { RequestedJob } from "./show-requested-job.ts";

export const workspaceRestoreCommand: CliCommand = serverCommand({
  name: "workspace restore",
  usage: "PROJECT BACKUP",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "make a project equal to a backup, after a second person approved it",
  details: [
    "Requests the restore of a backup. BACKUP is the job that made it. Until the job ends, everything else in the project",
    "is refused. Without an approval of exactly this restore, the request is refused and nothing changes.",
    ...watchJobDetails,
    "",
    "  holdfast workspace request-approval p1 restore-project ws-42",
    "  holdfast workspace restore p1 ws-42 --approval a7 --watch",
  ],
  options: {
    approval: { value: "APPROVAL", summary: "the approval of this restore by a second person" },
    ...watchJobOption,
  },
  operations: ["workspace.restore-project", "jobs.get"],
  async execute(context) {
    const [project = "", backup = ""] = context.positionals;
    const input = defined({ project, backup, approval: textOption(context.values, "approval") });
    return showRequestedJob(context, (await context.run("workspace.restore-project", input)) as RequestedJob);
  },
});

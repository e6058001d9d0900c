import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { showRequestedJob, watchJobDetails, watchJobOption } from "./show-requested-job.ts";
import type { RequestedJob } from "./show-requested-job.ts";

export const workspaceBackupCommand: CliCommand = serverCommand({
  name: "workspace backup",
  usage: "PROJECT",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "publish all records and files of a project as a backup",
  details: [
    "Requests a backup, which is published as backup/PROJECT/JOB. The id of the job is the name of the backup.",
    ...watchJobDetails,
    "",
    "  holdfast workspace backup p1 --watch",
    "  holdfast workspace backup p1 --root archive",
  ],
  options: { root: { value: "NAME", summary: "the storage root, if there are several" }, ...watchJobOption },
  operations: ["workspace.backup-project", "jobs.get"],
  async execute(context) {
    const [project = ""] = context.positionals;
    const input = defined({ project, root: textOption(context.values, "root") });
    const answer = (await context.run("workspace.backup-project", input)) as RequestedJob;
    return showRequestedJob(
      context,
      answer,
      (job) =>
        `To restore it: holdfast workspace request-approval ${escapeControlChars(project)} restore-project ${job}`,
    );
  },
});

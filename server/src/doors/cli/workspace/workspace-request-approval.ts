import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import type { WireApproval } from "./wire-approval.ts";

export const workspaceRequestApprovalCommand: CliCommand = serverCommand({
  name: "workspace request-approval",
  usage: "PROJECT ACTION [BACKUP]",
  positionalsMin: 2,
  positionalsMax: 3,
  summary: "request that a second person approves a restore or a deletion",
  details: [
    "Requests the approval of exactly one action. ACTION is restore-project with the BACKUP to restore, or delete-project.",
    "Another person decides with `holdfast workspace approve`.",
    "",
    "  holdfast workspace request-approval p1 restore-project ws-42",
    "  holdfast workspace request-approval p1 delete-project",
  ],
  options: {},
  operations: ["workspace.request-approval"],
  async execute({ run, positionals: [project = "", action = "", backup], show }) {
    const parameters = parametersOf(action, backup);
    const requested = (await run("workspace.request-approval", { project, action, parameters })) as WireApproval;
    const place = `${escapeControlChars(project)} ${escapeControlChars(requested.approval)}`;
    return show(
      requested,
      () =>
        `${escapeControlChars(requested.approval)} is ${requested.state}. ` +
        `Another person decides: holdfast workspace approve ${place}`,
    );
  },
});

function parametersOf(action: string, backup: string | undefined): object {
  if (action !== "restore-project" && action !== "delete-project")
    throw new UsageError(`ACTION must be restore-project or delete-project, not "${action}"`);
  if (action === "delete-project" && backup !== undefined)
    throw new UsageError(`unexpected argument "${backup}": delete-project needs no BACKUP`);
  if (action === "delete-project") return {};
  if (backup === undefined) throw new UsageError("restore-project needs BACKUP, the job that made the backup");
  return { backup };
}

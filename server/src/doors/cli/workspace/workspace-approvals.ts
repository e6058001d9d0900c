import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";
import type { WireApproval } from "./wire-approval.ts";

interface ApprovalPage {
  readonly items: readonly WireApproval[];
  readonly next: string | null;
}

export const workspaceApprovalsCommand: CliCommand = serverCommand({
  name: "workspace approvals",
  usage: "PROJECT",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "list the approvals of a project and their state",
  details: [
    "Lists the requests for approval, each with its action, its parameters and its state. The request takes the read lock",
    "of the project for itself alone.",
    "",
    "  holdfast workspace approvals p1",
    "  holdfast workspace approve p1 a7",
  ],
  options: { limit: limitOption },
  operations: ["workspace.list-approvals"],
  async execute({ run, positionals, values, terminal, show }) {
    const query = { project: positionals[0] ?? "", lock: "take" };
    const page = await readPages(
      numberOption(values, "limit", 1) ?? limitDefault,
      async (part) => (await run("workspace.list-approvals", { ...query, ...part })) as ApprovalPage,
    );
    const nowMs = systemClock.wallMs();
    const rows = page.items.map((item) => [
      escapeControlChars(item.approval),
      item.action,
      item.state,
      escapeControlChars(item.requester),
      item.decider === undefined ? "-" : escapeControlChars(item.decider),
      relativeTime(item.expires_at, nowMs),
      escapeControlChars(JSON.stringify(item.parameters)),
    ]);
    return show(page, () =>
      rows.length === 0
        ? "The project has no approvals."
        : table(
            ["APPROVAL", "ACTION", "STATE", "REQUESTER", "DECIDER", "EXPIRES", "PARAMETERS"],
            rows,
            terminal.paint,
          ) + moreItemsHint(page.next),
    );
  },
});

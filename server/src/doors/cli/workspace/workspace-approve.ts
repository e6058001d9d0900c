import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import type { WireApproval } from "./wire-approval.ts";

export const workspaceApproveCommand: CliCommand = serverCommand({
  name: "workspace approve",
  usage: "PROJECT APPROVAL",
  positionalsMin: 2,
  positionalsMax: 2,
  summary: "approve or reject a request, as a second person",
  details: [
    "Approves a request for 24 hours and one use, or rejects it. The decider is another principal than the requester: a",
    "manager or an owner of the project, or the operator. An agent cannot decide, so the command sends no agent. It uses",
    "the token of --token-file or HOLDFAST_TOKEN, otherwise the operator's token of the data folder.",
    "",
    "  holdfast workspace approve p1 a7",
    '  holdfast workspace approve p1 a7 --reject --note "the backup is too old"',
  ],
  options: {
    reject: { summary: "reject the request" },
    note: { value: "TEXT", summary: "the reason, which is stored with the decision" },
  },
  operations: ["workspace.decide-approval"],
  isForOperators: () => true,
  async execute({ run, positionals: [project = "", approval = ""], values, show }) {
    const decision = values["reject"] === true ? "reject" : "approve";
    const input = defined({ project, approval, decision, note: textOption(values, "note") });
    const decided = (await run("workspace.decide-approval", input)) as WireApproval;
    const { action, state, requester, expires_at: expiresAt } = decided;
    const until = state === "approved" ? ` It is valid once, until ${expiresAt}.` : "";
    return show(
      decided,
      () =>
        `${escapeControlChars(approval)} is ${state}: ${action} of ${escapeControlChars(project)}, ` +
        `requested by ${escapeControlChars(requester)}.${until}`,
    );
  },
});

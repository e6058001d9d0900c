import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";

/** Default number of entries. */
const limitDefault = 20;

export const auditCommand: CliCommand = serverCommand({
  name: "audit",
  positionalsMax: 0,
  summary: "show who did what, with the outcome and the reason",
  details: [
    "Shows the newest entries of the audit trail: the author, the operation, its subjects, its outcome and its reason.",
    "",
    "  holdfast audit",
    "  holdfast audit --operation force-release",
    "  holdfast audit --subject lock/deploy/prod --outcome refused",
  ],
  options: {
    subject: { value: "SUBJECT", summary: "only entries about this subject, such as lock/deploy/prod" },
    operation: { value: "NAME", summary: "only entries of this operation" },
    outcome: { value: "CODE", summary: "only this outcome: done, refused, or a problem code" },
    principal: { value: "NAME", summary: "only entries of this principal" },
    limit: { value: "N", summary: `maximum number of entries (default: ${limitDefault})` },
  },
  operations: ["list-audit"],
  async execute(context) {
    const { call, values, terminal, show } = context;
    const limit = Math.min(numberOption(values, "limit", 1) ?? limitDefault, 1_000);
    const filters = {
      subject: textOption(values, "subject"),
      operation: textOption(values, "operation"),
      outcome: textOption(values, "outcome"),
      principal: textOption(values, "principal"),
    };
    const page = await call("list-audit", { ...defined(filters), limit });
    const items = page.items as readonly AuditItem[];
    const names = new AgentNames(context);
    await names.load(items.flatMap(({ by, subjects }) => [by.agent ?? "", ...subjects.map(agentOf)]));
    const nowMs = systemClock.wallMs();
    const rows = items.map(({ position, time, by, operation, subjects, outcome, reason }) => [
      String(position),
      relativeTime(time, nowMs),
      by.agent === undefined ? escapeControlChars(by.principal) : names.label(by.agent),
      operation,
      subjects.map((subject) => subjectText(subject, names)).join(", "),
      outcome,
      typeof reason === "string" ? escapeControlChars(reason) : "",
    ]);
    const headings = ["POSITION", "WHEN", "WHO", "OPERATION", "SUBJECTS", "OUTCOME", "REASON"];
    return show(page, () => (rows.length === 0 ? "No entries match." : table(headings, rows, terminal.paint)));
  },
});

const agentPrefix = "agent/";

/** The id of the agent that a subject names, else an empty text. */
function agentOf(subject: string): string {
  return subject.startsWith(agentPrefix) ? subject.slice(agentPrefix.length) : "";
}

/** `agent ann (28a0)` for an agent. Any other subject is already a name. */
function subjectText(subject: string, names: AgentNames): string {
  return agentOf(subject) === "" ? escapeControlChars(subject) : `agent ${names.label(agentOf(subject))}`;
}

interface AuditItem {
  readonly position: number;
  readonly time: string;
  readonly by: { readonly principal: string; readonly agent?: string };
  readonly operation: string;
  readonly subjects: readonly string[];
  readonly outcome: string;
  readonly reason?: unknown;
}

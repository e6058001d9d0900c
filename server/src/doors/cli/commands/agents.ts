import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CliCommand } from "../command.ts";
import { agentLabel } from "../terminal/agent-label.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption } from "../args/option-values.ts";
import { placeText } from "../terminal/lock-table.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

export const agentsCommand: CliCommand = serverCommand({
  name: "agents",
  positionalsMax: 0,
  summary: "show the registered agents",
  details: [
    "Shows all registered agents: name, purpose, principal, the time of the last call, and the time at which the",
    "registration expires without another call.",
    "",
    "  holdfast agents",
  ],
  options: { limit: limitOption },
  operations: ["list-agents"],
  async execute({ call, terminal, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => call("list-agents", part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map((agent) => [
      agentLabel(agent.agent_id, agent.name),
      escapeControlChars(agent.purpose ?? "-"),
      escapeControlChars(agent.principal),
      relativeTime(agent.seen_at, nowMs),
      relativeTime(agent.expires_at, nowMs),
      placeText(agent),
      agent.agent_id,
    ]);
    const headings = ["AGENT", "PURPOSE", "PRINCIPAL", "SEEN", "ENDS", "PROCESS", "ID"];
    return show(page, () =>
      rows.length === 0 ? "No agent is registered." : table(headings, rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { lockPathsOf, literalOption } from "../args/lock-paths.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { readPages } from "../discovery/read-pages.ts";
import { agentLabel } from "../terminal/agent-label.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { lockDetails, placeText } from "../terminal/lock-table.ts";
import { duration } from "../terminal/relative-time.ts";
import type { WireLockStatus } from "../terminal/lock-table.ts";

/** Maximum agents in the list. */
const agentsMax = 1_000;

export const whoCommand: CliCommand = serverCommand({
  name: "who",
  usage: "[PATH]",
  positionalsMax: 1,
  summary: "show who holds a path, or all agents and what they hold",
  details: [
    "With PATH it shows the holders of the path, of the paths above and below it, and its queue. Without PATH it shows each",
    "registered agent with its host, its process, its last heartbeat, and the paths that it holds.",
    "",
    "  holdfast who",
    "  holdfast who src/a.ts",
  ],
  options: { literal: literalOption },
  operations: ["get-lock", "list-agents", "list-locks"],
  execute: (context) => (context.positionals.length === 0 ? showAgents(context) : showPath(context)),
});

async function showPath(context: CommandContext): Promise<ExitCode> {
  const { call, show, terminal } = context;
  const [path = ""] = lockPathsOf(context);
  const status = (await call("get-lock", { path })) as WireLockStatus;
  return show(status, () => lockDetails(status, { paint: terminal.paint, nowMs: systemClock.wallMs() }));
}

async function showAgents({ call, show }: CommandContext): Promise<ExitCode> {
  const agents = await readPages(agentsMax, (part) => call("list-agents", part));
  const locks = await readPages(agentsMax, async (part) => (await call("list-locks", part)) as HeldPage);
  const held = Map.groupBy(
    locks.items.flatMap(({ path, holders }) => holders.map(({ owner_id: owner }) => ({ owner, path }))),
    ({ owner }) => owner,
  );
  const nowMs = systemClock.wallMs();
  const lines = agents.items.map((agent) => {
    const paths = (held.get(agent.agent_id) ?? []).map(({ path }) => escapeControlChars(path));
    const purpose = agent.purpose === null ? "" : `, "${escapeControlChars(agent.purpose)}"`;
    const seen = `seen ${duration(nowMs - Date.parse(agent.seen_at))} ago`;
    const place = placeText(agent);
    const holds = paths.length === 0 ? "holds nothing" : `holds ${paths.join(", ")}`;
    return `${agentLabel(agent.agent_id, agent.name)}${purpose}: ${holds}; ${[place, seen].filter((text) => text !== "").join(", ")}`;
  });
  return show({ agents: agents.items, locks: locks.items }, () =>
    lines.length === 0 ? "No agent is registered." : lines.join("\n"),
  );
}

interface HeldPage {
  readonly items: readonly { readonly path: string; readonly holders: readonly { readonly owner_id: string }[] }[];
  readonly next: string | null;
}

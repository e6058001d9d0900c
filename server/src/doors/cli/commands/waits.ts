import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CliCommand } from "../command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

export const waitsCommand: CliCommand = serverCommand({
  name: "waits",
  positionalsMax: 0,
  summary: "show the waiting owners and their blockers",
  details: ["Shows all tickets and the owners that block them, in the order of the tickets.", "", "  holdfast waits"],
  options: { limit: limitOption },
  operations: ["list-waits"],
  async execute(context) {
    const { call, terminal, values, show } = context;
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => call("list-waits", part));
    const nowMs = systemClock.wallMs();
    const names = new AgentNames(context);
    await names.load(
      page.items.flatMap(({ owner_id, blockers }) => [owner_id, ...blockers.map((each) => each.owner_id)]),
    );
    const rows = page.items.map(({ ticket, owner_id, since, paths, blockers, blockers_total }) => [
      ticket,
      names.label(owner_id),
      paths.map(({ path, mode }) => `${escapeControlChars(path)} (${mode})`).join(", "),
      relativeTime(since, nowMs),
      blockers
        .map(({ owner_id: blocker, path, as }) => `${names.label(blocker)}, ${as} of ${escapeControlChars(path)}`)
        .join("; ") + (blockers_total > blockers.length ? ` and ${blockers_total - blockers.length} more` : ""),
    ]);
    return show(page, () =>
      rows.length === 0
        ? "No owner waits."
        : table(["TICKET", "OWNER", "PATHS", "SINCE", "WAITS FOR"], rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

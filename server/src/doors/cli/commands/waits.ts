import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreWords, readPages } from "../discovery/all-pages.ts";
import type { Command } from "../command.ts";
import { harmless } from "../terminal/harmless.ts";
import { numberOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

export const waitsCommand: Command = serverCommand({
  name: "waits",
  wordsMax: 0,
  summary: "show who waits for whom",
  details: ["Shows every ticket and what keeps it waiting, in the order of the tickets.", "", "  holdfast waits"],
  options: { limit: limitOption },
  operations: ["list-waits"],
  async ask({ client, terminal, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => client.locks.waits(part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ ticket, owner_id, since, paths, blockers, blockers_total }) => [
      ticket,
      harmless(owner_id),
      paths.map(({ path, mode }) => `${harmless(path)} (${mode})`).join(", "),
      relativeTime(since, nowMs),
      blockers.map(({ owner_id: who, path, as }) => `${harmless(who)} (${as} of ${harmless(path)})`).join(", ") +
        (blockers_total > blockers.length ? ` and ${blockers_total - blockers.length} more` : ""),
    ]);
    return show(page, () =>
      rows.length === 0
        ? "Nobody waits."
        : table(["TICKET", "WHO", "WANTS", "SINCE", "WAITS FOR"], rows, terminal.paint) + moreWords(page.next),
    );
  },
});

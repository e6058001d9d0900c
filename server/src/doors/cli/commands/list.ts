import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CliCommand } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { truncateToWidth, table } from "../terminal/table.ts";

/** Maximum width of a value in the table. */
const valueWidth = 60;

export const listCommand: CliCommand = serverCommand({
  name: "list",
  usage: "TYPE",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "list the entities of a type",
  details: [
    "Lists the entities of a type, in the order of their ids.",
    "",
    "  holdfast list note",
    "  holdfast list plan --json | jq '.items[].value'",
  ],
  options: { limit: limitOption },
  operations: ["list-entities"],
  async execute({ call, terminal, positionals, values, show }) {
    const [type = ""] = positionals;
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => call("list-entities", { type, ...part }));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ id, version, changed_at, value }) => [
      escapeControlChars(id),
      String(version),
      relativeTime(changed_at, nowMs),
      truncateToWidth(escapeControlChars(JSON.stringify(value)), valueWidth),
    ]);
    return show(page, () =>
      rows.length === 0
        ? `No entities of type ${escapeControlChars(type)}.`
        : table(["ID", "VERSION", "CHANGED", "VALUE"], rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreWords, readPages } from "../discovery/all-pages.ts";
import type { Command } from "../command.ts";
import { harmless } from "../terminal/harmless.ts";
import { numberOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { cutTo, table } from "../terminal/table.ts";

/** So much of a value is shown. */
const valueWidth = 60;

export const listCommand: Command = serverCommand({
  name: "list",
  words: "TYPE",
  wordsMin: 1,
  wordsMax: 1,
  summary: "list the entities of a type",
  details: [
    "Lists the entities of a type, by id.",
    "",
    "  holdfast list note",
    "  holdfast list plan --json | jq '.items[].value'",
  ],
  options: { limit: limitOption },
  operations: ["list-entities"],
  async ask({ client, terminal, words, values, show }) {
    const [type = ""] = words;
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => client.entities.list(type, part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ id, version, changed_at, value }) => [
      harmless(id),
      String(version),
      relativeTime(new Date(changed_at).toISOString(), nowMs),
      cutTo(harmless(JSON.stringify(value)), valueWidth),
    ]);
    return show(page, () =>
      rows.length === 0
        ? `There is no ${harmless(type)}.`
        : table(["ID", "VERSION", "CHANGED", "VALUE"], rows, terminal.paint) + moreWords(page.next),
    );
  },
});

import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";
import { programCall, programOperations } from "./program-calls.ts";

export const programListCommand: CliCommand = serverCommand({
  name: "program list",
  positionalsMax: 0,
  summary: "list the programs",
  details: ["Lists the programs with their versions and sizes.", "", "  holdfast program list"],
  options: { limit: limitOption, ...localOption },
  operations: programOperations("programs.list"),
  async execute(context) {
    const { values, terminal, show } = context;
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => programCall(context, "programs.list", part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ program_id: id, name, version, counts, changed_at: at }) => [
      ...[terminal.paint.strong(id), escapeControlChars(name), String(version)],
      ...[String(counts.functions), String(counts.types), relativeTime(at, nowMs)],
    ]);
    const headings = ["PROGRAM", "NAME", "VERSION", "FUNCTIONS", "TYPES", "CHANGED"];
    return show(page, () =>
      rows.length === 0
        ? "There is no program. Create one with `holdfast program create PROGRAM`."
        : table(headings, rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

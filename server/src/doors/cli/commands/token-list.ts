import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CliCommand } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";
import { needsOperatorToken } from "./token-create.ts";

export const tokenListCommand: CliCommand = serverCommand({
  name: "token list",
  positionalsMax: 0,
  summary: "show the valid tokens",
  details: ["Shows all tokens that are neither revoked nor expired.", needsOperatorToken, "", "  holdfast token list"],
  options: { limit: limitOption },
  operations: ["list-tokens"],
  isForOperators: () => true,
  async execute({ call, terminal, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => call("list-tokens", part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ token_id, principal, allow, expires_at, note }) => [
      token_id,
      escapeControlChars(principal),
      allow
        .map(
          ({ verbs: allowed, under }) => `${allowed.join(",")}${under === "" ? "" : `:${escapeControlChars(under)}`}`,
        )
        .join(";"),
      relativeTime(expires_at, nowMs),
      escapeControlChars(note ?? "-"),
    ]);
    const headings = ["TOKEN", "PRINCIPAL", "MAY", "EXPIRES", "NOTE"];
    return show(page, () =>
      rows.length === 0 ? "No valid tokens." : table(headings, rows, terminal.paint) + moreItemsHint(page.next),
    );
  },
});

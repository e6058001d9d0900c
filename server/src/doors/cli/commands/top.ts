import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { holderLine } from "../terminal/lock-table.ts";
import type { WireLockPage } from "../terminal/lock-table.ts";
import { duration } from "../terminal/relative-time.ts";

/** Default number of paths, and maximum paths that are compared. */
const limitDefault = 10;
const comparedMax = 10_000;

export const topCommand: CliCommand = serverCommand({
  name: "top",
  positionalsMax: 0,
  summary: "show the paths with the most waiters and the longest holds",
  details: [
    "Shows the contended paths first: by the number of waiters, then by the age of the hold. Each line names the holder,",
    "its host and process, and how long it has been silent.",
    "",
    "  holdfast top",
    "  holdfast top --limit 3",
  ],
  options: { limit: { value: "N", summary: `maximum number of paths (default: ${limitDefault})` } },
  operations: ["list-locks"],
  async execute({ call, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(comparedMax, async (part) => (await call("list-locks", part)) as WireLockPage);
    const items = page.items.toSorted(byContention).slice(0, limit);
    const nowMs = systemClock.wallMs();
    return show({ items }, () =>
      items.length === 0 ? "No locks are held." : items.map((row) => lockLines(row, nowMs)).join("\n"),
    );
  },
});

type LockRow = WireLockPage["items"][number];

function byContention(a: LockRow, b: LockRow): number {
  return b.queue.length - a.queue.length || sinceOf(a) - sinceOf(b);
}

function sinceOf({ holders }: LockRow): number {
  return Math.min(...holders.map(({ since }) => Date.parse(since)));
}

function lockLines({ path, holders, queue }: LockRow, nowMs: number): string {
  const [first] = queue;
  const waiting =
    first === undefined
      ? "no waiter"
      : `${queue.length} ${queue.length === 1 ? "waiter" : "waiters"}, the first for ${duration(nowMs - Date.parse(first.since))}`;
  const lines = holders.map((holder) => `  ${holderLine(holder, nowMs)}`);
  return [`${escapeControlChars(path)}: ${waiting}`, ...lines].join("\n");
}

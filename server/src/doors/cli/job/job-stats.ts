import { systemClock } from "../../../base/clock.ts";
import { numberOption } from "../args/option-values.ts";
import { limitDefault, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";

interface TypeStats {
  readonly type: string;
  readonly waiting: number;
  readonly scheduled: number;
  readonly ready: number;
  readonly locking: number;
  readonly running: number;
  readonly failed: number;
  readonly paused: boolean;
  readonly oldest_ready_at: string | null;
}

interface JobStats {
  readonly types: readonly TypeStats[];
  readonly next: string | null;
  readonly running: number;
  readonly max_global_jobs: number;
  readonly classes: Readonly<Record<string, { readonly running: number; readonly capacity: number }>>;
  readonly workers: number;
}

/** Shows the number of jobs of each type by state, the caps, and what to do next. */
export async function showJobStats({ run, values, terminal, show }: CommandContext): Promise<ExitCode> {
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const pages: JobStats[] = [];
  const { items: types, next } = await readPages(limit, async (part) => {
    const page = (await run("jobs.stats", part)) as JobStats;
    pages.push(page);
    return { items: page.types, next: page.next };
  });
  const stats = { ...(pages[0] as JobStats), types, next };
  return show(stats, () => {
    const { paint } = terminal;
    const rows = types.map((row) => typeCells(row, paint.warning));
    const headings = ["TYPE", "WAITING", "SCHEDULED", "READY", "LOCKING", "RUNNING", "FAILED", "OLDEST READY"];
    const shown = rows.length === 0 ? "There are no jobs." : table(headings, rows, paint) + moreItemsHint(next);
    return [shown, totalsLine(stats), ...hints(stats)].join("\n");
  });
}

function typeCells(row: TypeStats, warn: (text: string) => string): readonly string[] {
  const { type, oldest_ready_at: oldest, paused, failed } = row;
  const counts = [row.waiting, row.scheduled, row.ready, row.locking, row.running].map(String);
  const age = oldest === null ? "-" : relativeTime(oldest, systemClock.wallMs());
  return [
    escapeControlChars(type),
    ...counts,
    failed === 0 ? "0" : warn(String(failed)),
    paused ? `${age} (the type is paused)` : age,
  ];
}

function totalsLine({ running, max_global_jobs: max, classes, workers }: JobStats): string {
  const used = Object.entries(classes).map(
    ([name, { running: count, capacity }]) => `${escapeControlChars(name)} ${count} of ${capacity}`,
  );
  return `Running: ${running} of ${max} (${used.join(", ")}). Workers: ${workers}.`;
}

function hints({ types, workers }: JobStats): readonly string[] {
  const [failed] = types.filter((row) => row.failed > 0);
  const [ready] = types.filter((row) => row.ready > 0);
  return [
    ...(workers === 0 && ready !== undefined
      ? [`No worker offers a slot. Start one: holdfast work ${ready.type} -- COMMAND`]
      : []),
    ...(failed === undefined
      ? []
      : [
          `\`holdfast jobs --state failed\` shows why jobs failed. Run them again: holdfast jobs retry --type ${failed.type}`,
        ]),
  ];
}

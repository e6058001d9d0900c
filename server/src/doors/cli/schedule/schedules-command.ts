import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { table } from "../terminal/table.ts";
import { scheduleDetails } from "./schedule-details.ts";
import type { WireSchedule } from "./wire-schedule.ts";

export const schedulesCommand: CliCommand = serverCommand({
  name: "schedules",
  usage: "[ID]",
  positionalsMax: 1,
  summary: "list the schedules of jobs, or show one",
  details: [
    "Shows each schedule with its next time and its last run. With an ID it shows that schedule and the job that it submits.",
    "",
    "  holdfast schedules",
    "  holdfast schedules --type report.build",
    "  holdfast schedules nightly",
  ],
  options: { type: { value: "TYPE", summary: "only schedules of this type of job" }, limit: limitOption },
  operations: ["jobs.list-schedules", "jobs.get-schedule"],
  execute: (context) => (context.positionals[0] === undefined ? listSchedules(context) : showSchedule(context)),
});

async function showSchedule({ run, values, positionals, terminal, show }: CommandContext): Promise<ExitCode> {
  if (values["type"] !== undefined || values["limit"] !== undefined)
    throw new UsageError("--type and --limit are for the list: leave out the ID");
  const schedule = (await run("jobs.get-schedule", { id: positionals[0] ?? "" })) as WireSchedule;
  return show(schedule, () => scheduleDetails(schedule, terminal.paint, systemClock.wallMs()));
}

interface SchedulePage {
  readonly items: readonly WireSchedule[];
  readonly next: string | null;
}

async function listSchedules({ run, values, terminal, show }: CommandContext): Promise<ExitCode> {
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const filter = defined({ type: textOption(values, "type") });
  const page = await readPages(
    limit,
    async (part) => (await run("jobs.list-schedules", { ...filter, ...part })) as SchedulePage,
  );
  const nowMs = systemClock.wallMs();
  const rows = page.items.map((schedule) => [
    escapeControlChars(schedule.id),
    escapeControlChars(schedule.job.type),
    escapeControlChars(schedule.cron),
    schedule.time_zone,
    schedule.next_at === null ? terminal.paint.warning("paused") : relativeTime(schedule.next_at, nowMs),
    lastRun(schedule, nowMs),
  ]);
  return show(page, () =>
    rows.length === 0
      ? "There are no schedules. Create one: holdfast schedules put ID CRON TYPE"
      : table(["SCHEDULE", "TYPE", "CRON", "TIME ZONE", "NEXT", "LAST RUN"], rows, terminal.paint) +
        moreItemsHint(page.next),
  );
}

/** The last run: its time, and its job or why it was left out. */
function lastRun({ last_at: at, last_job: job, last_skipped: skipped }: WireSchedule, nowMs: number): string {
  if (at === undefined) return "-";
  const result = skipped === undefined ? escapeControlChars(job ?? "") : `left out: ${escapeControlChars(skipped)}`;
  return `${relativeTime(at, nowMs)}  ${result}`;
}

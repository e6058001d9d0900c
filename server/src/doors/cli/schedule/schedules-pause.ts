import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { nextRun } from "./next-run.ts";

export const schedulesPauseCommand: CliCommand = serverCommand({
  name: "schedules pause",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "pause a schedule",
  details: [
    "Its times pass without a run, and they are not caught up. Jobs that it submitted continue.",
    "",
    "  holdfast schedules pause nightly",
  ],
  options: {},
  operations: ["jobs.pause-schedule"],
  async execute({ run, positionals, show }) {
    const id = positionals[0] ?? "";
    const answer = (await run("jobs.pause-schedule", { id })) as { readonly next_at: string | null };
    return show(answer, () => `${escapeControlChars(id)}: ${nextRun(answer.next_at, systemClock.wallMs())}`);
  },
});

import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { nextRun } from "./next-run.ts";

export const schedulesResumeCommand: CliCommand = serverCommand({
  name: "schedules resume",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "resume a paused schedule",
  details: [
    "The schedule continues with its next time. Times that passed during the pause are not caught up.",
    "",
    "  holdfast schedules resume nightly",
  ],
  options: {},
  operations: ["jobs.resume-schedule"],
  async execute({ run, positionals, show }) {
    const id = positionals[0] ?? "";
    const answer = (await run("jobs.resume-schedule", { id })) as { readonly next_at: string | null };
    return show(answer, () => `${escapeControlChars(id)}: ${nextRun(answer.next_at, systemClock.wallMs())}`);
  },
});

import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

export const schedulesDeleteCommand: CliCommand = serverCommand({
  name: "schedules delete",
  usage: "ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "delete a schedule",
  details: ["Deletes a schedule. Jobs that it submitted stay.", "", "  holdfast schedules delete nightly"],
  options: {},
  operations: ["jobs.delete-schedule"],
  async execute({ run, positionals, show }) {
    const id = positionals[0] ?? "";
    const answer = await run("jobs.delete-schedule", { id });
    return show(answer, () => `${escapeControlChars(id)} is deleted. Jobs that it submitted stay.`);
  },
});

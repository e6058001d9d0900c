import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { pauseOptions, pauseTargetOf, targetName } from "./jobs-pause.ts";

export const jobsResumeCommand: CliCommand = serverCommand({
  name: "jobs resume",
  positionalsMax: 0,
  summary: "let the jobs of a paused type or project start again",
  details: ["It needs the operator's token.", "", "  holdfast jobs resume --type mail.send"],
  options: pauseOptions,
  operations: ["jobs.resume"],
  isForOperators: () => true,
  async execute(context) {
    const target = pauseTargetOf(context);
    await context.run("jobs.resume", target);
    return context.show({ ...target, paused: false }, () => `Jobs of ${targetName(target)} start again.`);
  },
});

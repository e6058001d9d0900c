import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { choiceOption, textOption } from "../args/option-values.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { jobTemplateOf, templateOptions } from "../job/job-template.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { nextRun } from "./next-run.ts";

export const schedulesPutCommand: CliCommand = serverCommand({
  name: "schedules put",
  usage: "ID CRON TYPE [PAYLOAD]",
  positionalsMin: 3,
  positionalsMax: 4,
  summary: "create a schedule, or replace one",
  details: [
    "Submits a job of TYPE at the times of CRON: minute, hour, day of the month, month, day of the week, or @hourly, @daily,",
    "@weekly, @monthly, @yearly. PAYLOAD is JSON, @FILE, or - for standard input; the default is null.",
    "",
    "  holdfast schedules put nightly '30 2 * * *' report.build --time-zone Europe/Berlin",
    `  holdfast schedules put poll '*/5 * * * *' feed.read '{"url": "https://example.com"}' --overlap queue`,
  ],
  options: {
    "time-zone": { value: "ZONE", summary: "an IANA time zone, such as Europe/Berlin (default: UTC)" },
    overlap: { value: "RULE", summary: "skip: leave out a run while the one before runs (default); queue: submit it" },
    "catch-up": { value: "RULE", summary: "last: submit the last run that was missed (default); none: leave it out" },
    paused: { summary: "create it paused" },
    ...templateOptions,
  },
  operations: ["jobs.put-schedule"],
  async execute(context) {
    const { run, values, positionals, terminal, show } = context;
    const [id = "", cron = "", type = "", text] = positionals;
    const argument = { name: "PAYLOAD", operation: "jobs.put-schedule", pointerOf: () => "/job/payload" };
    const payload = text === undefined ? undefined : await readJsonArgument(text, argument, terminal);
    const answer = await run(
      "jobs.put-schedule",
      defined({
        ...{ id, cron },
        time_zone: textOption(values, "time-zone"),
        overlap: choiceOption(values, "overlap", ["skip", "queue"]),
        catch_up: choiceOption(values, "catch-up", ["last", "none"]),
        paused: values["paused"] === true ? true : undefined,
        job: defined({ type, payload, ...jobTemplateOf(context) }),
      }),
    );
    const { created: isNew, next_at: next } = answer as { readonly created: boolean; readonly next_at: string | null };
    const verb = isNew ? "created" : "replaced";
    return show(answer, () => `${escapeControlChars(id)} is ${verb}. ${nextRun(next, systemClock.wallMs())}`);
  },
});

import { defined } from "@holdfast/sdk/base/defined";
import { secondsOption, textOption } from "../args/option-values.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { followJob } from "./follow-job.ts";
import { jobTemplateOf, commaList, templateOptions } from "./job-template.ts";

export const jobsSubmitCommand: CliCommand = serverCommand({
  name: "jobs submit",
  usage: "TYPE [PAYLOAD]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "submit a job",
  details: [
    "Submits a job. PAYLOAD is JSON, @FILE, or - for standard input; the default is null. With --wait it follows the job to",
    "its end, and exits with 0 if it was completed and with 9 otherwise. Repeat the command with the same --key after a",
    "lost reply: the job is submitted once.",
    "",
    `  holdfast jobs submit mail.send '{"to": "ann"}'`,
    "  holdfast jobs submit tiles.render @tile.json --project p1 --lock project/p1/map/m2 --wait",
    "  holdfast jobs submit report --in 1h --unique daily",
  ],
  options: {
    id: { value: "ID", summary: "the id of the job (default: the server makes one)" },
    in: { value: "TIME", summary: "start it after this time, such as 90s, 5m or 2h" },
    at: { value: "TIME", summary: "start it at this time in UTC, such as 2026-11-18T22:00:00Z" },
    after: { value: "IDS", summary: "jobs that must be completed before, separated by commas" },
    ...templateOptions,
    key: { value: "KEY", summary: "the idempotency key: a repeated key returns the first reply and submits nothing" },
    wait: { summary: "follow the job until it ends" },
  },
  operations: ["jobs.submit", "jobs.get"],
  async execute(context) {
    const { run, values, isJson, terminal, show } = context;
    const input = await inputOf(context);
    const key = textOption(values, "key");
    const answer = (await run("jobs.submit", input, defined({ key }))) as SubmitAnswer;
    const { id, state, duplicate } = answer;
    const name = escapeControlChars(id);
    const text = duplicate ? `${name} exists already: it is ${state}.` : `${name} is ${state}.`;
    if (values["wait"] !== true) return show(answer, () => `${text} Follow it: holdfast job ${name} --watch`);
    if (!isJson) terminal.warn(`holdfast: ${text}`);
    return followJob(context, id);
  },
});

interface SubmitAnswer {
  readonly id: string;
  readonly state: string;
  readonly duplicate: boolean;
}

async function inputOf(context: CommandContext): Promise<object> {
  const { positionals, values, terminal } = context;
  const [type = "", payload] = positionals;
  const argument = { name: "PAYLOAD", operation: "jobs.submit", pointerOf: () => "/payload" };
  return defined({
    type,
    payload: payload === undefined ? undefined : await readJsonArgument(payload, argument, terminal),
    id: textOption(values, "id"),
    delay_seconds: secondsOption(values, "in", 0),
    run_at: textOption(values, "at"),
    after: commaList(textOption(values, "after")),
    ...jobTemplateOf(context),
  });
}

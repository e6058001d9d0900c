import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { archiveFolder } from "../../../assembly/upkeep.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

const dayMs = 86_400_000;

export const archiveCommand: Command = {
  name: "archive",
  positionalsMax: 0,
  summary: "move old entries into compressed files",
  details: [
    "Moves entries that are older than a date into compressed files in the data folder, which then can be kept elsewhere.",
    "As long as they are there, `verify`, `get` and `history` read them like everything else. What is younger than the time",
    "for which answers to idempotency keys are given again is never archived. It needs the folder for itself.",
    "",
    "  holdfast archive --keep-days 90",
    "  holdfast archive --before 2026-01-31",
  ],
  options: {
    data: dataOption,
    before: { value: "DATE", summary: "archive what is older: 2026-01-31, or 2026-01-31T12:00:00Z" },
    "keep-days": { value: "N", summary: "archive what is older than so many days" },
    json: { summary: "print one object of JSON" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => archiveOld(args, terminal)),
};

async function archiveOld(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const isJson = args.values["json"] === true;
  const answer = await archiveFolder(dataFolderOf(args, terminal), beforeMs(args), {
    report: warningPrinter(terminal),
  });
  if (answer.kind === "too_young") {
    const latest = new Date(answer.beforeMs).toISOString();
    const text = `that is too young: answers to idempotency keys are still given from it. Archive before ${latest} at most.`;
    if (isJson) terminal.print(jsonLine({ event: "failed", code: "too_young", message: text, latest, exit: 7 }));
    else terminal.warn(`holdfast: ${text}`);
    return exitCodes.refused;
  }
  const { to, batchCount, segmentCount } = answer.archived;
  const json = { event: "archived", to, batches: batchCount, segments: segmentCount };
  const text =
    batchCount === 0
      ? `nothing new to archive; everything up to position ${to} is archived.`
      : `archived up to position ${to}: ${batchCount} batches in ${segmentCount} files.`;
  terminal.print(isJson ? jsonLine(json) : text);
  return exitCodes.done;
}

function beforeMs({ values }: CommandArguments): number {
  const before = textOption(values, "before");
  const keepDays = numberOption(values, "keep-days", 0);
  if ((before === undefined) === (keepDays === undefined)) throw new UsageError("give --before or --keep-days");
  if (keepDays !== undefined) return systemClock.wallMs() - keepDays * dayMs;
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/u.test(before ?? "");
  const time = new Date(before ?? "").getTime();
  if (isDate && !Number.isNaN(time)) return time;
  throw new UsageError(`--before takes a date like 2026-01-31, not "${before ?? ""}"`);
}

import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { archiveFolder } from "../../../assembly/upkeep.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

const dayMs = 86_400_000;

export const archiveCommand: CliCommand = {
  name: "archive",
  positionalsMax: 0,
  writesData: true,
  summary: "move old entries into compressed files",
  details: [
    "Moves entries that are older than a date into compressed files in the data folder. You can move these files elsewhere.",
    "While they are in the data folder, `verify`, `get` and `history` read them too. Entries that are younger than the",
    "idempotency window are never archived. Stop `holdfast up` first.",
    "",
    "  holdfast archive --keep-days 90",
    "  holdfast archive --before 2026-01-31",
  ],
  options: {
    data: dataOption,
    before: { value: "DATE", summary: "archive entries before this time: 2026-01-31, or 2026-01-31T12:00:00Z" },
    "keep-days": { value: "N", summary: "archive entries that are older than N days" },
    json: { summary: "print one JSON object" },
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
    const text = `entries after ${latest} are in the idempotency window and cannot be archived. Use --before ${latest}.`;
    if (isJson) terminal.print(jsonLine({ event: "failed", code: "too_young", message: text, latest, exit: 7 }));
    else terminal.warn(`holdfast: ${text}`);
    return exitCodes.refused;
  }
  const { to, batchCount, segmentCount } = answer.archived;
  const json = { event: "archived", to, batches: batchCount, segments: segmentCount };
  const text =
    batchCount === 0
      ? `nothing to archive; all entries up to position ${to} are archived.`
      : `archived up to position ${to}: ${batchCount} batches in ${segmentCount} files.`;
  terminal.print(isJson ? jsonLine(json) : text);
  return exitCodes.done;
}

function beforeMs({ values }: CommandArguments): number {
  const before = textOption(values, "before");
  const keepDays = numberOption(values, "keep-days", 0);
  if ((before === undefined) === (keepDays === undefined)) throw new UsageError("use either --before or --keep-days");
  if (keepDays !== undefined) return systemClock.wallMs() - keepDays * dayMs;
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/u.test(before ?? "");
  const time = new Date(before ?? "").getTime();
  if (isDate && !Number.isNaN(time)) return time;
  throw new UsageError(`--before must be a date like 2026-01-31, not "${before ?? ""}"`);
}

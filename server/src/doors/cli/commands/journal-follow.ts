import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { type DataFolder, readDataFolder } from "../../../assembly/data-folder.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { entryJson, entryLine } from "../terminal/entry-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { untilSignal } from "../terminal/until-signal.ts";

/** Interval between two reads of the head. */
const pollIntervalMs = 100;

export const journalFollowCommand: CliCommand = {
  name: "journal follow",
  positionalsMax: 0,
  summary: "show new entries until it is stopped",
  details: [
    "Shows each new entry, or each entry after a position, until it is stopped with Ctrl+C. It reads the data folder, on",
    "which a server may run, and shows only durable entries.",
    "",
    "  holdfast journal follow",
    "  holdfast journal follow --after 0 --json | jq .operation",
  ],
  options: {
    data: dataOption,
    after: { value: "POSITION", summary: "show the entries after this position (default: the head)" },
    subject: { value: "SUBJECT", summary: "only entries with an event about this subject, such as note/first" },
    json: { summary: "print one line of JSON per entry" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => followJournal(args, terminal)),
};

async function followJournal(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { values } = args;
  const after = numberOption(values, "after", 0);
  const subject = textOption(values, "subject");
  const folder = readDataFolder(dataFolderOf(args, terminal));
  try {
    const stopped = untilSignal(systemClock).then(() => true as const);
    let position = after ?? folder.head().position;
    const isJson = values["json"] === true;
    if (!isJson) terminal.warn(`following the journal after position ${position}; stop with Ctrl+C.`);
    for (;;) {
      position = showNew({ folder, after: position, subject, isJson }, terminal);
      if (await Promise.race([stopped, untilNextPoll()])) return exitCodes.done;
    }
  } finally {
    folder.close();
  }
}

interface FollowOptions {
  readonly folder: DataFolder;
  readonly after: number;
  readonly subject: string | undefined;
  readonly isJson: boolean;
}

/** Shows the entries after a position, and returns the position to continue from. */
function showNew({ folder, after, subject, isJson }: FollowOptions, terminal: Terminal): number {
  const head = folder.head().position;
  if (head <= after) return after;
  for (const entry of folder.entries(defined({ after, subject }))) {
    if (entry.position > head) break;
    terminal.print(isJson ? jsonLine(entryJson(entry)) : entryLine(entry));
  }
  return head;
}

/** Another process appends, and the file sends no notification. */
function untilNextPoll(): Promise<false> {
  return new Promise((resolve) => {
    systemClock.after(pollIntervalMs, () => resolve(false), { keepAlive: true });
  });
}

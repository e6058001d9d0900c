import { jsonLine } from "../../../base/json-line.ts";
import { type DataFolder, type Entry, headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { entryJson, entryLine } from "../terminal/entry-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { lastItems } from "../terminal/last-items.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

const limitDefault = 20;

export const journalListCommand: Command = {
  name: "journal list",
  positionalsMax: 0,
  summary: "show entries of the journal, and its head",
  details: [
    "Shows the newest entries, oldest first, and then the head of the journal. With --after it starts there instead. An",
    "entry is one decided command: when, who, what it came to, and its events. It works beside a running `holdfast up`.",
    "",
    "  holdfast journal list",
    "  holdfast journal list --after 100 --limit 50",
    "  holdfast journal list --subject note/first",
  ],
  options: {
    data: dataOption,
    after: { value: "POSITION", summary: "only entries after this one, the first of them" },
    limit: { value: "N", summary: `at most so many; ${limitDefault} if not given` },
    subject: { value: "SUBJECT", summary: "only entries with an event about this, such as note/first" },
    json: { summary: "print one line of JSON for each entry, and one for the head" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, async () => listJournal(args, terminal)),
};

function listJournal(args: CommandArguments, terminal: Terminal): ExitCode {
  const { values } = args;
  const query = {
    after: numberOption(values, "after", 0),
    limit: numberOption(values, "limit", 1) ?? limitDefault,
    subject: textOption(values, "subject"),
  };
  const folder = readDataFolder(dataFolderOf(args, terminal));
  try {
    const isJson = values["json"] === true;
    const head = folder.head();
    for (const entry of selectEntries(folder, head.position, query)) {
      terminal.print(isJson ? jsonLine(entryJson(entry)) : entryLine(entry));
    }
    const text = headText(head);
    terminal.print(isJson ? jsonLine({ event: "head", position: head.position, head: text }) : `head ${text}`);
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

interface EntryQuery {
  readonly after: number | undefined;
  readonly limit: number;
  readonly subject: string | undefined;
}

function* selectEntries(folder: DataFolder, head: number, { after, limit, subject }: EntryQuery): Iterable<Entry> {
  const about = subject === undefined ? {} : { subject };
  if (after === undefined) {
    const start = subject === undefined ? Math.max(0, head - limit) : 0;
    yield* lastItems(folder.entries({ after: start, ...about }), limit);
    return;
  }
  let count = 0;
  for (const entry of folder.entries({ after, ...about })) {
    yield entry;
    count += 1;
    if (count >= limit) return;
  }
}

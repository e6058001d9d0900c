import { defined } from "@holdfast/sdk/base/defined";
import { jsonLine } from "../../../base/json-line.ts";
import { type DataFolder, type Entry, headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { needsName } from "../terminal/agent-label.ts";
import { entryJson, entryLine, labelsFrom } from "../terminal/entry-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { lastItems } from "../terminal/last-items.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

const limitDefault = 20;

export const journalListCommand: CliCommand = {
  name: "journal list",
  positionalsMax: 0,
  summary: "show entries of the journal, and its head",
  details: [
    "Shows the newest entries, oldest first, and then the head of the journal. With --after it shows the entries after a",
    "position. An entry is one decided command with its time, principal, outcome and events. A server may run on the folder.",
    "",
    "  holdfast journal list",
    "  holdfast journal list --after 100 --limit 50",
    "  holdfast journal list --subject note/first",
  ],
  options: {
    data: dataOption,
    after: { value: "POSITION", summary: "the first entries after this position" },
    limit: { value: "N", summary: `maximum number of entries (default: ${limitDefault})` },
    subject: { value: "SUBJECT", summary: "only entries with an event about this subject, such as note/first" },
    json: { summary: "print one line of JSON per entry, and one for the head" },
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
    const entries = [...selectEntries(folder, head.position, query)];
    const labelOf = labelsFrom(registrationsIn(folder, entries));
    for (const entry of entries) terminal.print(isJson ? jsonLine(entryJson(entry)) : entryLine(entry, labelOf));
    const text = headText(head);
    terminal.print(isJson ? jsonLine({ event: "head", position: head.position, head: text }) : `head ${text}`);
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

/** The entries about the agents that these entries name, which may be older. */
function* registrationsIn(folder: DataFolder, entries: readonly Entry[]): Iterable<Entry> {
  const ids = new Set(entries.flatMap(({ agent, events }) => [agent, ...events.map(({ data }) => data["owner_id"])]));
  yield* entries;
  for (const id of ids)
    if (typeof id === "string" && needsName(id)) yield* folder.entries({ after: 0, subject: `agent/${id}` });
}

interface EntryQuery {
  readonly after: number | undefined;
  readonly limit: number;
  readonly subject: string | undefined;
}

function* selectEntries(folder: DataFolder, head: number, { after, limit, subject }: EntryQuery): Iterable<Entry> {
  if (after === undefined) {
    const start = subject === undefined ? Math.max(0, head - limit) : 0;
    yield* lastItems(folder.entries(defined({ after: start, subject })), limit);
    return;
  }
  let count = 0;
  for (const entry of folder.entries(defined({ after, subject }))) {
    yield entry;
    count += 1;
    if (count >= limit) return;
  }
}

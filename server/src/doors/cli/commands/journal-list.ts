import { jsonLine } from "../../../base/json-line.ts";
import { type DataFolder, type Entry, headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { Command, Given, Terminal } from "../command.ts";
import { entryFacts, entryWords } from "../terminal/entry-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, folderOf } from "../discovery/folder-option.ts";
import { newest } from "../terminal/newest.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { orSayWhyNot } from "../terminal/report-failure.ts";

const limitDefault = 20;

export const journalListCommand: Command = {
  name: "journal list",
  wordsMax: 0,
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
  run: (given, terminal) => orSayWhyNot(given, terminal, async () => listJournal(given, terminal)),
};

function listJournal(given: Given, terminal: Terminal): ExitCode {
  const { values } = given;
  const query = {
    after: numberOption(values, "after", 0),
    limit: numberOption(values, "limit", 1) ?? limitDefault,
    subject: textOption(values, "subject"),
  };
  const folder = readDataFolder(folderOf(given, terminal));
  try {
    const isJson = values["json"] === true;
    const head = folder.head();
    for (const entry of chosen(folder, head.position, query)) {
      terminal.say(isJson ? jsonLine(entryFacts(entry)) : entryWords(entry));
    }
    const text = headText(head);
    terminal.say(isJson ? jsonLine({ event: "head", position: head.position, head: text }) : `head ${text}`);
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

interface Query {
  readonly after: number | undefined;
  readonly limit: number;
  readonly subject: string | undefined;
}

function* chosen(folder: DataFolder, head: number, { after, limit, subject }: Query): Iterable<Entry> {
  const about = subject === undefined ? {} : { subject };
  if (after === undefined) {
    const start = subject === undefined ? Math.max(0, head - limit) : 0;
    yield* newest(folder.entries({ after: start, ...about }), limit);
    return;
  }
  let count = 0;
  for (const entry of folder.entries({ after, ...about })) {
    yield entry;
    count += 1;
    if (count >= limit) return;
  }
}

import { HoldfastError } from "@holdfast/sdk";
import { jsonLine } from "../../base/json-line.ts";
import { type Entry, happenings, readDataFolder } from "../../data-folder.ts";
import type { Command, Given, Terminal } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { dataOption, folderOf } from "./folder-option.ts";
import { momentOf } from "./get.ts";
import { newest } from "./newest.ts";
import { entityWord, numberOption } from "./option-values.ts";
import { orSayWhyNot } from "./report-failure.ts";

const limitDefault = 20;

export const historyCommand: Command = {
  name: "history",
  words: "TYPE/ID",
  wordsMin: 1,
  wordsMax: 1,
  summary: "show what happened to an entity, conflicts included",
  details: [
    "Shows what happened to an entity, newest first: position, time, who, what, and the version after it. `holdfast get`",
    "shows the entity as it was at any of them. It works beside a running `holdfast up`.",
    "",
    "  holdfast history note/first",
    "  holdfast history note/first --at 1042 --limit 5 --json",
  ],
  options: {
    data: dataOption,
    version: { value: "V", summary: "only what happened up to this version" },
    at: { value: "POSITION", summary: "only what happened up to this position" },
    limit: { value: "N", summary: `at most so many entries; ${limitDefault} if not given` },
    json: { summary: "print one line of JSON for each" },
  },
  run: (given, terminal) => orSayWhyNot(given, terminal, async () => showHistory(given, terminal)),
};

function showHistory(given: Given, terminal: Terminal): ExitCode {
  const { values } = given;
  const [subject = ""] = given.words;
  const target = entityWord(subject);
  const { version = Infinity, position = Infinity } = momentOf(given);
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const folder = readDataFolder(folderOf(given, terminal));
  try {
    const items = newest(itemsUpTo(folder.entries({ after: 0, subject }), subject, { version, position }), limit);
    if (items.length === 0) {
      throw new HoldfastError("history", "entity_not_found", { data: target, position: 0, replayed: false });
    }
    for (const item of items.toReversed()) terminal.say(values["json"] === true ? jsonLine(item) : itemWords(item));
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

function* itemsUpTo(
  entries: Iterable<Entry>,
  subject: string,
  last: { readonly version: number; readonly position: number },
): Iterable<Item> {
  for (const entry of entries) {
    if (entry.position > last.position) return;
    for (const item of itemsOf(entry, subject)) {
      if (item.version !== null && item.version > last.version) return;
      yield item;
    }
  }
}

type Item = ReturnType<typeof itemsOf>[number];

function itemsOf(entry: Entry, subject: string) {
  const { position, time, principal, agent, operation, erased } = entry;
  return happenings(entry, subject).map(({ name, data }) => ({
    position,
    time,
    by: agent === undefined ? { principal } : { principal, agent },
    operation,
    event: name,
    // An erased entry does not say which version it made.
    version: numberOf(data["version"]) ?? numberOf(data["current_version"]) ?? null,
    data,
    erased_by: erased,
  }));
}

function itemWords({ position, time, by, event, version, erased_by: erasedBy }: Item): string {
  const who = by.agent === undefined ? by.principal : `${by.principal} (${by.agent})`;
  const what = erasedBy === undefined ? `version ${version ?? "?"}` : `erased by entry ${erasedBy}`;
  return `${String(position).padStart(8)}  ${new Date(time).toISOString()}  ${who}  ${event}  ${what}`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

import { HoldfastError } from "@holdfast/sdk";
import { jsonLine } from "../../base/json-line.ts";
import { readDataFolder } from "../../data-folder.ts";
import { type Command, type Given, type Terminal, UsageError } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { dataOption, folderOf } from "./folder-option.ts";
import { entityWord, numberOption } from "./option-values.ts";
import { orSayWhyNot } from "./report-failure.ts";

export const momentOptions = {
  version: { value: "V", summary: "as it was at this version" },
  at: { value: "POSITION", summary: "as it was after the entry at this position" },
} as const;

export const getCommand: Command = {
  name: "get",
  words: "TYPE/ID",
  wordsMin: 1,
  wordsMax: 1,
  summary: "show an entity, as it is or as it was",
  details: [
    "Shows an entity as JSON: its value, version and revision, who changed it last and when. With --version or --at it",
    "shows the entity as it was then, from the journal and its archive. It works beside a running `holdfast up`.",
    "",
    "  holdfast get note/first",
    "  holdfast get note/first --version 3",
    "  holdfast get note/first --at 1042",
  ],
  options: { data: dataOption, ...momentOptions, json: { summary: "print one object of JSON, on one line" } },
  run: (given, terminal) => orSayWhyNot(given, terminal, async () => getEntity(given, terminal)),
};

function getEntity(given: Given, terminal: Terminal): ExitCode {
  const { values } = given;
  const target = entityWord(given.words[0] ?? "");
  const moment = momentOf(given);
  const folder = readDataFolder(folderOf(given, terminal));
  try {
    const outcome = folder.entity(target, moment);
    const { kind, data } = outcome;
    if (kind === "refusal") throw new HoldfastError("get", outcome.code, { data, position: 0, replayed: false });
    terminal.say(values["json"] === true ? jsonLine(data) : JSON.stringify(data, undefined, 2));
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

/** Which state of an entity is meant. */
export function momentOf({ values }: Given): { readonly version?: number; readonly position?: number } {
  const version = numberOption(values, "version", 1);
  const position = numberOption(values, "at", 1);
  if (version !== undefined && position !== undefined) throw new UsageError("give --version or --at, not both");
  return { ...(version === undefined ? {} : { version }), ...(position === undefined ? {} : { position }) };
}

import { HoldfastError } from "@holdfast/sdk";
import type { Client } from "@holdfast/sdk";
import { jsonLine } from "../../../base/json-line.ts";
import type { Entry, Happening } from "../../../assembly/data-folder.ts";
import { type Command, type Given, type Terminal, UsageError } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { momentOf } from "./get.ts";
import { harmless } from "../terminal/harmless.ts";
import { newest } from "../terminal/newest.ts";
import { entityWord, numberOption } from "../args/option-values.ts";
import { orSayWhyNot } from "../terminal/report-failure.ts";
import { fromServerOrFolder, placeOptions } from "../discovery/server-or-folder.ts";

const limitDefault = 20;

export const historyCommand: Command = {
  name: "history",
  words: "TYPE/ID",
  wordsMin: 1,
  wordsMax: 1,
  summary: "show what happened to an entity, conflicts included",
  details: [
    "Shows what happened to an entity, newest first: position, time, who, what, and the version after it. `holdfast get`",
    "shows the entity as it was at any of them. With --lock it shows what happened to a path that is locked. It asks the",
    "server that --url, HOLDFAST_URL or the nearest .holdfast names. If none runs, or with --data, it reads the data folder.",
    "",
    "  holdfast history note/first",
    "  holdfast history note/first --at 1042 --limit 5 --json",
    "  holdfast history repo/x/src --lock",
  ],
  options: {
    ...placeOptions,
    lock: { summary: "what happened to a path that is locked; this only a server can tell" },
    version: { value: "V", summary: "only what happened up to this version" },
    at: { value: "POSITION", summary: "only what happened up to this position" },
    limit: { value: "N", summary: `at most so many entries; ${limitDefault} if not given` },
    json: { summary: "print one line of JSON for each" },
  },
  operations: ["list-history", "list-lock-history"],
  run: (given, terminal) => orSayWhyNot(given, terminal, () => showHistory(given, terminal)),
};

async function showHistory(given: Given, terminal: Terminal): Promise<ExitCode> {
  const { values } = given;
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const items =
    values["lock"] === true ? await lockItems(given, terminal, limit) : await entityItems(given, terminal, limit);
  for (const item of items) terminal.say(values["json"] === true ? jsonLine(item) : itemWords(item));
  return exitCodes.done;
}

async function lockItems(given: Given, terminal: Terminal, limit: number): Promise<readonly Item[]> {
  const [path = ""] = given.words;
  return fromServerOrFolder(given, terminal, {
    server: async (client) =>
      (await client.locks.history(path, { limit: Math.min(limit, 1_000) })).items as readonly Item[],
    folder: () => {
      throw new UsageError(
        "the history of a lock is told by a server, and none runs here; or use `holdfast journal list`",
      );
    },
  });
}

async function entityItems(given: Given, terminal: Terminal, limit: number): Promise<readonly Item[]> {
  const [subject = ""] = given.words;
  const target = entityWord(subject);
  const { version = Infinity, position = Infinity } = momentOf(given);
  const items = await fromServerOrFolder<readonly Item[]>(given, terminal, {
    server: (client) => fromServer(client, target, { version, position, limit }),
    async folder(path) {
      const { happenings, readDataFolder } = await import("../../../assembly/data-folder.ts");
      const folder = readDataFolder(path);
      try {
        const itemsOf = (entry: Entry): readonly Item[] =>
          happenings(entry, subject).map((each) => itemOf(entry, each));
        const found = itemsUpTo(folder.entries({ after: 0, subject }), itemsOf, { version, position });
        return newest(found, limit).toReversed();
      } finally {
        folder.close();
      }
    },
  });
  if (items.length > 0) return items;
  throw new HoldfastError("history", "entity_not_found", { data: target, position: 0, replayed: false });
}

interface Until {
  readonly version: number;
  readonly position: number;
  readonly limit: number;
}

/** Pages from the newest back, until there is enough of what was asked for. */
async function fromServer(client: Client, { type, id }: Target, until: Until): Promise<readonly Item[]> {
  const items: Item[] = [];
  let before: number | null = until.position === Infinity ? null : until.position + 1;
  do {
    const page = await client.entities.history(type, id, { ...(before === null ? {} : { before }), limit: 100 });
    items.push(...(page.items as readonly Item[]).filter(({ version }) => (version ?? 0) <= until.version));
    before = page.next;
  } while (before !== null && items.length < until.limit);
  return items.slice(0, until.limit);
}

interface Target {
  readonly type: string;
  readonly id: string;
}

function* itemsUpTo(
  entries: Iterable<Entry>,
  itemsOf: (entry: Entry) => readonly Item[],
  last: { readonly version: number; readonly position: number },
): Iterable<Item> {
  for (const entry of entries) {
    if (entry.position > last.position) return;
    for (const item of itemsOf(entry)) {
      if ((item.version ?? 0) > last.version) return;
      yield item;
    }
  }
}

/** What happened, the same from a server and from a folder. */
interface Item {
  readonly position: number;
  readonly time: number;
  readonly by: { readonly principal: string; readonly agent?: string };
  readonly operation: string;
  readonly event: string;
  readonly version?: number | null;
  readonly data: unknown;
  readonly erased_by?: number | undefined;
}

function itemOf(entry: Entry, { name, data }: Happening): Item {
  const { position, time, principal, agent, operation, erased } = entry;
  return {
    position,
    time,
    by: agent === undefined ? { principal } : { principal, agent },
    operation,
    event: name,
    // An erased entry does not say which version it made.
    version: numberOf(data["version"]) ?? numberOf(data["current_version"]) ?? null,
    data,
    erased_by: erased,
  };
}

function itemWords({ position, time, by, event, version, erased_by: erasedBy }: Item): string {
  const who = harmless(by.agent === undefined ? by.principal : `${by.principal} (${by.agent})`);
  const made = version === undefined ? "" : `version ${version ?? "?"}`;
  const what = erasedBy === undefined ? made : `erased by entry ${erasedBy}`;
  return `${String(position).padStart(8)}  ${new Date(time).toISOString()}  ${who}  ${event}  ${what}`.trimEnd();
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

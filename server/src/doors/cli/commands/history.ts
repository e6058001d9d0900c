import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { jsonLine } from "../../../base/json-line.ts";
import type { Entry, NamedEvent } from "../../../assembly/data-folder.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { versionOf } from "./get.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { lastItems } from "../terminal/last-items.ts";
import { entityArgument, numberOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import type { ServerCaller } from "../discovery/server-caller.ts";
import { readServerOrFolder, sourceOptions } from "../discovery/read-server-or-folder.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { labelsFrom } from "../terminal/entry-line.ts";

const limitDefault = 20;

export const historyCommand: CliCommand = {
  name: "history",
  usage: "TYPE/ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show the events of an entity, including conflicts",
  details: [
    "Shows the events of an entity, newest first: position, time, author, event, and the resulting version. `holdfast get`",
    "shows the entity at any of these versions. --lock shows the events of a locked path. It calls the server of --url,",
    "HOLDFAST_URL or the nearest .holdfast. If no server runs, or with --data, it reads the data folder.",
    "",
    "  holdfast history note/first",
    "  holdfast history note/first --at 1042 --limit 5 --json",
    "  holdfast history repo/x/src --lock",
  ],
  options: {
    ...sourceOptions,
    lock: { summary: "the events of a locked path; needs a server" },
    version: { value: "V", summary: "only events up to this version" },
    at: { value: "POSITION", summary: "only events up to this position" },
    limit: { value: "N", summary: `maximum number of events (default: ${limitDefault})` },
    json: { summary: "print one line of JSON per event" },
  },
  operations: ["list-history", "list-lock-history"],
  run: (args, terminal) => withFailureReport(args, terminal, () => showHistory(args, terminal)),
};

async function showHistory(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { values } = args;
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const { items, labelOf } =
    values["lock"] === true ? await lockItems(args, terminal, limit) : await entityItems(args, terminal, limit);
  for (const item of items) terminal.print(values["json"] === true ? jsonLine(item) : historyText(item, labelOf));
  return exitCodes.done;
}

type LabelOf = (agent: string) => string;

/** The events, and the names of their authors. */
interface LabelledHistory {
  readonly items: readonly HistoryLine[];
  readonly labelOf: LabelOf;
}

async function withNames(caller: ServerCaller, items: readonly HistoryLine[]): Promise<LabelledHistory> {
  const names = new AgentNames(caller);
  await names.load(items.map(({ by }) => by.agent ?? ""));
  return { items, labelOf: (id) => names.label(id) };
}

async function lockItems(args: CommandArguments, terminal: Terminal, limit: number): Promise<LabelledHistory> {
  const [path = ""] = args.positionals;
  return readServerOrFolder(args, terminal, {
    server: async (caller) =>
      withNames(caller, (await caller.call("list-lock-history", { path, limit: Math.min(limit, 1_000) })).items),
    folder: () => {
      throw new UsageError(
        "--lock needs a server, and no server runs here; start one with `holdfast up`, or use `holdfast journal list`",
      );
    },
  });
}

async function entityItems(args: CommandArguments, terminal: Terminal, limit: number): Promise<LabelledHistory> {
  const [subject = ""] = args.positionals;
  const target = entityArgument(subject);
  const { version = Infinity, position = Infinity } = versionOf(args);
  const history = await readServerOrFolder<LabelledHistory>(args, terminal, {
    server: async (caller) => withNames(caller, await fromServer(caller.call, target, { version, position, limit })),
    async folder(path) {
      const { entityEventsOf: happenings, readDataFolder } = await import("../../../assembly/data-folder.ts");
      const folder = readDataFolder(path);
      try {
        const itemsOf = (entry: Entry): readonly HistoryLine[] =>
          happenings(entry, subject).map((happening) => itemOf(entry, happening));
        const found = itemsUpTo(folder.entries({ after: 0, subject }), itemsOf, { version, position });
        const items = lastItems(found, limit).toReversed();
        const agents = new Set(items.flatMap(({ by }) => by.agent ?? []));
        const registrations = [...agents].flatMap((id) => [...folder.entries({ after: 0, subject: `agent/${id}` })]);
        return { items, labelOf: labelsFrom(registrations) };
      } finally {
        folder.close();
      }
    },
  });
  if (history.items.length > 0) return history;
  throw new HoldfastError("history", "entity_not_found", { data: target });
}

interface HistoryBounds {
  readonly version: number;
  readonly position: number;
  readonly limit: number;
}

/** Reads pages from the newest event backwards, up to the limit. */
async function fromServer(
  call: ServerCaller["call"],
  { type, id }: EntityName,
  bounds: HistoryBounds,
): Promise<readonly HistoryLine[]> {
  const items: HistoryLine[] = [];
  let before: number | null = bounds.position === Infinity ? null : bounds.position + 1;
  do {
    const page = await call("list-history", { type, id, ...defined({ before: before ?? undefined }), limit: 100 });
    items.push(...page.items.filter(({ version }) => version <= bounds.version));
    before = page.next;
  } while (before !== null && items.length < bounds.limit);
  return items.slice(0, bounds.limit);
}

interface EntityName {
  readonly type: string;
  readonly id: string;
}

function* itemsUpTo(
  entries: Iterable<Entry>,
  itemsOf: (entry: Entry) => readonly HistoryLine[],
  last: { readonly version: number; readonly position: number },
): Iterable<HistoryLine> {
  for (const entry of entries) {
    if (entry.position > last.position) return;
    for (const item of itemsOf(entry)) {
      if ((item.version ?? 0) > last.version) return;
      yield item;
    }
  }
}

/** An event of an entity, in the same shape from a server and from a folder. */
interface HistoryLine {
  readonly position: number;
  readonly time: string;
  readonly by: { readonly principal: string; readonly agent?: string };
  readonly operation: string;
  readonly event: string;
  readonly version?: number | null;
  readonly data: unknown;
  readonly erased_by?: number | undefined;
}

function itemOf(entry: Entry, { name, data }: NamedEvent): HistoryLine {
  const { position, time, principal, agent, operation, erased } = entry;
  return {
    position,
    time: new Date(time).toISOString(),
    by: agent === undefined ? { principal } : { principal, agent },
    operation,
    event: name,
    // An erased entry does not contain the version.
    version: numberOf(data["version"]) ?? numberOf(data["current_version"]) ?? null,
    data,
    erased_by: erased,
  };
}

function historyText(
  { position, time, by, event, version, erased_by: erasedBy }: HistoryLine,
  labelOf: LabelOf,
): string {
  const author = by.agent === undefined ? escapeControlChars(by.principal) : labelOf(by.agent);
  const versionText = version === undefined ? "" : `version ${version ?? "?"}`;
  const result = erasedBy === undefined ? versionText : `erased by entry ${erasedBy}`;
  return `${String(position).padStart(8)}  ${time}  ${author}  ${event}  ${result}`.trimEnd();
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

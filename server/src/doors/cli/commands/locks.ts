import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { eventSentence } from "../terminal/event-sentence.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { lockDetails, lockTable } from "../terminal/lock-table.ts";
import type { WireLockPage, WireLockStatus } from "../terminal/lock-table.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { showOnChange } from "../discovery/show-on-change.ts";

export const locksCommand: CliCommand = serverCommand({
  name: "locks",
  usage: "[PATH]",
  positionalsMax: 1,
  summary: "show the held locks, their holders and their queues",
  details: [
    "Shows each locked path with its holders, purpose, start of the hold, end of the lease, and length of the queue. With",
    "PATH it shows one path: its holders, the holders above and below it, the queue, and the fences for",
    "`holdfast force-release`.",
    "",
    "  holdfast locks",
    "  holdfast locks repo/x/src",
    "  holdfast locks repo/x/src --history",
    "  holdfast locks --under repo/x --watch",
  ],
  options: {
    under: { value: "PATH", summary: "only this path and the paths below it" },
    watch: { summary: "show the locks again after each change, until it is stopped with Ctrl+C" },
    history: { summary: "show what happened to PATH, newest first" },
    limit: limitOption,
  },
  operations: ["list-locks", "get-lock", "list-lock-history"],
  execute: showLocks,
});

async function showLocks(context: CommandContext): Promise<ExitCode> {
  const { values, positionals } = context;
  const under = textOption(values, "under");
  if (values["history"] === true) return showHistory(context);
  if (positionals.length > 0 && under !== undefined) throw new UsageError("use PATH or --under, not both");
  return values["watch"] === true ? watchLocks(context) : showOnce(context);
}

interface LockHistoryItem {
  readonly position: number;
  readonly time: string;
  readonly by: { readonly principal: string; readonly agent?: string };
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function showHistory(context: CommandContext): Promise<ExitCode> {
  const [path] = context.positionals;
  if (path === undefined) throw new UsageError("--history needs PATH");
  const limit = Math.min(numberOption(context.values, "limit", 1) ?? historyDefault, 1_000);
  const page = await context.call("list-lock-history", { path, limit });
  const items = page.items as readonly LockHistoryItem[];
  const names = new AgentNames(context);
  await names.load(
    items.flatMap(({ by, data }) => [by.agent ?? "", typeof data["owner_id"] === "string" ? data["owner_id"] : ""]),
  );
  const nowMs = systemClock.wallMs();
  const lines = items.map(({ position, time, by, event: name, data }) => {
    const who = by.agent === undefined ? escapeControlChars(by.principal) : names.label(by.agent);
    const sentence = eventSentence({ name, subject: `lock/${path}`, who, data, labelOf: (id) => names.label(id) });
    return `${String(position).padStart(8)}  ${relativeTime(time, nowMs)}: ${sentence}${isOfOwner(by, data) ? "" : ` (by ${who})`}`;
  });
  return context.show(page, () =>
    lines.length === 0 ? `Nothing is recorded about ${escapeControlChars(path)}.` : lines.join("\n"),
  );
}

/** Whether the owner of the lock did it itself. A hand-over is done by the owner before. */
function isOfOwner({ agent }: LockHistoryItem["by"], { owner_id: owner }: LockHistoryItem["data"]): boolean {
  return agent !== undefined && agent === owner;
}

/** Default number of events of a history. */
const historyDefault = 20;

async function showOnce(context: CommandContext): Promise<ExitCode> {
  const { call, terminal, positionals, values, show } = context;
  const { paint } = terminal;
  const [path] = positionals;
  const nowMs = systemClock.wallMs();
  if (path !== undefined) {
    const status = (await call("get-lock", { path })) as WireLockStatus;
    return show(status, () => lockDetails(status, { paint, nowMs }));
  }
  const under = textOption(values, "under");
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const page = await readPages(
    limit,
    async (part) => (await call("list-locks", { ...defined({ under }), ...part })) as WireLockPage,
  );
  return show(page, () => lockTable(page.items, { paint, nowMs }) + moreItemsHint(page.next));
}

/** Shows the locks again after each event about a lock or a ticket. */
function watchLocks(context: CommandContext): Promise<ExitCode> {
  return showOnChange(context, {
    isAbout: (subject) => /^(lock|ticket)\//u.test(subject),
    show: async () => {
      await showOnce(context);
      return true;
    },
  });
}

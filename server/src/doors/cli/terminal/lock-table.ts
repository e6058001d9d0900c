/** Locks, holders and queues as text for a terminal. Text from other callers is escaped here. */
import type { WireOutput } from "@holdfast/sdk";
import { agentLabel } from "./agent-label.ts";
import { escapeControlChars } from "./escape-control-chars.ts";
import type { Paint } from "./paint.ts";
import { duration, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

type WireLockRow = Extract<WireOutput<"list-locks">["items"][number], { holders: unknown }>;
type HolderRow = WireLockRow["holders"][number];
type WaiterRow = WireLockRow["queue"][number];

/** A page of locks, and the status of a path, as the wire has them. */
export type WireLockPage = Omit<WireOutput<"list-locks">, "items"> & { readonly items: readonly WireLockRow[] };
export type WireLockStatus = Extract<WireOutput<"get-lock">, { queue: unknown }>;

/** The parts of a holder that a denial and a queue position contain. The others are known only to reads. */
export type HolderSummary = Pick<HolderRow, "owner_id" | "name" | "purpose" | "note" | "path" | "since" | "until"> &
  Partial<Pick<HolderRow, "seen_at" | "host" | "process_id" | "state">>;

const holderName = ({ name, owner_id }: { readonly name: string | null; readonly owner_id: string }): string =>
  agentLabel(owner_id, name);

/** Interval without a heartbeat after which a holder is called silent, unless half of its lease is shorter. */
const silentMs = 60_000;

/** `silent for 2 min`; empty if the holder was active recently or its activity is unknown. */
function silence({ seen_at: seenAt, until }: HolderSummary, nowMs: number): string {
  if (seenAt === undefined) return "";
  const seenMs = Date.parse(seenAt);
  const limitMs = Math.min(silentMs, (Date.parse(until) - seenMs) / 2);
  return nowMs - seenMs > limitMs ? `silent for ${duration(nowMs - seenMs)}` : "";
}

/** `process 4711 on host-7`; empty if the agent does not say where it runs. */
export function placeText({ host, process_id: id }: Pick<HolderSummary, "host" | "process_id">): string {
  if (host === undefined) return id === undefined ? "" : `process ${id}`;
  return id === undefined ? `on ${escapeControlChars(host)}` : `process ${id} on ${escapeControlChars(host)}`;
}

/** A stale lock has no lease, and still excludes other owners. */
function leaseText({ state, until }: HolderSummary, nowMs: number): string {
  return state === "stale" ? `lease ended ${relativeTime(until, nowMs)}` : `lease ends ${relativeTime(until, nowMs)}`;
}

const textOr = (text: string | null, other: string): string => (text === null ? other : escapeControlChars(text));

/** `ann (28a0) holds repo/x: "renaming" (for 12 s, lease ends in 18 s, process 4711 on host-7)` */
export function holderLine(holder: HolderSummary, nowMs: number): string {
  const { purpose, note, path, since } = holder;
  const purposeText = purpose === null ? "" : `: "${escapeControlChars(purpose)}"`;
  const facts = [
    `for ${duration(nowMs - Date.parse(since))}`,
    leaseText(holder, nowMs),
    silence(holder, nowMs),
    placeText(holder),
    note === null ? "" : `last note "${escapeControlChars(note)}"`,
  ];
  const details = facts.filter((fact) => fact !== "").join(", ");
  return `${holderName(holder)} holds ${escapeControlChars(path)}${purposeText} (${details})`;
}

export function lockTable(
  rows: readonly WireLockRow[],
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): string {
  if (rows.length === 0) return "No locks are held.";
  const cells = rows.flatMap(({ path, holders, queue }) =>
    holders.map((holder, index) => [
      index === 0 ? paint.strong(escapeControlChars(path)) : "",
      holder.mode + (holder.scope === "self" ? " (self)" : ""),
      holderName(holder),
      textOr(holder.purpose, "-"),
      relativeTime(holder.since, nowMs),
      holder.state === "stale" ? paint.warning("stale") : relativeTime(holder.until, nowMs),
      index === 0 ? String(queue.length) : "",
      [silence(holder, nowMs), placeText(holder)].filter((text) => text !== "").join(", "),
    ]),
  );
  const headings = ["PATH", "MODE", "HOLDER", "PURPOSE", "SINCE", "LEASE ENDS", "QUEUE", "LAST SEEN"];
  const isStale = rows.some(({ holders }) => holders.some(({ state }) => state === "stale"));
  return table(headings, cells, paint) + (isStale ? `\n${staleHint}` : "");
}

const staleHint =
  "stale: the lease has passed, and the lock still excludes other owners until it is recovered: by its grace period after " +
  "a start of the server, by its recovery conditions, or by `holdfast force-release`.";

/** One path with its holders, the holders above and below it, and its queue. */
export function lockDetails(
  status: WireLockStatus,
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): string {
  const part = (title: string, holders: readonly HolderRow[]): readonly string[] =>
    holders.length === 0
      ? []
      : ["", paint.strong(title), ...holders.map((holder) => `  ${holderDetails(holder, nowMs)}`)];
  const queue = status.queue.map((waiter, index) => `  ${index + 1}. ${waiterLine(waiter, nowMs)}`);
  const isFree = status.holders.length + status.above.length + status.below.length === 0;
  return [
    `${paint.strong(escapeControlChars(status.path))} is ${isFree ? paint.good("free") : paint.warning("locked")}.`,
    ...part("Held:", status.holders),
    ...part("Held above it:", status.above),
    ...part("Held below it:", status.below),
    ...(queue.length === 0 ? [] : ["", paint.strong("Waiting:"), ...queue]),
    ...([...status.holders, ...status.above, ...status.below].some(({ state }) => state === "stale")
      ? ["", staleHint]
      : []),
  ].join("\n");
}

function holderDetails(holder: HolderRow, nowMs: number): string {
  const request =
    holder.asked_to_release === null ? "" : `; release requested: "${escapeControlChars(holder.asked_to_release)}"`;
  return `${holderLine(holder, nowMs)} ${holder.mode}, fence ${holder.fence}${holder.state === "stale" ? ", stale" : ""}${request}`;
}

function waiterLine(waiter: WaiterRow, nowMs: number): string {
  const purposeText = waiter.purpose === null ? "" : `: "${escapeControlChars(waiter.purpose)}"`;
  return `${holderName(waiter)} waits for ${escapeControlChars(waiter.path)} (${waiter.mode})${purposeText} (since ${relativeTime(waiter.since, nowMs)})`;
}

interface PreviousHold {
  readonly path: string;
  readonly how: string;
  readonly by: string;
  readonly at: string;
  readonly purpose: string | null;
  readonly note: string | null;
}

/** The end of the previous hold of a path, for the next holder. */
export function previousHoldLine({ path, how, by, at, purpose, note }: PreviousHold, nowMs: number): string {
  const [start, end] = endTexts[how] ?? ["the hold of", `ended (${how})`];
  const purposeText = purpose === null ? "" : `; its purpose was "${escapeControlChars(purpose)}"`;
  const last = note === null ? "" : `, its last note "${escapeControlChars(note)}"`;
  const ended = `${start} ${escapeControlChars(by)} ${end} ${relativeTime(at, nowMs)}`;
  return `${escapeControlChars(path)}: ${ended}${purposeText}${last}`;
}

/** The text before and after the owner: "the lease of ann expired 3 s ago". */
const endTexts: Readonly<Record<string, readonly [start: string, end: string]>> = {
  expired: ["the lease of", "expired"],
  forced: ["the lock of", "was released by an operator"],
  recovered: ["the lock of", "was recovered"],
};

/** Locks, holders and queues as text for a terminal. Text from other callers is escaped here. */
import type { LockRow, LockStatus } from "@holdfast/sdk";
import { escapeControlChars } from "./escape-control-chars.ts";
import type { Paint } from "./paint.ts";
import { duration, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

type HolderRow = LockRow["holders"][number];
type WaiterRow = LockRow["queue"][number];

/** The parts of a holder that a denial and a queue position contain. */
export type HolderSummary = Pick<HolderRow, "owner_id" | "name" | "purpose" | "note" | "path" | "since" | "until">;

const holderName = ({ name, owner_id }: { readonly name: string | null; readonly owner_id: string }): string =>
  escapeControlChars(name ?? owner_id);

const textOr = (text: string | null, other: string): string => (text === null ? other : escapeControlChars(text));

/** `ann holds repo/x: "renaming" (for 12 s, lease ends in 18 s)` */
export function holderLine(holder: HolderSummary, nowMs: number): string {
  const { purpose, note, path, since, until } = holder;
  const purposeText = purpose === null ? "" : `: "${escapeControlChars(purpose)}"`;
  const last = note === null ? "" : `, last note "${escapeControlChars(note)}"`;
  const held = duration(nowMs - Date.parse(since));
  return `${holderName(holder)} holds ${escapeControlChars(path)}${purposeText} (for ${held}, lease ends ${relativeTime(until, nowMs)}${last})`;
}

export function lockTable(
  rows: readonly LockRow[],
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
    ]),
  );
  return table(["PATH", "MODE", "HOLDER", "PURPOSE", "SINCE", "LEASE ENDS", "QUEUE"], cells, paint);
}

/** One path with its holders, the holders above and below it, and its queue. */
export function lockDetails(
  status: LockStatus,
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

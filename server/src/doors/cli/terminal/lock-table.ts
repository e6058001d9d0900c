/** Locks, holders and queues in words. What others wrote in them is made harmless here. */
import type { LockRow, LockStatus } from "@holdfast/sdk";
import { escapeControlChars } from "./escape-control-chars.ts";
import type { Paint } from "./paint.ts";
import { duration, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

export type Holder = LockRow["holders"][number];
type Waiter = LockRow["queue"][number];

/** A holder as far as a denial and a place in the line tell of it. */
export type HolderSummary = Pick<Holder, "owner_id" | "name" | "purpose" | "note" | "path" | "since" | "until">;

export const holderName = ({ name, owner_id }: { readonly name: string | null; readonly owner_id: string }): string =>
  escapeControlChars(name ?? owner_id);

const textOr = (text: string | null, other: string): string => (text === null ? other : escapeControlChars(text));

/** `ann has repo/x: "renaming" (held for 12 s, lease until in 18 s)` */
export function holderLine(holder: HolderSummary, nowMs: number): string {
  const { purpose, note, path, since, until } = holder;
  const why = purpose === null ? "" : `: "${escapeControlChars(purpose)}"`;
  const last = note === null ? "" : `, last note "${escapeControlChars(note)}"`;
  const held = duration(nowMs - Date.parse(since));
  return `${holderName(holder)} has ${escapeControlChars(path)}${why} (for ${held}, lease ends ${relativeTime(until, nowMs)}${last})`;
}

export function lockTable(
  rows: readonly LockRow[],
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): string {
  if (rows.length === 0) return "Nothing is locked.";
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

/** One path, with everything that is known of it now. */
export function lockDetails(
  status: LockStatus,
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): string {
  const part = (title: string, holders: readonly Holder[]): readonly string[] =>
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

function holderDetails(holder: Holder, nowMs: number): string {
  const asked =
    holder.asked_to_release === null ? "" : `; asked to release: "${escapeControlChars(holder.asked_to_release)}"`;
  return `${holderLine(holder, nowMs)} ${holder.mode}, fence ${holder.fence}${holder.state === "stale" ? ", stale" : ""}${asked}`;
}

function waiterLine(waiter: Waiter, nowMs: number): string {
  const why = waiter.purpose === null ? "" : `: "${escapeControlChars(waiter.purpose)}"`;
  return `${holderName(waiter)} wants ${escapeControlChars(waiter.path)} to ${waiter.mode}${why} (since ${relativeTime(waiter.since, nowMs)})`;
}

export interface PreviousHold {
  readonly path: string;
  readonly how: string;
  readonly by: string;
  readonly at: string;
  readonly purpose: string | null;
  readonly note: string | null;
}

/** How a path was left before: what whoever gets it next should know. */
export function previousHoldLine({ path, how, by, at, purpose, note }: PreviousHold, nowMs: number): string {
  const what = endTexts[how] ?? how;
  const why = purpose === null ? "" : `; it was for "${escapeControlChars(purpose)}"`;
  const last = note === null ? "" : `, last note "${escapeControlChars(note)}"`;
  return `${escapeControlChars(path)} ${what} ${escapeControlChars(by)} ${relativeTime(at, nowMs)}${why}${last}`;
}

const endTexts: Readonly<Record<string, string>> = {
  expired: "was lost by a holder that went silent:",
  forced: "was taken by an operator from",
  recovered: "was recovered from",
};

/** Locks, holders and queues in words. What others wrote in them is made harmless here. */
import type { LockRow, LockStatus } from "@holdfast/sdk";
import { harmless } from "./harmless.ts";
import type { Paint } from "./paint.ts";
import { duration, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

export type Holder = LockRow["holders"][number];
type Waiter = LockRow["queue"][number];

/** A holder as far as a denial and a place in the line tell of it. */
export type HolderFacts = Pick<Holder, "owner_id" | "name" | "purpose" | "note" | "path" | "since" | "until">;

export const holderName = ({ name, owner_id }: { readonly name: string | null; readonly owner_id: string }): string =>
  harmless(name ?? owner_id);

const textOr = (text: string | null, other: string): string => (text === null ? other : harmless(text));

/** `ann has repo/x: "renaming" (held for 12 s, lease until in 18 s)` */
export function holderWords(holder: HolderFacts, nowMs: number): string {
  const { purpose, note, path, since, until } = holder;
  const why = purpose === null ? "" : `: "${harmless(purpose)}"`;
  const last = note === null ? "" : `, last note "${harmless(note)}"`;
  const held = duration(nowMs - Date.parse(since));
  return `${holderName(holder)} has ${harmless(path)}${why} (for ${held}, lease ends ${relativeTime(until, nowMs)}${last})`;
}

export function lockTable(
  rows: readonly LockRow[],
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): string {
  if (rows.length === 0) return "Nothing is locked.";
  const cells = rows.flatMap(({ path, holders, queue }) =>
    holders.map((holder, index) => [
      index === 0 ? paint.strong(harmless(path)) : "",
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
  const queue = status.queue.map((waiter, index) => `  ${index + 1}. ${waiterWords(waiter, nowMs)}`);
  const isFree = status.holders.length + status.above.length + status.below.length === 0;
  return [
    `${paint.strong(harmless(status.path))} is ${isFree ? paint.good("free") : paint.warning("locked")}.`,
    ...part("Held:", status.holders),
    ...part("Held above it:", status.above),
    ...part("Held below it:", status.below),
    ...(queue.length === 0 ? [] : ["", paint.strong("Waiting:"), ...queue]),
  ].join("\n");
}

function holderDetails(holder: Holder, nowMs: number): string {
  const asked = holder.asked_to_release === null ? "" : `; asked to release: "${harmless(holder.asked_to_release)}"`;
  return `${holderWords(holder, nowMs)} ${holder.mode}, fence ${holder.fence}${holder.state === "stale" ? ", stale" : ""}${asked}`;
}

function waiterWords(waiter: Waiter, nowMs: number): string {
  const why = waiter.purpose === null ? "" : `: "${harmless(waiter.purpose)}"`;
  return `${holderName(waiter)} wants ${harmless(waiter.path)} to ${waiter.mode}${why} (since ${relativeTime(waiter.since, nowMs)})`;
}

export interface Left {
  readonly path: string;
  readonly how: string;
  readonly by: string;
  readonly at: string;
  readonly purpose: string | null;
  readonly note: string | null;
}

/** How a path was left before: what whoever gets it next should know. */
export function leftWords({ path, how, by, at, purpose, note }: Left, nowMs: number): string {
  const what = leftHow[how] ?? how;
  const why = purpose === null ? "" : `; it was for "${harmless(purpose)}"`;
  const last = note === null ? "" : `, last note "${harmless(note)}"`;
  return `${harmless(path)} ${what} ${harmless(by)} ${relativeTime(at, nowMs)}${why}${last}`;
}

const leftHow: Readonly<Record<string, string>> = {
  expired: "was lost by a holder that went silent:",
  forced: "was taken by an operator from",
  recovered: "was recovered from",
};

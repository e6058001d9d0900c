import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext } from "../../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { kindOf, kindsByShape } from "./lock-kinds.ts";
import type { KindSettings, LockKind } from "./lock-kinds.ts";
import { lockFactTable } from "./lock-tables.ts";
import type { LockSettingsRow } from "./lock-tables.ts";

const initial: LockSettingsRow = { key: "settings", isOn: true, enforce: [] };

/** What was set for locks by entries; every node reads the same. */
export function lockSettings(state: StateReader): LockSettingsRow {
  return (state.rows(lockFactTable).get("settings") as LockSettingsRow | undefined) ?? initial;
}

/** An event without `kinds` leaves them as they are. */
export function foldConfigured(state: StateWriter, { data }: Event): void {
  const kinds = data["kinds"] as Readonly<Record<string, KindSettings>> | undefined;
  state.rows(lockFactTable).put({
    ...lockSettings(state),
    isOn: data["lock_manager"] as boolean,
    enforce: data["enforce"] as readonly string[],
    ...(kinds === undefined ? {} : { kinds: kindsByShape(kinds) }),
  });
}

/** Whether an entry has said anything about locks yet. */
export function areLocksConfigured(state: StateReader): boolean {
  return state.rows(lockFactTable).get("settings") !== undefined;
}

export function kindAt(state: StateReader, path: string): LockKind {
  return kindOf(path, lockSettings(state).kinds);
}

/** True if writes below this path must respect the locks of others. */
export function isEnforced(state: StateReader, path: string): boolean {
  return lockSettings(state).enforce.some((prefix) => isAtOrBelow(path, prefix));
}

/** True if an entry is long enough: what else could be done is left to the next one. */
export function isFull({ events }: Pick<DecideContext, "events">): boolean {
  return events.length >= lockLimits.eventsPerEntryMax;
}

/** A command ends at most so much that is overdue; the timer sees to the rest. */
export const endedMax = 100;

/** Bounds that keep one owner from making every entry about it too long. */
export const lockLimits = {
  /** Held and waited for together. */
  pathsPerOwnerMax: 10_000,
  ticketsPerOwnerMax: 1_000,
  /** When an entry holds so many events, nothing more is begun in it; the rest follows at once, in the next entries. */
  eventsPerEntryMax: 2_000,
  ticketMs: 30_000,
  /** Time to accept a granted ticket. After that the lock goes to the next waiter. */
  acceptMs: 10_000,
  /** Holders that a denial names. */
  namedMax: 10,
  /** Nobody counts further than this: places, holders and blockers beyond are "so many, or more". */
  countedMax: 1_000,
} as const;

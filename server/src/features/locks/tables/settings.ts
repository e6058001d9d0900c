import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext } from "../../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { kindOf, kindsByShape } from "./lock-kinds.ts";
import type { KindSettings, LockKind } from "./lock-kinds.ts";
import { lockSingletonTable } from "./lock-tables.ts";
import type { LockSettingsRow } from "./lock-tables.ts";

const initial: LockSettingsRow = { key: "settings", isOn: true, enforce: [] };

/** The settings of locks, set by entries. Every node reads the same. */
export function lockSettings(state: StateReader): LockSettingsRow {
  return (state.rows(lockSingletonTable).get("settings") as LockSettingsRow | undefined) ?? initial;
}

/** An event without `kinds` leaves them unchanged. */
export function foldConfigured(state: StateWriter, { data }: Event): void {
  const kinds = data["kinds"] as Readonly<Record<string, KindSettings>> | undefined;
  const settings = {
    ...lockSettings(state),
    isOn: data["lock_manager"] as boolean,
    enforce: data["enforce"] as readonly string[],
  };
  state.rows(lockSingletonTable).put(kinds === undefined ? settings : { ...settings, kinds: kindsByShape(kinds) });
}

/** Whether an entry has configured locks. */
export function areLocksConfigured(state: StateReader): boolean {
  return state.rows(lockSingletonTable).get("settings") !== undefined;
}

export function kindAt(state: StateReader, path: string): LockKind {
  return kindOf(path, lockSettings(state).kinds);
}

/** True if writes below some path must respect the locks of other owners. Every write asks this first. */
export function isAnyEnforced(state: StateReader): boolean {
  return lockSettings(state).enforce.length > 0;
}

/** True if writes below this path must respect the locks of other owners. */
export function isEnforced(state: StateReader, path: string): boolean {
  return lockSettings(state).enforce.some((prefix) => isAtOrBelow(path, prefix));
}

/** True if an entry has its maximum of events. Further work is left to the next entry. */
export function isFull({ events }: Pick<DecideContext, "events">): boolean {
  return events.length >= lockLimits.eventsPerEntryMax;
}

/** Maximum overdue locks that one command ends. The timer ends the rest. */
export const endedMax = 100;

/** Limits that keep entries about one owner short. */
export const lockLimits = {
  /** Maximum paths that an owner holds and waits for. */
  pathsPerOwnerMax: 10_000,
  ticketsPerOwnerMax: 1_000,
  /** Maximum events after which an entry starts nothing more. The next entries continue at once. */
  eventsPerEntryMax: 2_000,
  /** Maximum bytes of JSON of metadata, purpose and note together. Every lock and every ticket keeps them in memory. */
  termsBytesMax: 4_096,
  ticketMs: 30_000,
  /** Default time to accept a granted ticket. Afterwards the next ticket gets the lock. */
  acceptMs: 10_000,
  /** Maximum missed grants that are kept for an agent. The oldest is dropped first. */
  missedMax: 10,
  /** Maximum requests that share a grant or a ticket and can be withdrawn. The oldest lose that first. */
  requestsMax: 32,
  /** Maximum open release requests of a grant. The oldest is dropped first. */
  releaseRequestsMax: 16,
  /** Maximum holders that a denial names. */
  namedMax: 10,
  /** Maximum that places, holders and blockers are counted to. Beyond it the count means "or more". */
  countedMax: 1_000,
} as const;

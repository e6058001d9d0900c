/**
 * The tables of locks. A grant is one row, and one row more for each of its paths; a ticket likewise. What is free
 * leaves nothing here: fences come from the journal's positions, so nothing has to be remembered for them to rise.
 */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { TableSpec } from "../../../machine/table.ts";
import type { OwnKinds } from "./lock-kinds.ts";
import type { LockedPath, Mode, Scope } from "./modes.ts";

/** Between the parts of a sort key. Paths and owners hold no control character. */
export const gap = "\u0001";

/** Numbers as texts of one length, so that their order is that of the numbers. Short: every lease has several. */
export function sortable(number: number): string {
  return number.toString(36).padStart(11, "0");
}

/** What a request asks for besides its paths. It is the same while it waits and when it is granted. */
export interface Terms {
  readonly ttlMs: number;
  readonly maxHoldMs?: number;
  readonly holdOffMs?: number;
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: JsonObject;
}

export interface GrantRow extends Terms {
  readonly fence: string;
  /** The name by which waiters know it: it stays the same when a ticket is granted or a mode changes. */
  readonly blockerId: string;
  readonly owner: string;
  readonly paths: readonly LockedPath[];
  readonly acquiredAt: number;
  readonly heartbeatAt: number;
  readonly expiresAt: number;
  /** A recoverable lock: how old the last heartbeat must be. Absent if the lock simply expires. */
  readonly graceMs?: number;
  /** The ticket that became this grant. */
  readonly ticket?: string;
  /** Until when a granted ticket must give a sign of life. */
  readonly acceptBy?: number;
  /** The ticket that waits to make this a write lock. */
  readonly upgrading?: string;
  /** An active job that relies on it. */
  readonly job?: string;
  readonly asked?: { readonly by: string; readonly reason: string };
}

/** When a grant can be freed by time; undefined while an active job relies on it. */
export function dueTime(row: GrantRow): number | undefined {
  if (row.job !== undefined) return undefined;
  const end = row.graceMs === undefined ? row.expiresAt : Math.max(row.expiresAt, row.heartbeatAt + row.graceMs);
  return row.acceptBy === undefined ? end : Math.min(end, row.acceptBy);
}

export const grantTable: TableSpec<GrantRow, "due" | "ticket"> = {
  name: "lock-grants",
  key: (row) => row.fence,
  sorts: {
    due: (row) => {
      const due = dueTime(row);
      return due === undefined ? undefined : sortable(due);
    },
    ticket: (row) => row.ticket,
  },
};

/** One path of a grant. */
export interface HoldRow extends LockedPath {
  readonly fence: string;
  readonly owner: string;
  /** Grants in the order in which they were made. */
  readonly seq: string;
  /** The place of the path's kind in the global order, if it has one. */
  readonly order?: number;
}

/** Holds at a path: `tree` before `self`, each in the order in which they were granted. */
export function holdKey(row: HoldRow): string {
  return `${row.path}${gap}${row.scope === "tree" ? "t" : "s"}${row.seq}`;
}

const ofMode = (mode: Mode) => (row: HoldRow) => (row.mode === mode ? holdKey(row) : undefined);

export const holdTable: TableSpec<HoldRow, Mode | "owner" | "order"> = {
  name: "lock-holds",
  key: (row) => `${row.path}${gap}${row.fence}`,
  sorts: {
    read: ofMode("read"),
    upgradeable: ofMode("upgradeable"),
    write: ofMode("write"),
    owner: (row) => `${row.owner}${gap}${row.path}${gap}`,
    order: (row) => (row.order === undefined ? undefined : orderKey(row.owner, row.order, row.path)),
  },
};

export function orderKey(owner: string, order: number, path: string): string {
  return `${owner}${gap}${sortable(order)}${path}`;
}

/** How many holds, or waits, there are at a path and below it: three modes for each of `tree`, `self` and below. */
export interface TallyRow {
  readonly path: string;
  readonly counts: readonly number[];
  /** How many events there were since one told all who hold the path, where so many do that not every event tells. */
  readonly toldAgo?: number;
}

export const holdTallyTable: TableSpec<TallyRow, never> = { name: "lock-tallies", key: (row) => row.path, sorts: {} };
export const waitTallyTable: TableSpec<TallyRow, never> = { name: "wait-tallies", key: (row) => row.path, sorts: {} };

/** How many paths an owner holds, how many tickets it has, and for how many paths these wait. */
export interface OwnerRow {
  readonly owner: string;
  /** Who may act for it. An owner need not be registered; as long as it has something, it is its principal's alone. */
  readonly principal: string;
  readonly pathCount: number;
  readonly ticketCount: number;
  readonly waitCount: number;
  /** Why its agent ended. All that it has is being freed, if not in that entry then in the next ones. */
  readonly leaving?: string;
}

export const ownerTable: TableSpec<OwnerRow, "leaving"> = {
  name: "lock-owners",
  key: (row) => row.owner,
  sorts: { leaving: (row) => (row.leaving === undefined ? undefined : row.owner) },
};

export interface TicketRow extends Terms {
  readonly ticket: string;
  /** The place in the line: lower goes first. Upgrades go before all others. */
  readonly rank: number;
  readonly owner: string;
  readonly paths: readonly LockedPath[];
  readonly since: number;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  /** The id of one blocker that keeps it waiting. There may be others. The end of this one lets it be examined again. */
  readonly waitsFor: string;
  /** The fence of the grant that it would make a write lock. */
  readonly upgrades?: string;
}

export const ticketTable: TableSpec<TicketRow, "due" | "owner" | "path" | "blocker" | "line"> = {
  name: "lock-tickets",
  key: (row) => row.ticket,
  sorts: {
    due: (row) => sortable(row.leaseUntil),
    owner: (row) => `${row.owner}${gap}${sortable(row.rank)}`,
    path: (row) => `${row.owner}${gap}${row.paths[0]?.path ?? ""}${gap}`,
    blocker: (row) => `${row.waitsFor}${gap}${sortable(row.rank)}`,
    line: (row) => sortable(row.rank),
  },
};

/** Where a wait stands as seen from a path: at it with scope `tree` or `self`, or somewhere below. */
export type Standing = "t" | "s" | "b";

/** A ticket in the line of a path: one row at each of its paths and at every ancestor. */
export interface WaitRow {
  readonly path: string;
  readonly standing: Standing;
  readonly mode: Mode;
  readonly rank: number;
  readonly ticket: string;
  readonly owner: string;
}

const rankMax = 9e15;

/** The latest first, so that the one right ahead is found at once, however long the line is. */
export function linePrefix(path: string, standing: Standing, mode: Mode): string {
  return `${path}${gap}${standing}${mode}${gap}`;
}

export function lineKey(row: Pick<WaitRow, "path" | "standing" | "mode" | "rank">): string {
  return linePrefix(row.path, row.standing, row.mode) + sortable(rankMax - row.rank);
}

export const waitTable: TableSpec<WaitRow, "line"> = { name: "lock-waits", key: lineKey, sorts: { line: lineKey } };

/** What is set by entries for all locks, and the few numbers that must survive from one entry to the next. */
export interface LockSettingsRow {
  readonly key: "settings";
  readonly isOn: boolean;
  readonly enforce: readonly string[];
  readonly kinds?: OwnKinds;
}

export interface LockPaceRow {
  readonly key: "pace";
  /** About how long locks that others waited for were held. */
  readonly holdMs: number;
}

/** A blocker that is gone, with waiters that did not fit into the entry that freed it. */
export interface LockHandoverRow {
  readonly key: string;
  readonly blockerId: string;
  /** The entry that left them. */
  readonly position: number;
}

export type LockFactRow = LockSettingsRow | LockPaceRow | LockHandoverRow;

export const lockFactTable: TableSpec<LockFactRow, "handover"> = {
  name: "lock-facts",
  key: (row) => row.key,
  sorts: { handover: (row) => ("blockerId" in row ? row.blockerId : undefined) },
};

export type { LockedPath, Mode, Scope };

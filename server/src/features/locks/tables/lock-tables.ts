/**
 * The tables of locks. A grant has one row, and one more row per path. So has a ticket. A free lock has no row: fences
 * come from positions in the journal, so they always increase without any state.
 */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { TableSpec } from "../../../machine/table.ts";
import { lockBytes } from "./lock-bytes.ts";
import type { OwnKinds } from "./lock-kinds.ts";
import type { PathLock, Mode, Scope } from "./modes.ts";

/** Separates the parts of a sort key. Paths and owners have no control characters. */
export const gap = "\u0001";

/** The codes of the digits of base 36. */
const digitCodes = Array.from("0123456789abcdefghijklmnopqrstuvwxyz", (digit) => digit.charCodeAt(0));
const digitOf = (number: number): number => digitCodes[number % 36] ?? 0;
/** The values of the places of base 36, from the third from the right. On either side of the sixth, digits fit into 32 bits. */
const [thirdPlace, fourthPlace, fifthPlace, sixthPlace] = [1_296, 46_656, 1_679_616, 60_466_176];

/**
 * Numbers as texts of equal length, so that the order of the texts is the order of the numbers. They are short, since
 * every lease has several. `toString(36)` takes 20 times as long for a time or a position.
 */
export function sortable(number: number): string {
  const upper = Math.floor(number / sixthPlace);
  const lower = number - upper * sixthPlace;
  return String.fromCharCode(
    digitOf((upper / sixthPlace) | 0),
    digitOf((upper / fifthPlace) | 0),
    digitOf((upper / fourthPlace) | 0),
    digitOf((upper / thirdPlace) | 0),
    digitOf((upper / 36) | 0),
    digitOf(upper),
    digitOf((lower / fifthPlace) | 0),
    digitOf((lower / fourthPlace) | 0),
    digitOf((lower / thirdPlace) | 0),
    digitOf((lower / 36) | 0),
    digitOf(lower),
  );
}

/** The terms of a request in addition to its paths. A ticket and its grant have the same. */
export interface Terms {
  readonly ttlMs: number;
  readonly maxHoldMs?: number;
  readonly holdOffMs?: number;
  readonly purpose?: string;
  readonly note?: string;
  readonly metadata?: JsonObject;
}

/** The terms of a request, before they are stored. A row has no undefined members, because its text is hashed. */
export type RequestTerms = Pick<Terms, "ttlMs"> & {
  readonly [Name in Exclude<keyof Terms, "ttlMs">]?: Terms[Name] | undefined;
};

/** Requests of a grant or a ticket. A single one is not a list, because a list would add 56 bytes to each lease. */
export type Requests = string | readonly string[];

export interface GrantRow extends Terms {
  readonly fence: string;
  /** The id under which tickets watch this grant. It stays when a ticket is granted or a mode changes. */
  readonly blockerId: string;
  readonly owner: string;
  readonly paths: readonly PathLock[];
  readonly acquiredAt: number;
  readonly heartbeatAt: number;
  readonly expiresAt: number;
  /** For a recoverable lock: the minimum age of the last heartbeat. Absent if the lock expires. */
  readonly graceMs?: number;
  /** The ticket that became this grant. */
  readonly ticket?: string;
  /** The lease that the ticket had. */
  readonly ticketMs?: number;
  /** Time that the owner has to accept a granted ticket. */
  readonly acceptMs?: number;
  /** Deadline by which the owner must accept a granted ticket. */
  readonly acceptBy?: number;
  /** The ticket that waits to make this a write lock. */
  readonly upgrading?: string;
  /** The active job that claims the grant. */
  readonly job?: string;
  /** The agent whose heartbeats renew the grant, if it is not the owner. Only it can prove the lock, by the fence. */
  readonly keeper?: string;
  /** The requests that share the grant, if one of them can be withdrawn. See requests.ts. */
  readonly requests?: Requests;
  /** The open requests to release it, one per author, the newest last. */
  readonly releaseRequests?: readonly ReleaseRequestRow[];
}

/** A request to release a grant. */
export interface ReleaseRequestRow {
  /** The agent or the principal that sent it. */
  readonly by: string;
  /** The owner that needs the lock, if the author named another than itself. */
  readonly owner?: string;
  readonly reason: string;
}

/** Time at which a timer may free the grant; undefined while an active job claims it. */
export function dueTime(row: GrantRow): number | undefined {
  if (row.job !== undefined) return undefined;
  const end = row.graceMs === undefined ? row.expiresAt : Math.max(row.expiresAt, row.heartbeatAt + row.graceMs);
  return row.acceptBy === undefined ? end : Math.min(end, row.acceptBy);
}

export const grantTable: TableSpec<GrantRow, "due" | "ticket" | "keeper"> = {
  name: "lock-grants",
  boundedBy: "quota",
  key: (row) => row.fence,
  sorts: {
    due: (row) => {
      const due = dueTime(row);
      return due === undefined ? undefined : sortable(due);
    },
    ticket: (row) => row.ticket,
    keeper: (row) => (row.keeper === undefined ? undefined : `${row.keeper}${gap}`),
  },
  due: { sort: "due", at: dueTime },
  bytes: lockBytes.grant,
};

/** One path of a grant. */
export interface HoldRow extends PathLock {
  readonly fence: string;
  readonly owner: string;
  /** Sorts grants in the order of their creation. */
  readonly seq: string;
  /** The rank of the path's kind in the global order, if it has one. */
  readonly order?: number;
}

/** Sorts holds at a path: `tree` before `self`, each in the order of their creation. */
export function holdKey(row: HoldRow): string {
  return `${row.path}${gap}${row.scope === "tree" ? "t" : "s"}${row.seq}`;
}

/** Sorts the holds of an owner by path. With the fence it is the cursor of a page: an owner may hold a path twice. */
export function ownerKey(row: HoldRow): string {
  return `${row.owner}${gap}${row.path}${gap}${row.fence}`;
}

const ofMode = (mode: Mode) => (row: HoldRow) => (row.mode === mode ? holdKey(row) : undefined);

export const holdTable: TableSpec<HoldRow, Mode | "owner" | "order"> = {
  name: "lock-holds",
  boundedBy: "quota",
  key: (row) => `${row.path}${gap}${row.fence}`,
  sorts: {
    read: ofMode("read"),
    upgradeable: ofMode("upgradeable"),
    write: ofMode("write"),
    owner: ownerKey,
    order: (row) => (row.order === undefined ? undefined : orderKey(row.owner, row.order, row.path)),
  },
  uniqueSorts: ["read", "upgradeable", "write", "owner"],
  bytes: lockBytes.hold,
};

export function orderKey(owner: string, order: number, path: string): string {
  return `${owner}${gap}${sortable(order)}${path}`;
}

/** Counters of the holds or waits at a path and below it: three modes for each of `tree`, `self` and below. */
export interface PathCounterRow {
  readonly path: string;
  readonly counts: readonly number[];
  /** Number of events since the last complete list of holders, if the path has too many to list them in every event. */
  readonly eventsSinceList?: number;
}

export const holdCounterTable: TableSpec<PathCounterRow, never> = {
  name: "lock-counters",
  boundedBy: "quota",
  key: (row) => row.path,
  sorts: {},
  bytes: lockBytes.counter,
};
export const waitCounterTable: TableSpec<PathCounterRow, never> = {
  name: "wait-counters",
  boundedBy: "quota",
  key: (row) => row.path,
  sorts: {},
  bytes: lockBytes.counter,
};

/** Number of paths that an owner holds, of its tickets, and of the paths that these wait for. */
export interface OwnerRow {
  readonly owner: string;
  /**
   * The principal that may use this owner. While an unregistered owner has a lock or a ticket, only its principal may
   * use it.
   */
  readonly principal: string;
  readonly pathCount: number;
  readonly ticketCount: number;
  readonly waitCount: number;
  /** The reason of its agent's end. Its locks and tickets are being freed, in this entry or the next ones. */
  readonly leaving?: string;
  /** Its agent ended itself, which releases recoverable locks too. Otherwise they stay until they are recovered. */
  readonly endedItself?: true;
  /** Its agent has ended, and the locks that it still has are kept. */
  readonly hasEnded?: true;
}

export const ownerTable: TableSpec<OwnerRow, "leaving"> = {
  name: "lock-owners",
  boundedBy: "quota",
  key: (row) => row.owner,
  sorts: { leaving: (row) => (row.leaving === undefined ? undefined : row.owner) },
  due: { sort: "leaving", at: (row) => (row.leaving === undefined ? undefined : 0) },
  bytes: lockBytes.owner,
};

/** Number of paths that all owners of a principal hold and wait for. Owners are free text, so theirs bound nothing. */
interface PrincipalRow {
  readonly principal: string;
  readonly pathCount: number;
}

export const principalTable: TableSpec<PrincipalRow, never> = {
  name: "lock-principals",
  boundedBy: "quota",
  key: (row) => row.principal,
  sorts: {},
};

export interface TicketRow extends Terms {
  readonly ticket: string;
  /** The order in the queue: lower goes first. Upgrades go ahead of all others. */
  readonly rank: number;
  readonly owner: string;
  readonly paths: readonly PathLock[];
  readonly since: number;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  /** Time to accept the grant. Absent if it needs no acceptance: an upgrade or a notify-only ticket. */
  readonly acceptMs?: number;
  /** The id of one blocker. There may be others. When this one ends, the ticket is examined again. */
  readonly waitsFor: string;
  /** The fence of the grant that this ticket upgrades. */
  readonly upgrades?: string;
  /** The requests that share the ticket, if one of them can be withdrawn. */
  readonly requests?: Requests;
  /** The ticket is not granted. When nothing blocks it, it leaves the queue, and its feature may grant the lock. */
  readonly notifyOnly?: true;
}

export const ticketTable: TableSpec<TicketRow, "due" | "owner" | "path" | "blocker" | "rank"> = {
  name: "lock-tickets",
  boundedBy: "quota",
  key: (row) => row.ticket,
  sorts: {
    due: (row) => sortable(row.leaseUntil),
    owner: (row) => `${row.owner}${gap}${sortable(row.rank)}`,
    path: (row) => `${row.owner}${gap}${row.paths[0]?.path ?? ""}${gap}`,
    blocker: (row) => `${row.waitsFor}${gap}${sortable(row.rank)}`,
    rank: (row) => sortable(row.rank),
  },
  due: { sort: "due", at: ({ leaseUntil }) => leaseUntil },
  bytes: lockBytes.ticket,
};

/** The relation of a wait to a path: at the path with scope `tree` or `self`, or below it. */
export type WaitRelation = "t" | "s" | "b";

/** A ticket in the queue of a path: one row at each of its paths and at every ancestor. */
export interface WaitRow {
  readonly path: string;
  readonly relation: WaitRelation;
  readonly mode: Mode;
  readonly rank: number;
  readonly ticket: string;
  readonly owner: string;
}

const rankMax = 9e15;

/** The latest ticket first, so that the one directly ahead is found at once in a queue of any length. */
export function queuePrefix(path: string, relation: WaitRelation, mode: Mode): string {
  return `${path}${gap}${relation}${mode}${gap}`;
}

export function queueKey(row: Pick<WaitRow, "path" | "relation" | "mode" | "rank">): string {
  return queuePrefix(row.path, row.relation, row.mode) + sortable(rankMax - row.rank);
}

export const waitTable: TableSpec<WaitRow, "queue"> = {
  name: "lock-waits",
  boundedBy: "quota",
  key: queueKey,
  sorts: { queue: queueKey },
  uniqueSorts: ["queue"],
  bytes: lockBytes.wait,
};

/** Settings of all locks, and the few numbers that must survive from one entry to the next. */
export interface LockSettingsRow {
  readonly key: "settings";
  readonly isOn: boolean;
  readonly enforce: readonly string[];
  readonly kinds?: OwnKinds;
}

export interface LockPaceRow {
  readonly key: "pace";
  /** Average duration of recent contended holds. */
  readonly holdMs: number;
}

/** A blocker that ended, with tickets that did not fit into the entry that freed it. */
export interface LockHandoverRow {
  readonly key: string;
  readonly blockerId: string;
  /** Position of the entry that left them. */
  readonly position: number;
}

export type LockSingletonRow = LockSettingsRow | LockPaceRow | LockHandoverRow;

export const lockSingletonTable: TableSpec<LockSingletonRow, "handover"> = {
  name: "lock-singletons",
  boundedBy: "quota",
  key: (row) => row.key,
  sorts: { handover: (row) => ("blockerId" in row ? row.blockerId : undefined) },
  due: { sort: "handover", at: (row) => ("blockerId" in row ? 0 : undefined) },
};

export type { PathLock, Mode, Scope };

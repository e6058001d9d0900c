/** Views of locks. Nothing here decides: a lock that a view calls stale is held until an entry ends it. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { blockersOf } from "../queue/blockers.ts";
import { holderView } from "../queue/deny.ts";
import { grantView } from "../queue/free-grant.ts";
import { shownEnd } from "../queue/grant-next.ts";
import { iso } from "../tables/lock-events.ts";
import { ancestorsOf } from "../tables/path-fault.ts";
import {
  gap,
  grantTable,
  holdKey,
  holdTable,
  queuePrefix,
  sortable,
  ticketTable,
  waitTable,
} from "../tables/lock-tables.ts";
import type { GrantRow, HoldRow, TicketRow } from "../tables/lock-tables.ts";
import { modes } from "../tables/modes.ts";
import { kindAt } from "../tables/settings.ts";

function stateOf(row: GrantRow | undefined, time: number): "held" | "stale" {
  return row !== undefined && row.expiresAt <= time ? "stale" : "held";
}

function heldBy(state: StateReader, row: HoldRow, time: number): JsonObject {
  const grant = state.rows(grantTable).get(row.fence);
  const request = grant?.releaseRequest;
  return {
    ...holderView(state, row),
    state: stateOf(grant, time),
    asked_to_release: request === undefined ? null : `${request.by}: ${request.reason}`,
  };
}

function bySeq(a: HoldRow, b: HoldRow): number {
  return a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0;
}

/** Holds whose key has this prefix, in all modes. */
function holds(state: StateReader, prefix: string, limit: number): readonly HoldRow[] {
  return modes.flatMap((mode) => state.rows(holdTable).scan(mode, { prefix, limit })).slice(0, limit);
}

function waiterView(state: StateReader, row: TicketRow, path: string): JsonObject {
  const locked = row.paths.find((lock) => lock.path === path) ?? row.paths[0];
  return {
    ticket: row.ticket,
    owner_id: row.owner,
    name: findAgent(state, row.owner)?.name ?? null,
    purpose: row.purpose ?? null,
    path: locked?.path ?? path,
    mode: locked?.mode ?? "write",
    scope: locked?.scope ?? "tree",
    since: iso(row.since),
    upgrades: row.upgrades ?? null,
  };
}

/** The queue of a path, in order. */
function queueAt(state: StateReader, path: string, limit: number): JsonObject[] {
  const tickets = new Map<string, TicketRow>();
  for (const relation of ["t", "s"] as const) {
    for (const mode of modes) {
      for (const wait of state
        .rows(waitTable)
        .scan("queue", { prefix: queuePrefix(path, relation, mode), limit: Infinity })) {
        const row = state.rows(ticketTable).get(wait.ticket);
        if (row !== undefined) tickets.set(row.ticket, row);
      }
    }
  }
  const ordered = [...tickets.values()].sort((a, b) => a.rank - b.rank);
  return ordered.slice(0, limit).map((row) => waiterView(state, row, path));
}

/** One path: its holders, the holders of its ancestors and of paths below it, and its queue. */
export function lockView(state: StateReader, path: string, time: number, limit: number): JsonObject {
  const show = (rows: readonly HoldRow[]) => rows.toSorted(bySeq).map((row) => heldBy(state, row, time));
  return {
    path,
    kind: kindAt(state, path).name,
    holders: show(holds(state, `${path}${gap}`, limit)),
    above: ancestorsOf(path)
      .flatMap((ancestor) => show(holds(state, `${ancestor}${gap}`, limit)))
      .slice(0, limit),
    below: show(holds(state, `${path}/`, limit)),
    queue: queueAt(state, path, limit),
  };
}

interface LockPage {
  readonly items: readonly JsonObject[];
  readonly next: string | null;
}

/** The held paths in order, each with its holders and its queue. */
export function lockPages(
  state: StateReader,
  page: {
    readonly under?: string | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
    readonly time: number;
  },
): LockPage {
  const { under, after, limit, time } = page;
  const rows = modes
    .flatMap((mode) => [
      ...(under === undefined
        ? []
        : state.rows(holdTable).scan(mode, { prefix: `${under}${gap}`, after, limit: limit + 1 })),
      ...state.rows(holdTable).scan(mode, { prefix: under === undefined ? "" : `${under}/`, after, limit: limit + 1 }),
    ])
    .sort((a, b) => (holdKey(a) < holdKey(b) ? -1 : 1));
  const paths = [...new Set(rows.map(({ path }) => path))];
  const shown = paths.slice(0, limit);
  const items = shown.map((path) => {
    const { above: _above, below: _below, ...row } = lockView(state, path, time, limit);
    return row;
  });
  // The cursor sorts after the path and everything below it.
  return { items, next: paths.length > limit ? `${shown.at(-1) ?? ""}${gap}~` : null };
}

/** One record per path of each grant. */
export function dalLockPages(
  state: StateReader,
  page: {
    readonly owner?: string | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
    readonly time: number;
  },
): LockPage {
  const prefix = page.owner === undefined ? "" : `${page.owner}${gap}`;
  const rows = state.rows(holdTable).scan("owner", { prefix, after: page.after, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => dalLock(state, row, page.time)),
    next: rows.length > page.limit && last !== undefined ? `${last.owner}${gap}${last.path}${gap}` : null,
  };
}

function dalLock(state: StateReader, row: HoldRow, time: number): JsonObject {
  const grant = state.rows(grantTable).get(row.fence);
  return {
    lock_id: `${row.path}#${row.fence}`,
    owner: row.owner,
    lease_expires: iso(shownEnd({ state }, row.owner, grant?.expiresAt ?? 0)),
    heartbeat_ts: iso(grant?.heartbeatAt ?? 0),
    metadata: grant?.metadata ?? {},
    resource: row.path,
    mode: row.mode,
    state: stateOf(grant, time),
  };
}

/** The locks and tickets of an owner. */
export function ownView(
  state: StateReader,
  owner: string,
  page: { after?: string | undefined; limit: number; time: number },
): JsonObject {
  const prefix = `${owner}${gap}`;
  const rows = state.rows(holdTable).scan("owner", { prefix, after: page.after, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const grants = [...new Set(shown.map(({ fence }) => fence))].flatMap(
    (fence) => state.rows(grantTable).get(fence) ?? [],
  );
  const last = shown.at(-1);
  return {
    holds: grants.map((row) => ({
      ...grantView({ state }, row),
      purpose: row.purpose ?? null,
      state: stateOf(row, page.time),
    })),
    waits: state
      .rows(ticketTable)
      .scan("owner", { prefix, limit: page.limit })
      .map((row) => waiterView(state, row, row.paths[0]?.path ?? "")),
    next: rows.length > page.limit && last !== undefined ? `${prefix}${last.path}${gap}` : null,
  };
}

/** Maximum blockers that are named and counted per ticket of the wait-for graph. */
const blockersNamedMax = 20;
const blockersCountedMax = 200;

/** The wait-for graph: all blockers of each ticket. */
export function waitPages(state: StateReader, page: { readonly after?: string; readonly limit: number }): LockPage {
  const rows = state.rows(ticketTable).scan("rank", { after: page.after, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const items = shown.map((row) => {
    const blockers = blockersOf(state, row, blockersCountedMax);
    return {
      ticket: row.ticket,
      owner_id: row.owner,
      paths: row.paths as unknown as JsonObject[],
      since: iso(row.since),
      upgrades: row.upgrades ?? null,
      watches: row.waitsFor,
      blockers: blockers.slice(0, blockersNamedMax).map((blocker) => ({
        owner_id: blocker.owner,
        path: blocker.path,
        as: blocker.as,
        mode: blocker.row.mode,
        ...(blocker.as === "holder" ? { fence: blocker.row.fence } : { ticket: blocker.row.ticket }),
      })),
      blockers_total: blockers.length,
    };
  });
  const last = shown.at(-1);
  return { items, next: rows.length > page.limit && last !== undefined ? sortable(last.rank) : null };
}

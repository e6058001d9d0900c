/** Views of locks. Nothing here decides: a lock that a view calls stale is held until an entry ends it. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { findAgent, hostView } from "../../agents/agent-table.ts";
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
  ownerKey,
  ownerTable,
  queuePrefix,
  sortable,
  ticketTable,
  waitTable,
} from "../tables/lock-tables.ts";
import type { GrantRow, HoldRow, ReleaseRequestRow, TicketRow } from "../tables/lock-tables.ts";
import { modes } from "../tables/modes.ts";
import { kindAt } from "../tables/settings.ts";

/** A lock whose lease has passed is stale. So is the kept lock of an ended agent, which no heartbeat renews. */
function stateOf(state: StateReader, row: GrantRow | undefined, time: number): "held" | "stale" {
  if (row === undefined) return "held";
  return row.expiresAt <= time || state.rows(ownerTable).get(row.owner)?.hasEnded === true ? "stale" : "held";
}

function heldBy(state: StateReader, row: HoldRow, time: number): JsonObject {
  const grant = state.rows(grantTable).get(row.fence);
  const request = grant?.releaseRequests?.at(-1);
  const agent = findAgent(state, row.owner);
  return {
    ...holderView(state, row),
    state: stateOf(state, grant, time),
    asked_to_release: request === undefined ? null : releaseRequestText(request),
    seen_at: iso(Math.max(agent?.seenAt ?? 0, grant?.heartbeatAt ?? grant?.acquiredAt ?? 0)),
    ...(agent && hostView(agent)),
  };
}

function releaseRequestText({ by, owner, reason }: ReleaseRequestRow): string {
  return owner === undefined ? `${by}: ${reason}` : `${by} for ${owner}: ${reason}`;
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

/**
 * The first tickets in the queue of a path, in order. Each part of the queue is sorted by rank, the latest ticket first.
 * So the first tickets of all parts are among the last rows of each.
 */
function queueAt(state: StateReader, path: string, limit: number): JsonObject[] {
  const parts = (["t", "s"] as const).flatMap((relation) => modes.map((mode) => queuePrefix(path, relation, mode)));
  const waits = parts.flatMap((prefix) => state.rows(waitTable).scan("queue", { prefix, limit, descending: true }));
  const ordered = waits.sort((a, b) => a.rank - b.rank).slice(0, limit);
  return ordered.flatMap(({ ticket }) => {
    const row = state.rows(ticketTable).get(ticket);
    return row === undefined ? [] : [waiterView(state, row, path)];
  });
}

/** One path: its holders, the holders of its ancestors and of paths below it, and its queue. */
export function lockView(state: StateReader, path: string, time: number, limit: number): JsonObject {
  const show = (prefix: string, rowsMax: number): JsonObject[] => holdersUnder(state, prefix, time, rowsMax);
  const above: JsonObject[] = [];
  for (const ancestor of ancestorsOf(path)) above.push(...show(`${ancestor}${gap}`, limit - above.length));
  return {
    path,
    kind: kindAt(state, path).name,
    holders: show(`${path}${gap}`, limit),
    above,
    below: show(`${path}/`, limit),
    queue: queueAt(state, path, limit),
  };
}

function holdersUnder(state: StateReader, prefix: string, time: number, limit: number): JsonObject[] {
  return holds(state, prefix, limit)
    .toSorted(bySeq)
    .map((row) => heldBy(state, row, time));
}

interface LockPage {
  readonly items: readonly JsonObject[];
  readonly next: string | null;
}

/**
 * Holders and waiters per path, on average, at which a page ends early. Without it a page of 1,000 paths could have a
 * million of them.
 */
const rowsPerPath = 10;

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
  const { under, limit, time } = page;
  const items: JsonObject[] = [];
  let rowCount = 0;
  let { after } = page;
  for (let path = heldPathAfter(state, under, after); path !== undefined; path = heldPathAfter(state, under, after)) {
    if (items.length >= limit || rowCount >= limit * rowsPerPath) return { items, next: after ?? null };
    const holders = holdersUnder(state, `${path}${gap}`, time, limit);
    const queue = queueAt(state, path, limit);
    rowCount += holders.length + queue.length;
    items.push({ path, kind: kindAt(state, path).name, holders, queue });
    // Sorts after all holds at the path, and before those below it.
    after = `${path}${gap}~`;
  }
  return { items, next: null };
}

/** The first held path after a cursor. A path may have any number of holds, so it is found by one row of each mode. */
function heldPathAfter(state: StateReader, under: string | undefined, after: string | undefined): string | undefined {
  const prefixes = under === undefined ? [""] : [`${under}${gap}`, `${under}/`];
  let first: HoldRow | undefined;
  for (const prefix of prefixes) {
    for (const mode of modes) {
      const [row] = state.rows(holdTable).scan(mode, { prefix, after, limit: 1 });
      if (row !== undefined && (first === undefined || holdKey(row) < holdKey(first))) first = row;
    }
  }
  return first?.path;
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
    next: rows.length > page.limit && last !== undefined ? ownerKey(last) : null,
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
    state: stateOf(state, grant, time),
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
      state: stateOf(state, row, page.time),
    })),
    waits: state
      .rows(ticketTable)
      .scan("owner", { prefix, limit: page.limit })
      .map((row) => waiterView(state, row, row.paths[0]?.path ?? "")),
    next: rows.length > page.limit && last !== undefined ? ownerKey(last) : null,
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

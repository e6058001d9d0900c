/** The folds of events about tickets. */
import type { Event } from "../../../machine/entry.ts";
import type { FoldedEntry, Fold } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateWriter } from "../../../machine/state.ts";
import { countingLists } from "./co-holders.ts";
import { rankOf, upgradeRank } from "./fence.ts";
import { ancestorsOf } from "./path-fault.ts";
import {
  gap,
  grantTable,
  queueKey,
  lockSingletonTable,
  ticketTable,
  waitTable,
  waitCounterTable,
} from "./lock-tables.ts";
import type { TicketRow, WaitRow } from "./lock-tables.ts";
import type { PathLock } from "./modes.ts";
import { countOwner, principalOf } from "./count-owner.ts";
import { updatePathCounters } from "./path-counters.ts";
import { requestOf } from "./requests.ts";
import { foldConfigured } from "./settings.ts";
import { readTerms } from "./terms-data.ts";

export const ticketFolds: Readonly<Record<string, Fold>> = {
  "lock.queued": countingLists(foldQueued),
  "lock.waiting": (state, event) => {
    const rows = state.rows(ticketTable);
    const row = rows.get(event.data["ticket"] as string);
    if (row !== undefined) rows.put({ ...row, waitsFor: event.data["waits_for"] as string });
  },
  "lock.cancelled": (state, event) => {
    removeTicket(state, event.data["ticket"] as string);
  },
  "lock.ticket_renewed": (state, event, entry) => {
    renewTicket(state, event.data["ticket"] as string, entry.time);
  },

  // A deadlock changes nothing. It is recorded for the history.
  "lock.deadlock": countingLists(() => undefined),
  "lock.handover_left": (state, event, { position }) => {
    const blockerId = event.data["blocker_id"] as string;
    state.rows(lockSingletonTable).put({ key: `handover ${blockerId}`, blockerId, position });
  },
  "lock.handover_done": (state, event) => {
    state.rows(lockSingletonTable).delete(`handover ${event.data["blocker_id"] as string}`);
  },
  "locks.configured": foldConfigured,
};

function foldQueued(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const upgrades = data["upgrades"] as string | undefined;
  const leaseMs = data["lease_ms"] as number;
  const ticket = data["ticket"] as string;
  const queued = {
    ticket,
    rank: upgrades === undefined ? rankOf(ticket, entry.position) : upgradeRank(entry.position),
    owner: data["owner_id"] as string,
    paths: data["paths"] as unknown as readonly PathLock[],
    since: entry.time,
    leaseMs,
    leaseUntil: entry.time + leaseMs,
    waitsFor: data["waits_for"] as string,
  };
  const terms = readTerms(data["terms"] as JsonObject);
  const plain = upgrades === undefined ? { ...queued, ...terms } : { ...queued, upgrades, ...terms };
  const acceptMs = data["accept_ms"] as number | undefined;
  const accepted = acceptMs === undefined ? plain : { ...plain, acceptMs };
  const requests = requestOf(entry);
  const keyed = requests === undefined ? accepted : { ...accepted, requests };
  const row: TicketRow = data["notify_only"] === true ? { ...accepted, notifyOnly: true } : keyed;
  state.rows(ticketTable).put(row);
  const waits = state.rows(waitTable);
  for (const wait of waitsOf(row)) waits.put(wait);
  for (const locked of row.paths) updatePathCounters(state, waitCounterTable, locked, 1);
  countOwner(state, row.owner, { tickets: 1, waits: row.paths.length }, principalOf(state, row.owner, entry));
  if (upgrades === undefined) return;
  const grant = state.rows(grantTable).get(upgrades);
  if (grant !== undefined) state.rows(grantTable).put({ ...grant, upgrading: row.ticket });
}

export function removeTicket(state: StateWriter, ticket: string): void {
  const row = state.rows(ticketTable).get(ticket);
  if (row === undefined) return;
  state.rows(ticketTable).delete(ticket);
  const waits = state.rows(waitTable);
  for (const wait of waitsOf(row)) waits.delete(queueKey(wait));
  for (const locked of row.paths) updatePathCounters(state, waitCounterTable, locked, -1);
  countOwner(state, row.owner, { tickets: -1, waits: -row.paths.length });
  const grant = row.upgrades === undefined ? undefined : state.rows(grantTable).get(row.upgrades);
  if (grant === undefined) return;
  const { upgrading: _upgrading, ...rest } = grant;
  state.rows(grantTable).put(rest);
}

/** The rows of a ticket: one at each path, and one at every ancestor per mode, however many paths are below it. */
function waitsOf({ ticket, rank, owner, paths }: TicketRow): Iterable<WaitRow> {
  const rows = new Map<string, WaitRow>();
  const add = (row: WaitRow): void => {
    rows.set(`${row.path}${gap}${row.relation}${row.mode}`, row);
  };
  for (const { path, mode, scope } of paths) {
    add({ path, relation: scope === "tree" ? "t" : "s", mode, rank, ticket, owner });
    for (const ancestor of ancestorsOf(path)) add({ path: ancestor, relation: "b", mode, rank, ticket, owner });
  }
  return rows.values();
}

function renewTicket(state: StateWriter, ticket: string, time: number): void {
  const rows = state.rows(ticketTable);
  const row = rows.get(ticket);
  if (row !== undefined) rows.put({ ...row, leaseUntil: time + row.leaseMs });
}

export function foldTicketBeats(state: StateWriter, { data }: Event, { time }: FoldedEntry): void {
  for (const owner of data["ids"] as readonly string[]) {
    const rows = state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
    for (const row of rows) if (row.leaseUntil > time || data["grace"] === true) renewTicket(state, row.ticket, time);
  }
}

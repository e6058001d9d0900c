/** The folds of events about held locks. They never change; a new meaning is a new event type. */
import type { Event } from "../../../machine/entry.ts";
import type { FoldedEntry, Fold } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { countingLists } from "./co-holders.ts";
import { seqOf } from "./fence.ts";
import { removeTicket } from "./ticket-folds.ts";
import {
  dueTime,
  gap,
  grantTable,
  holdTable,
  holdCounterTable,
  lockSingletonTable,
  ticketTable,
} from "./lock-tables.ts";
import type { GrantRow, LockPaceRow, ReleaseRequestRow, RequestTerms } from "./lock-tables.ts";
import { foldMissedShown, noteMissed } from "./missed-grants.ts";
import type { PathLock } from "./modes.ts";
import { countOwner, principalOf } from "./count-owner.ts";
import { updatePathCounters } from "./path-counters.ts";
import { addRequests, requestOf } from "./requests.ts";
import { lockLimits } from "./settings.ts";
import { readTermsInto } from "./terms-data.ts";
import type { RowDraft } from "./terms-data.ts";

/** A path in an event, with its rank in the global order if its kind has one. */
export type EventPath = PathLock & { readonly order?: number };

export const grantFolds: Readonly<Record<string, Fold>> = {
  "lock.acquired": leading(foldAcquired),
  "lock.released": leading(foldFreed),
  "lock.expired": leading(foldExpired),
  "lock.recovered": leading(foldFreed),
  "lock.forced": leading(foldFreed),
  "lock.refreshed": countingLists(foldRefreshed),
  "lock.upgraded": leading(foldChanged),
  "lock.downgraded": leading(foldChanged),
  "lock.transferred": leading(foldChanged),
  "lock.adopted": leading(foldAdopted),
  "lock.accepted": foldAccepted,
  "lock.release_requested": countingLists(foldReleaseRequested),
  "lock.job_claimed": foldJob,
  "lock.missed_shown": foldMissedShown,
};

/**
 * A set has one event per path, so that the history of each path has it. The event of the first path has all the data.
 */
function leading(fold: Fold): Fold {
  return countingLists((state, event, entry) => {
    if (event.data["of"] === undefined) fold(state, event, entry);
  });
}

function pathsOf(data: JsonObject): readonly EventPath[] {
  const paths = data["paths"] as readonly EventPath[] | undefined;
  if (paths !== undefined) return paths;
  const { resource_id: path, mode, scope, order } = data as unknown as EventPath & { resource_id: string };
  return [order === undefined ? { path, mode, scope } : { path, mode, scope, order }];
}

function leaseEnd(row: Pick<GrantRow, "acquiredAt" | "ttlMs" | "maxHoldMs">, time: number): number {
  const end = time + row.ttlMs;
  return row.maxHoldMs === undefined ? end : Math.min(end, row.acquiredAt + row.maxHoldMs);
}

/** The end of the lease of a lock that is granted at this time. */
export function firstLeaseEnd({ ttlMs, maxHoldMs }: Pick<RequestTerms, "ttlMs" | "maxHoldMs">, time: number): number {
  return time + (maxHoldMs === undefined ? ttlMs : Math.min(ttlMs, maxHoldMs));
}

function foldAcquired(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const { time } = entry;
  const fence = data["fence"] as string;
  const ticket = data["ticket"] as string | undefined;
  const paths = pathsOf(data);
  const { keeper, job, grace_ms: graceMs, max_hold_ms: maxHoldMs } = data as GrantMembers;
  // One literal, and one assignment for each member that most grants lack. The order is part of the state's hash.
  const row: RowDraft<GrantRow> = {
    fence,
    blockerId: ticket ?? fence,
    owner: data["owner_id"] as string,
    paths: plainPaths(paths),
    acquiredAt: time,
    heartbeatAt: time,
    expiresAt: firstLeaseEnd({ ttlMs: data["ttl_ms"] as number, maxHoldMs }, time),
    ttlMs: 0,
  };
  readTermsInto(row, data);
  const shared = ticket === undefined ? undefined : state.rows(ticketTable).get(ticket);
  const own = data["keyed"] === true ? requestOf(entry) : undefined;
  const requests = shared === undefined ? own : shared.requests;
  if (graceMs !== undefined) row.graceMs = graceMs;
  if (keeper !== undefined) row.keeper = keeper;
  if (job !== undefined) row.job = job;
  if (requests !== undefined) row.requests = requests;
  if (ticket !== undefined) Object.assign(row, ticketOf(ticket, data, time));
  // Read before the ticket is removed: the owner's row may be removed with it.
  const principal = principalOf(state, row.owner, entry);
  if (ticket !== undefined) removeTicket(state, ticket);
  putGrant(state, row, paths, { position: entry.position, principal });
}

/** The members of an event that only some grants have. */
interface GrantMembers {
  readonly keeper?: string;
  readonly job?: string;
  readonly grace_ms?: number;
  readonly max_hold_ms?: number;
}

/** The paths as a grant keeps them, without their order. */
function plainPaths(paths: readonly EventPath[]): readonly PathLock[] {
  const isPlain = paths.every(({ order }) => order === undefined);
  return isPlain ? paths : paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
}

/** The members of a grant that was a ticket. */
function ticketOf(ticket: string, data: JsonObject, time: number): Partial<GrantRow> {
  const { ticket_ms: ticketMs, accept_ms: acceptMs } = data as { readonly ticket_ms: number; accept_ms: number };
  return { ticket, ticketMs, acceptMs, acceptBy: time + acceptMs };
}

function putGrant(
  state: StateWriter,
  row: GrantRow,
  paths: readonly EventPath[],
  by: { readonly position: number; readonly principal: string },
): void {
  state.rows(grantTable).put(row);
  const holds = state.rows(holdTable);
  const seq = seqOf(row.fence, by.position);
  const { fence, owner } = row;
  for (const locked of paths) {
    const { path, mode, scope, order } = locked;
    if (order === undefined) holds.put({ path, mode, scope, fence, owner, seq });
    else holds.put({ path, mode, scope, fence, owner, seq, order });
    updatePathCounters(state, holdCounterTable, locked, 1);
  }
  countOwner(state, row.owner, { paths: paths.length }, by.principal);
}

function removeHolds(state: StateWriter, { fence, owner }: GrantRow, paths: readonly PathLock[]): void {
  const holds = state.rows(holdTable);
  for (const locked of paths) {
    holds.delete(`${locked.path}${gap}${fence}`);
    updatePathCounters(state, holdCounterTable, locked, -1);
  }
  countOwner(state, owner, { paths: -paths.length });
}

function existing(state: StateWriter, fence: unknown, entry: FoldedEntry): GrantRow {
  const row = state.rows(grantTable).get(fence as string);
  if (row === undefined)
    throw new Error(`entry ${String(entry.position)} names the fence ${String(fence)}, which has no grant`);
  return row;
}

function foldFreed(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const row = existing(state, data["fence"], entry);
  const names = data["paths"] as readonly string[] | undefined;
  if (names === undefined && row.paths.length === 1) {
    removeHolds(state, row, row.paths);
    state.rows(grantTable).delete(row.fence);
  } else freePaths(state, row, new Set(names ?? [data["resource_id"] as string]));
  if (data["contended"] === true) notePace(state, entry.time - row.acquiredAt);
}

/** Frees some paths of a set, or all of them. */
function freePaths(state: StateWriter, row: GrantRow, freed: ReadonlySet<string>): void {
  removeHolds(
    state,
    row,
    row.paths.filter(({ path }) => freed.has(path)),
  );
  const kept = row.paths.filter(({ path }) => !freed.has(path));
  if (kept.length === 0) state.rows(grantTable).delete(row.fence);
  else state.rows(grantTable).put({ ...row, paths: kept });
}

function foldExpired(state: StateWriter, event: Event, entry: FoldedEntry): void {
  noteMissed(state, event, existing(state, event.data["fence"], entry), entry);
  foldFreed(state, event, entry);
}

/** A moving average in which the last hold has a weight of a quarter. */
function notePace(state: StateWriter, holdMs: number): void {
  const rows = state.rows(lockSingletonTable);
  const before = (rows.get("pace") as LockPaceRow | undefined)?.holdMs ?? holdMs;
  rows.put({ key: "pace", holdMs: Math.round(before + (holdMs - before) / 4) });
}

/** The end of a lease that is renewed at this time. It never exceeds the maximum hold. */
export function renewedEnd(row: GrantRow, time: number): number {
  return isOver(row, time) ? row.expiresAt : leaseEnd(row, time);
}

function isOver({ acquiredAt, maxHoldMs }: GrantRow, time: number): boolean {
  return maxHoldMs !== undefined && time >= acquiredAt + maxHoldMs;
}

function renewed(row: GrantRow, time: number): GrantRow {
  const { acceptBy: _acceptBy, ...rest } = row;
  return isOver(row, time) ? rest : { ...rest, heartbeatAt: time, expiresAt: leaseEnd(row, time) };
}

function foldRefreshed(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const row = existing(state, data["fence"], entry);
  const { ttl_ms: ttlMs = row.ttlMs, note } = data as { readonly ttl_ms?: number; readonly note?: string };
  const changed = note === undefined ? { ...row, ttlMs } : { ...row, ttlMs, note };
  state.rows(grantTable).put(renewed(changed, entry.time));
}

/** The same grant with other modes or another owner, and always with a new fence. */
function foldChanged(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const { data } = event;
  const { upgrading: _upgrading, releaseRequests: _asked, ...before } = existing(state, data["previous_fence"], entry);
  const row = changedRequests(state, before, event, entry);
  const paths = pathsOf(data);
  const owner = data["owner_id"] as string;
  const principal = principalOf(state, owner, entry);
  state.rows(grantTable).delete(row.fence);
  removeHolds(state, row, row.paths);
  const ticket = data["ticket"] as string | undefined;
  if (ticket !== undefined) removeTicket(state, ticket);
  const plain = paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const changed = { ...row, fence: data["fence"] as string, owner, paths: plain };
  putGrant(state, ticket === undefined ? changed : { ...changed, ticket }, paths, {
    position: entry.position,
    principal,
  });
}

/** A grant that is transferred or adopted belongs to no request of its owner. An upgrade is one more request. */
function changedRequests(state: StateReader, row: GrantRow, { type, data }: Event, entry: FoldedEntry): GrantRow {
  if (type === "lock.downgraded") return row;
  if (type === "lock.upgraded") {
    const ticket = data["ticket"] as string | undefined;
    return addRequests(row, ticket === undefined ? requestOf(entry) : state.rows(ticketTable).get(ticket)?.requests);
  }
  const { requests: _requests, ...rest } = row;
  return rest;
}

/** The same owner continues with a new fence, a new keeper and a whole lease. */
function foldAdopted(state: StateWriter, event: Event, entry: FoldedEntry): void {
  foldChanged(state, event, entry);
  const row = existing(state, event.data["fence"], entry);
  const { keeper, job } = event.data as { readonly keeper: string; readonly job: string };
  state.rows(grantTable).put({ ...renewed(row, entry.time), keeper, job });
}

function foldAccepted(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const { acceptBy: _acceptBy, ...row } = existing(state, data["fence"], entry);
  state.rows(grantTable).put(row);
}

/** A request replaces an earlier one of its author. */
function foldReleaseRequested(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const row = existing(state, data["fence"], entry);
  const { by, by_owner: owner, reason } = data as { readonly by: string; by_owner?: string; readonly reason: string };
  const others = (row.releaseRequests ?? []).filter((request) => request.by !== by);
  const request: ReleaseRequestRow = owner === undefined ? { by, reason } : { by, owner, reason };
  const releaseRequests = [...others, request].slice(-lockLimits.releaseRequestsMax);
  state.rows(grantTable).put({ ...row, releaseRequests });
}

function foldJob(state: StateWriter, { data }: Event, entry: FoldedEntry): void {
  const { job: _job, ...row } = existing(state, data["fence"], entry);
  state.rows(grantTable).put(data["job"] === null ? row : { ...row, job: data["job"] as string });
}

/**
 * One heartbeat renews all grants that an agent owns, and those that it keeps for an active job, except overdue ones.
 * Those expire in the same entry, unless there is grace. A keeper whose attempt has ended may continue to run other
 * jobs. Its heartbeats must not hold the locks of the ended attempt.
 */
export function foldGrantBeats(state: StateWriter, { data }: Event, { time }: FoldedEntry): void {
  const grants = state.rows(grantTable);
  for (const owner of data["ids"] as readonly string[]) {
    const kept = grants
      .scan("keeper", { prefix: `${owner}${gap}`, limit: Infinity })
      .filter(({ job }) => job !== undefined);
    for (const fence of [...fencesOf(state, owner), ...kept.map((row) => row.fence)]) {
      const row = grants.get(fence);
      if (row === undefined) continue;
      const due = dueTime(row);
      if (due === undefined || due > time || data["grace"] === true) grants.put(renewed(row, time));
    }
  }
}

/** The fences of all grants of an owner. */
export function fencesOf(state: StateReader, owner: string): ReadonlySet<string> {
  const rows = state.rows(holdTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
  return new Set(rows.map(({ fence }) => fence));
}

import type { DecideContext, Decision } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { conflictingHolds, waitsAhead } from "./blockers.ts";
import type { LockRequest } from "./blockers.ts";
import { gap, grantTable, lockSingletonTable } from "../tables/lock-tables.ts";
import type { HoldRow, LockPaceRow } from "../tables/lock-tables.ts";
import { iso } from "../tables/lock-events.ts";
import { shownEnd } from "./grant-next.ts";
import { refused } from "../rules/owner.ts";
import { lockLimits } from "../tables/settings.ts";

/** The holder of a lock as other callers see it. */
export function holderView(state: StateReader, row: HoldRow): JsonObject {
  const grant = state.rows(grantTable).get(row.fence);
  const agent = findAgent(state, row.owner);
  return {
    owner_id: row.owner,
    name: agent?.name ?? null,
    purpose: grant?.purpose ?? agent?.purpose ?? null,
    note: grant?.note ?? null,
    path: row.path,
    mode: row.mode,
    scope: row.scope,
    fence: row.fence,
    since: iso(grant?.acquiredAt ?? 0),
    until: iso(shownEnd({ state }, row.owner, grant?.expiresAt ?? 0)),
  };
}

/** The blocking holders, earliest first. */
export function blockingHolders(state: StateReader, request: LockRequest): readonly HoldRow[] {
  const found = new Map<string, HoldRow>();
  for (const wanted of request.paths) {
    const wantedMax = lockLimits.namedMax - found.size;
    if (wantedMax <= 0) break;
    for (const row of conflictingHolds(state, wanted, request.owner, wantedMax))
      found.set(`${row.path}${gap}${row.fence}`, row);
  }
  return [...found.values()].sort((a, b) => (a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0));
}

/** Number of tickets ahead of a request, up to a maximum. A set counts once. */
export function countAhead(state: StateReader, request: LockRequest): number {
  const tickets = new Set<string>();
  for (const { ticket } of waitsAhead(state, request)) {
    tickets.add(ticket);
    if (tickets.size >= lockLimits.countedMax) break;
  }
  return tickets.size;
}

/** Number of blocking grants, up to a maximum. Computed only if the denial does not name all of them. */
function countHolders(state: StateReader, request: LockRequest, namedCount: number): number {
  if (namedCount < lockLimits.namedMax) return namedCount;
  const fences = new Set<string>();
  for (const wanted of request.paths) {
    const holds = conflictingHolds(state, wanted, request.owner, lockLimits.countedMax);
    for (const { path, fence } of holds) fences.add(`${path}${gap}${fence}`);
    if (fences.size >= lockLimits.countedMax) return lockLimits.countedMax;
  }
  return fences.size;
}

/** Estimate of the wait, from the duration of recent holds. */
export function estimateMs(state: StateReader, placesAhead: number): number | null {
  const pace = state.rows(lockSingletonTable).get("pace") as LockPaceRow | undefined;
  return pace === undefined ? null : pace.holdMs * placesAhead;
}

/** The data of a denial: the blockers, and the place that a ticket would get. */
export interface Denial extends JsonObject {
  readonly resource_id: string;
  readonly requested_by: string;
  readonly current_owner: string | null;
  readonly reason: string;
  readonly holders: readonly JsonObject[];
  readonly holders_total: number;
  readonly queue_length: number;
  readonly place: number;
}

interface FoundBlockers {
  readonly path: string;
  readonly requestedBy: string;
  /** The blocking holders that the denial names, earliest first. */
  readonly holders: readonly HoldRow[];
  readonly holdersTotal: number;
  /** Number of tickets ahead. */
  readonly ahead: number;
  readonly reason?: string | undefined;
}

export function denialOf(state: StateReader, found: FoundBlockers): Denial {
  const { holders, ahead } = found;
  const [first] = holders;
  return {
    resource_id: found.path,
    requested_by: found.requestedBy,
    current_owner: first?.owner ?? null,
    reason: found.reason ?? (first === undefined ? "other owners already wait for it" : "held by another owner"),
    holders: holders.map((row) => holderView(state, row)),
    holders_total: found.holdersTotal,
    queue_length: ahead,
    place: ahead + 1,
  };
}

/** The denial of a request without `wait`. */
export function deny({ state }: DecideContext, request: LockRequest, reason?: string): Decision {
  return refused("lock_denied", requestDenial(state, request, reason));
}

export function requestDenial(state: StateReader, request: LockRequest, reason?: string): Denial {
  const holders = blockingHolders(state, request);
  return denialOf(state, {
    path: request.paths[0]?.path ?? "",
    requestedBy: request.owner,
    holders,
    holdersTotal: countHolders(state, request, holders.length),
    ahead: countAhead(state, request),
    reason,
  });
}

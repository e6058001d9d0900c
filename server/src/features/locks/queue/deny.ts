import type { DecideContext, Decision } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { conflictingHolds, waitsAhead } from "./blockers.ts";
import type { Wish } from "./blockers.ts";
import { gap, grantTable, lockFactTable } from "../tables/lock-tables.ts";
import type { HoldRow, LockPaceRow } from "../tables/lock-tables.ts";
import { iso } from "../tables/lock-events.ts";
import { shownEnd } from "./grant-next.ts";
import { refused } from "../rules/owner.ts";
import { lockLimits } from "../tables/settings.ts";

/** Who has a lock, as others see it. */
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

/** Holders that are in the way, the earliest first. */
export function holdersInTheWay(state: StateReader, wish: Wish): readonly HoldRow[] {
  const found = new Map<string, HoldRow>();
  for (const wanted of wish.paths) {
    const wantedMax = lockLimits.namedMax - found.size;
    if (wantedMax <= 0) break;
    for (const row of conflictingHolds(state, wanted, wish.owner, wantedMax))
      found.set(`${row.path}${gap}${row.fence}`, row);
  }
  return [...found.values()].sort((a, b) => (a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0));
}

/** How many tickets are ahead of a request, up to a bound. Waiters of a set are counted once. */
export function countAhead(state: StateReader, wish: Wish): number {
  const tickets = new Set<string>();
  for (const { ticket } of waitsAhead(state, wish)) {
    tickets.add(ticket);
    if (tickets.size >= lockLimits.countedMax) break;
  }
  return tickets.size;
}

/** How many grants are in the way, up to a bound; it is looked at only if not all of them are named. */
function countHolders(state: StateReader, wish: Wish, namedCount: number): number {
  if (namedCount < lockLimits.namedMax) return namedCount;
  const fences = new Set<string>();
  for (const wanted of wish.paths) {
    const holds = conflictingHolds(state, wanted, wish.owner, lockLimits.countedMax);
    for (const { path, fence } of holds) fences.add(`${path}${gap}${fence}`);
    if (fences.size >= lockLimits.countedMax) return lockLimits.countedMax;
  }
  return fences.size;
}

/** About how long it takes until it is one's turn, if locks are held as long as they were lately. */
export function estimateMs(state: StateReader, placesAhead: number): number | null {
  const pace = state.rows(lockFactTable).get("pace") as LockPaceRow | undefined;
  return pace === undefined ? null : pace.holdMs * placesAhead;
}

/** The immediate answer to who does not want to wait: who is in the way, and the place that a ticket would get. */
export function denied({ state }: DecideContext, wish: Wish, reason?: string): Decision {
  const holders = holdersInTheWay(state, wish);
  const ahead = countAhead(state, wish);
  const [first] = holders;
  return refused("lock_denied", {
    resource_id: wish.paths[0]?.path ?? "",
    requested_by: wish.owner,
    current_owner: first?.owner ?? null,
    reason: reason ?? (first === undefined ? "others wait for it already" : "held by another owner"),
    holders: holders.map((row) => holderView(state, row)),
    holders_total: countHolders(state, wish, holders.length),
    queue_length: ahead,
    place: ahead + 1,
  });
}

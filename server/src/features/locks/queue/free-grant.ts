import type { DecideContext } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { cancelQueuedTicket, isWatched, shownEnd, grantNext, withOrder } from "./grant-next.ts";
import { nextFence } from "../tables/fence.ts";
import { lockAcquiredEvents, lockFreedEvents, iso } from "../tables/lock-events.ts";
import type { FreeingType } from "../tables/lock-events.ts";
import { ownPrefix } from "../tables/count-owner.ts";
import { dueTime, grantTable } from "../tables/lock-tables.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import { breakReleaseDeadlocks } from "./break-release-deadlocks.ts";

interface GrantEnd {
  readonly type: FreeingType;
  /** Only these paths; all paths by default. */
  readonly paths?: readonly string[];
  readonly note?: string | undefined;
  readonly more?: JsonObject | undefined;
}

/** Frees a grant or some of its paths, and grants the next tickets, all in this entry. */
export function freeGrant(context: DecideContext, row: GrantRow, end: GrantEnd): void {
  const { type, paths = row.paths.map(({ path }) => path), note, more } = end;
  const isWhole = paths.length === row.paths.length;
  // An upgrade covers all paths of its grant. If it were granted later, it would revive a released part.
  if (row.upgrading !== undefined) {
    cancelQueuedTicket(context, row.upgrading, isWhole ? "grant_ended" : "part_released");
  }
  const contended = isWatched(context, row.blockerId);
  for (const event of lockFreedEvents(context.state, type, row, paths, { contended, note, more })) context.emit(event);
  if (row.holdOffMs !== undefined && type !== "lock.released" && more?.["why"] !== "not_accepted")
    holdOff(context, row, paths);
  if (contended) grantNext(context, row.blockerId);
}

/**
 * For resources that cannot check a fence. If a holder ends without a release, Holdfast itself holds the lock for the
 * hold-off time, so no owner gets it.
 *
 * The same owner may have another live lock there. That lock stays valid, and everything around it is held off anyway.
 * An owner that missed one renewal may still write where it had the other lock.
 */
function holdOff(context: DecideContext, row: GrantRow, freed: readonly string[]): void {
  const purpose = `hold-off after ${row.owner} ended without a release`.slice(0, 500);
  const ttlMs = row.holdOffMs ?? 0;
  const paths = row.paths.filter(({ path }) => freed.includes(path));
  const events = lockAcquiredEvents(context.state, {
    fence: nextFence(context),
    owner: holdOffOwner,
    paths: withOrder(context, paths),
    terms: { ttlMs, purpose, metadata: { held_off_after: row.owner } },
    expiresAt: context.time + ttlMs,
    graceMs: undefined,
  });
  for (const event of events) context.emit(event);
}

/** Owners with this prefix belong to Holdfast. No caller can use one. */
const holdOffOwner = `${ownPrefix}hold-off`;

/** Expires an overdue lease unless the grace forbids it. Returns true if it did. */
export function expireIfDue(context: DecideContext, row: GrantRow): boolean {
  const due = dueTime(row);
  if (context.grace || due === undefined || due > context.time) return false;
  if (row.graceMs !== undefined && !isUnaccepted(row, context.time)) {
    const why = "the lease passed, the heartbeat is older than the grace, and no active job claims it";
    freeGrant(context, row, { type: "lock.recovered", more: { by: "holdfast", why } });
  } else {
    freeGrant(context, row, { type: "lock.expired", more: { why: reasonOf(row, context.time) } });
  }
  breakReleaseDeadlocks(context, row.owner, row.paths);
  return true;
}

function isUnaccepted(row: GrantRow, time: number): boolean {
  return row.acceptBy !== undefined && row.acceptBy <= time;
}

function reasonOf(row: GrantRow, time: number): string {
  if (isUnaccepted(row, time)) return "not_accepted";
  return row.maxHoldMs !== undefined && row.acquiredAt + row.maxHoldMs <= time ? "max_hold" : "lease";
}

/** The grant as replies show it. */
export function grantView(context: Pick<DecideContext, "state">, row: GrantRow): JsonObject {
  return {
    fence: row.fence,
    owner_id: row.owner,
    paths: row.paths as unknown as JsonObject[],
    acquired_at: iso(row.acquiredAt),
    expires_at: iso(shownEnd(context, row.owner, row.expiresAt)),
    ttl_seconds: row.ttlMs / 1000,
  };
}

/** The live grant with this fence, after overdue parts have ended. */
export function liveGrant(context: DecideContext, fence: string): GrantRow | undefined {
  const row = context.state.rows(grantTable).get(fence);
  return row === undefined || expireIfDue(context, row) ? undefined : row;
}

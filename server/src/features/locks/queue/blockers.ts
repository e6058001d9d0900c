/** The blockers of a request: holders, and earlier tickets that conflict with it. */
import { lockConflicts } from "@holdfast/sdk/base/lock-conflicts";
import type { StateReader } from "../../../machine/state.ts";
import { ancestorsOf } from "../tables/path-fault.ts";
import {
  gap,
  grantTable,
  holdKey,
  holdTable,
  holdCounterTable,
  queueKey,
  queuePrefix,
  waitTable,
  waitCounterTable,
} from "../tables/lock-tables.ts";
import type { HoldRow, WaitRelation, WaitRow } from "../tables/lock-tables.ts";
import type { PathLock, Mode } from "../tables/modes.ts";
import { isCovered } from "../tables/own-holds.ts";
import { anyConflict } from "../tables/path-counters.ts";

/** A request, queued or new. A new one has the rank Infinity: every ticket is ahead of it. */
export interface LockRequest {
  readonly owner: string;
  readonly rank: number;
  readonly paths: readonly PathLock[];
}

export type Blocker =
  | { readonly as: "holder"; readonly owner: string; readonly path: string; readonly row: HoldRow }
  | { readonly as: "waiter"; readonly owner: string; readonly path: string; readonly row: WaitRow };

/**
 * One blocker of a request; undefined if it can be granted. Tickets come before holders, and of the tickets the last
 * one. So in a long queue each ticket waits for the one before it, and only one is examined when a ticket leaves. An
 * owner never blocks itself.
 */
export function firstBlocker(state: StateReader, request: LockRequest): Blocker | undefined {
  for (const wanted of request.paths) {
    if (!anyConflict(state, waitCounterTable, wanted)) continue;
    const row = lastWaiter(state, wanted, request);
    // A re-entrant request must not wait behind tickets for a lock that its owner holds.
    if (row !== undefined && !isCovered(state, request.owner, wanted)) {
      return { as: "waiter", owner: row.owner, path: wanted.path, row };
    }
  }
  for (const wanted of request.paths) {
    if (!anyConflict(state, holdCounterTable, wanted)) continue;
    const [row] = conflictingHolds(state, wanted, request.owner, 1);
    if (row !== undefined) return { as: "holder", owner: row.owner, path: row.path, row };
  }
  return undefined;
}

/** Conflicting holds of other owners: on ancestors, on the path itself, then below it. */
export function conflictingHolds(
  state: StateReader,
  wanted: PathLock,
  owner: string,
  limit: number,
): readonly HoldRow[] {
  const found: HoldRow[] = [];
  for (const row of eachConflictingHold(state, wanted, owner)) {
    found.push(row);
    if (found.length >= limit) return found;
  }
  return found;
}

/** The same without a limit, for a caller that leaves some of them out. */
export function* eachConflictingHold(state: StateReader, wanted: PathLock, owner: string): Iterable<HoldRow> {
  if (!anyConflict(state, holdCounterTable, wanted)) return;
  const prefixes = ancestorsOf(wanted.path).map((ancestor) => `${ancestor}${gap}t`);
  prefixes.push(`${wanted.path}${gap}`);
  if (wanted.scope === "tree") prefixes.push(`${wanted.path}/`);
  for (const prefix of prefixes) {
    for (const mode of lockConflicts[wanted.mode]) yield* foreignHolds(state, mode, prefix, owner);
  }
}

const pageSize = 16;

function* foreignHolds(state: StateReader, mode: Mode, prefix: string, owner: string): Iterable<HoldRow> {
  const rows = state.rows(holdTable);
  let after: string | undefined;
  for (;;) {
    const page = rows.scan(mode, { prefix, after, limit: pageSize });
    for (const row of page) if (row.owner !== owner) yield row;
    const last = page.at(-1);
    if (page.length < pageSize || last === undefined) return;
    after = holdKey(last);
  }
}

/** The queues in which a wait conflicts with a path, seen from the path of each queue. */
export function* queuesFor(wanted: PathLock): Iterable<{ readonly path: string; readonly relation: WaitRelation }> {
  for (const path of ancestorsOf(wanted.path)) yield { path, relation: "t" };
  yield { path: wanted.path, relation: "t" };
  yield { path: wanted.path, relation: "s" };
  if (wanted.scope === "tree") yield { path: wanted.path, relation: "b" };
}

/** Tickets of other owners that are ahead of a request and conflict with one of its paths. A set may appear twice. */
export function* waitsAhead(state: StateReader, request: LockRequest): Iterable<WaitRow> {
  for (const wanted of request.paths) {
    if (!anyConflict(state, waitCounterTable, wanted) || isCovered(state, request.owner, wanted)) continue;
    for (const { path, relation } of queuesFor(wanted)) {
      if (state.rows(waitCounterTable).get(path) === undefined) continue;
      for (const mode of lockConflicts[wanted.mode]) yield* ahead(state, { path, relation, mode }, request);
    }
  }
}

/** All blockers of a request up to `limit`: each grant and each ticket once, holders first. */
export function blockersOf(state: StateReader, request: LockRequest, limit: number): readonly Blocker[] {
  const found = new Map<string, Blocker>();
  for (const wanted of request.paths) {
    if (found.size >= limit) break;
    for (const row of conflictingHolds(state, wanted, request.owner, limit)) {
      found.set(`fence ${row.fence}`, { as: "holder", owner: row.owner, path: row.path, row });
    }
  }
  for (const row of waitsAhead(state, request)) {
    if (found.size >= limit) break;
    found.set(`ticket ${row.ticket}`, { as: "waiter", owner: row.owner, path: row.path, row });
  }
  return [...found.values()].slice(0, limit);
}

/** The last conflicting ticket ahead on a path. */
function lastWaiter(state: StateReader, wanted: PathLock, request: LockRequest): WaitRow | undefined {
  let last: WaitRow | undefined;
  for (const { path, relation } of queuesFor(wanted)) {
    if (state.rows(waitCounterTable).get(path) === undefined) continue;
    for (const mode of lockConflicts[wanted.mode]) {
      for (const row of ahead(state, { path, relation, mode }, request)) {
        if (last === undefined || row.rank > last.rank) last = row;
        break;
      }
    }
  }
  return last;
}

/** Tickets of other owners in one queue that are ahead of a request, the last one first. */
export function* ahead(
  state: StateReader,
  queue: { readonly path: string; readonly relation: WaitRelation; readonly mode: Mode },
  request: Pick<LockRequest, "owner" | "rank">,
): Iterable<WaitRow> {
  const rows = state.rows(waitTable);
  const prefix = queuePrefix(queue.path, queue.relation, queue.mode);
  let after = request.rank === Infinity ? undefined : queueKey({ ...queue, rank: request.rank });
  for (let limit = 2; ; limit = pageSize) {
    const page = rows.scan("queue", { prefix, after, limit });
    for (const row of page) if (row.owner !== request.owner) yield row;
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    after = queueKey(last);
  }
}

/** The id under which tickets watch a blocker. It survives the grant of a ticket and every change of mode or owner. */
export function blockerIdOf(state: StateReader, blocker: Blocker): string {
  if (blocker.as === "waiter") return blocker.row.ticket;
  const grant = state.rows(grantTable).get(blocker.row.fence);
  if (grant === undefined) throw new Error(`the hold of ${blocker.row.fence} has no grant`);
  return grant.blockerId;
}

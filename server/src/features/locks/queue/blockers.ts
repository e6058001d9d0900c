/** Who is in the way of a request: holders, and those who wait already for something that conflicts with it. */
import { conflicts } from "@holdfast/sdk/base/lock-conflicts";
import type { StateReader } from "../../../machine/state.ts";
import { ancestorsOf } from "../tables/lock-path.ts";
import {
  gap,
  grantTable,
  holdKey,
  holdTable,
  holdTallyTable,
  lineKey,
  linePrefix,
  waitTable,
  waitTallyTable,
} from "../tables/lock-tables.ts";
import type { HoldRow, Standing, WaitRow } from "../tables/lock-tables.ts";
import type { LockedPath, Mode } from "../tables/modes.ts";
import { isCovered } from "../tables/own-holds.ts";
import { anyInTheWay } from "../tables/path-counters.ts";

/** A request, waiting or not. A new one has the rank Infinity: everybody who waits is ahead of it. */
export interface Wish {
  readonly owner: string;
  readonly rank: number;
  readonly paths: readonly LockedPath[];
}

export type Blocker =
  | { readonly as: "holder"; readonly owner: string; readonly path: string; readonly row: HoldRow }
  | { readonly as: "waiter"; readonly owner: string; readonly path: string; readonly row: WaitRow };

/**
 * One that is in the way; undefined if the request can be granted now. Those who wait come before those who hold, and
 * of those who wait the last one: so in a long line each waits for the one before it, and only one is looked at when
 * somebody leaves. What one owner holds or waits for is never in its own way.
 */
export function firstBlocker(state: StateReader, wish: Wish): Blocker | undefined {
  for (const wanted of wish.paths) {
    if (!anyInTheWay(state, waitTallyTable, wanted)) continue;
    const row = lastWaiter(state, wanted, wish);
    // Who re-enters what it has must not stand behind those who wait for it.
    if (row !== undefined && !isCovered(state, wish.owner, wanted)) {
      return { as: "waiter", owner: row.owner, path: wanted.path, row };
    }
  }
  for (const wanted of wish.paths) {
    if (!anyInTheWay(state, holdTallyTable, wanted)) continue;
    const [row] = conflictingHolds(state, wanted, wish.owner, 1);
    if (row !== undefined) return { as: "holder", owner: row.owner, path: row.path, row };
  }
  return undefined;
}

/** Holds of others that conflict with a path: of ancestors, of the path itself, then of what lies below. */
export function conflictingHolds(
  state: StateReader,
  wanted: LockedPath,
  owner: string,
  limit: number,
): readonly HoldRow[] {
  const found: HoldRow[] = [];
  if (!anyInTheWay(state, holdTallyTable, wanted)) return found;
  const prefixes = ancestorsOf(wanted.path).map((ancestor) => `${ancestor}${gap}t`);
  prefixes.push(`${wanted.path}${gap}`);
  if (wanted.scope === "tree") prefixes.push(`${wanted.path}/`);
  for (const prefix of prefixes) {
    for (const mode of conflicts[wanted.mode]) {
      for (const row of foreignHolds(state, mode, prefix, owner)) {
        found.push(row);
        if (found.length >= limit) return found;
      }
    }
  }
  return found;
}

const pageSize = 16;

function* foreignHolds(state: StateReader, mode: Mode, prefix: string, owner: string): Iterable<HoldRow> {
  const rows = state.rows(holdTable);
  let after: string | undefined;
  for (;;) {
    const page = rows.scan(mode, { prefix, ...(after === undefined ? {} : { after }), limit: pageSize });
    for (const row of page) if (row.owner !== owner) yield row;
    const last = page.at(-1);
    if (page.length < pageSize || last === undefined) return;
    after = holdKey(last);
  }
}

/** The places where a wait conflicts with a path, as seen from those places. */
export function* linesFor(wanted: LockedPath): Iterable<{ readonly path: string; readonly standing: Standing }> {
  for (const path of ancestorsOf(wanted.path)) yield { path, standing: "t" };
  yield { path: wanted.path, standing: "t" };
  yield { path: wanted.path, standing: "s" };
  if (wanted.scope === "tree") yield { path: wanted.path, standing: "b" };
}

/** Waits of others that are ahead of a request and conflict with one of its paths. A set that waits may come twice. */
export function* waitsAhead(state: StateReader, wish: Wish): Iterable<WaitRow> {
  for (const wanted of wish.paths) {
    if (!anyInTheWay(state, waitTallyTable, wanted) || isCovered(state, wish.owner, wanted)) continue;
    for (const { path, standing } of linesFor(wanted)) {
      if (state.rows(waitTallyTable).get(path) === undefined) continue;
      for (const mode of conflicts[wanted.mode]) yield* ahead(state, { path, standing, mode }, wish);
    }
  }
}

/** Everything that is in the way of a request, up to so many: each grant and each ticket once, holders first. */
export function blockersOf(state: StateReader, wish: Wish, limit: number): readonly Blocker[] {
  const found = new Map<string, Blocker>();
  for (const wanted of wish.paths) {
    if (found.size >= limit) break;
    for (const row of conflictingHolds(state, wanted, wish.owner, limit)) {
      found.set(`fence ${row.fence}`, { as: "holder", owner: row.owner, path: row.path, row });
    }
  }
  for (const row of waitsAhead(state, wish)) {
    if (found.size >= limit) break;
    found.set(`ticket ${row.ticket}`, { as: "waiter", owner: row.owner, path: row.path, row });
  }
  return [...found.values()].slice(0, limit);
}

/** Of those ahead that conflict with a path, the one right before. */
function lastWaiter(state: StateReader, wanted: LockedPath, wish: Wish): WaitRow | undefined {
  let last: WaitRow | undefined;
  for (const { path, standing } of linesFor(wanted)) {
    if (state.rows(waitTallyTable).get(path) === undefined) continue;
    for (const mode of conflicts[wanted.mode]) {
      for (const row of ahead(state, { path, standing, mode }, wish)) {
        if (last === undefined || row.rank > last.rank) last = row;
        break;
      }
    }
  }
  return last;
}

/** Waits of others in one line, ahead of a request, the last one first. */
export function* ahead(
  state: StateReader,
  line: { readonly path: string; readonly standing: Standing; readonly mode: Mode },
  wish: Pick<Wish, "owner" | "rank">,
): Iterable<WaitRow> {
  const rows = state.rows(waitTable);
  const prefix = linePrefix(line.path, line.standing, line.mode);
  let after = wish.rank === Infinity ? undefined : lineKey({ ...line, rank: wish.rank });
  for (let limit = 2; ; limit = pageSize) {
    const page = rows.scan("line", { prefix, ...(after === undefined ? {} : { after }), limit });
    for (const row of page) if (row.owner !== wish.owner) yield row;
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    after = lineKey(last);
  }
}

/** The id under which tickets watch a blocker. It survives the grant of a ticket and every change of mode or owner. */
export function blockerIdOf(state: StateReader, blocker: Blocker): string {
  if (blocker.as === "waiter") return blocker.row.ticket;
  const grant = state.rows(grantTable).get(blocker.row.fence);
  if (grant === undefined) throw new Error(`a hold of ${blocker.row.fence}, which is no grant`);
  return grant.blockerId;
}

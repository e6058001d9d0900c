/**
 * Counters at every path and its ancestors show whether a conflict is possible, without reading the holds. Most requests
 * meet no conflict, and need one look-up per ancestor to know it.
 */
import { lockConflicts } from "@holdfast/sdk/base/lock-conflicts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import type { TableSpec, TableWriter } from "../../../machine/table.ts";
import type { PathCounterRow } from "./lock-tables.ts";
import { modes, strength } from "./modes.ts";
import type { PathLock, Mode } from "./modes.ts";

type CounterTable = TableSpec<PathCounterRow, never>;

/**
 * Index of the first of three counters, by mode: for holds at the path with scope `tree`, with scope `self`, and below
 * it.
 */
const parts = { tree: 0, self: 3, below: 6 } as const;
const empty: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
/** The nine arrays with a single 1: most held paths are held once. */
const single: readonly (readonly number[])[] = empty.map((_, index) => empty.with(index, 1));

export function updatePathCounters(
  state: StateWriter,
  table: CounterTable,
  { path, mode, scope }: PathLock,
  by: 1 | -1,
): void {
  const rows = state.rows(table);
  addAt(rows, path, parts[scope] + strength[mode], by);
  const below = parts.below + strength[mode];
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1))
    addAt(rows, path.slice(0, slash), below, by);
}

function addAt(rows: TableWriter<PathCounterRow>, path: string, index: number, by: 1 | -1): void {
  const row = rows.get(path);
  const before = row?.counts ?? empty;
  if (by < 0 && isLast(before, index)) {
    rows.delete(path);
    return;
  }
  // Rows share these arrays. An array of its own would be an eighth of the memory of a lease.
  const counts = (before === empty && by > 0 ? single[index] : undefined) ?? added(before, index, by);
  rows.put(row?.eventsSinceList === undefined ? { path, counts } : { ...row, counts });
}

/** True if nothing remains when this counter goes down by one. */
function isLast(counts: readonly number[], index: number): boolean {
  for (let at = 0; at < counts.length; at += 1) if (counts[at] !== (at === index ? 1 : 0)) return false;
  return true;
}

function added(before: readonly number[], index: number, by: 1 | -1): readonly number[] {
  const counts = before.slice();
  counts[index] = (counts[index] ?? 0) + by;
  return counts;
}

/** True if something of any owner conflicts with this. */
export function anyConflict(state: StateReader, table: CounterTable, { path, mode, scope }: PathLock): boolean {
  const rows = state.rows(table);
  if (rows.size === 0) return false;
  const here = rows.get(path)?.counts;
  if (here !== undefined) {
    if (conflicting(here, parts.tree, mode) > 0 || conflicting(here, parts.self, mode) > 0) return true;
    if (scope === "tree" && conflicting(here, parts.below, mode) > 0) return true;
  }
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const above = rows.get(path.slice(0, slash))?.counts;
    if (above !== undefined && conflicting(above, parts.tree, mode) > 0) return true;
  }
  return false;
}

/** True if any owner has this mode or a stronger one at exactly this path, as a tree if `asTree` is set. */
export function anyAsStrong(
  state: StateReader,
  table: CounterTable,
  { path, mode, asTree }: { readonly path: string; readonly mode: Mode; readonly asTree: boolean },
): boolean {
  const counts = state.rows(table).get(path)?.counts;
  if (counts === undefined) return false;
  const count = (first: number, other: Mode): number => counts[first + strength[other]] ?? 0;
  return modes.some(
    (other) =>
      strength[other] >= strength[mode] && count(parts.tree, other) + (asTree ? 0 : count(parts.self, other)) > 0,
  );
}

/** Number of holders at exactly this path. */
export function countAt(state: StateReader, table: CounterTable, path: string): number {
  const counts = state.rows(table).get(path)?.counts ?? empty;
  return conflicting(counts, parts.tree, "write") + conflicting(counts, parts.self, "write");
}

function conflicting(counts: readonly number[], first: number, mode: Mode): number {
  let sum = 0;
  for (const other of lockConflicts[mode]) sum += counts[first + strength[other]] ?? 0;
  return sum;
}

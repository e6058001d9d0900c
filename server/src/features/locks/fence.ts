import type { DecideContext, EntryFacts } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { currentEpoch } from "../space/space-table.ts";
import { lockFactTable, sortable } from "./lock-tables.ts";
import type { LockFencesRow } from "./lock-tables.ts";

/**
 * The fence of the next grant: epoch and position of the entry. If the entry has granted something already, which
 * happens when it frees several locks or lets several readers in, a number is added.
 */
export function nextFence(context: DecideContext): string {
  const { state, position } = context;
  const last = state.rows(lockFactTable).get("fences") as LockFencesRow | undefined;
  const base = `${String(currentEpoch(state))}.${String(position)}`;
  return last?.position === position ? `${base}.${String(last.count)}` : base;
}

/** Remembers that a fence of this entry is used. */
export function noteFence(state: StateWriter, { position }: EntryFacts, pathCount: number): void {
  const rows = state.rows(lockFactTable);
  const last = rows.get("fences") as LockFencesRow | undefined;
  const before = last?.position === position ? last : { count: 0, pathCount: 0 };
  rows.put({ key: "fences", position, count: before.count + 1, pathCount: before.pathCount + pathCount });
}

/** For how many paths this entry has granted locks so far. */
export function grantedPathCount({ state, position }: DecideContext): number {
  const last = state.rows(lockFactTable).get("fences") as LockFencesRow | undefined;
  return last?.position === position ? last.pathCount : 0;
}

/** Orders grants as they were made. */
export function seqOf(fence: string, position: number): string {
  const within = fence.indexOf(".", fence.indexOf(".") + 1);
  return within < 0 ? sortable(position) : `${sortable(position)}.${fence.slice(within + 1).padStart(5, "0")}`;
}

/** The name of a ticket: epoch and position of the entry that queued it. */
export function nextTicket({ state, position }: DecideContext): string {
  return `${String(currentEpoch(state))}.${String(position)}`;
}

const upgradesFirst = 1e15;

export function rankAt(position: number, isUpgrade: boolean): number {
  return isUpgrade ? position : upgradesFirst + position;
}

import type { StateReader, StateWriter } from "../../machine/state.ts";
import { ownerTable } from "./lock-tables.ts";
import type { OwnerRow } from "./lock-tables.ts";

/** How much an owner holds and waits for: kept, so that nobody has to count. Nothing is kept of who has nothing. */
export function countOwner(
  state: StateWriter,
  owner: string,
  by: { readonly paths?: number; readonly tickets?: number; readonly waits?: number },
): void {
  const rows = state.rows(ownerTable);
  const before = countsOf(state, owner);
  const pathCount = before.pathCount + (by.paths ?? 0);
  const ticketCount = before.ticketCount + (by.tickets ?? 0);
  const waitCount = before.waitCount + (by.waits ?? 0);
  if (pathCount === 0 && ticketCount === 0) rows.delete(owner);
  else rows.put({ ...before, pathCount, ticketCount, waitCount });
}

export function countsOf(state: StateReader, owner: string): OwnerRow {
  return state.rows(ownerTable).get(owner) ?? { owner, pathCount: 0, ticketCount: 0, waitCount: 0 };
}

/** True if the owner's agent has ended: it gets nothing any more, and all that it has is being freed. */
export function isLeaving(state: StateReader, owner: string): boolean {
  return state.rows(ownerTable).get(owner)?.leaving !== undefined;
}

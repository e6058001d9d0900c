import type { StateReader, StateWriter } from "../../machine/state.ts";
import { ownerTable } from "./lock-tables.ts";
import type { OwnerRow } from "./lock-tables.ts";

/** How much an owner holds and waits for: kept, so that nobody has to count. Nothing is kept of who has nothing. */
export function countOwner(state: StateWriter, owner: string, by: { paths?: number; tickets?: number }): void {
  const rows = state.rows(ownerTable);
  const before = countsOf(state, owner);
  const pathCount = before.pathCount + (by.paths ?? 0);
  const ticketCount = before.ticketCount + (by.tickets ?? 0);
  if (pathCount === 0 && ticketCount === 0) rows.delete(owner);
  else rows.put({ owner, pathCount, ticketCount });
}

export function countsOf(state: StateReader, owner: string): OwnerRow {
  return state.rows(ownerTable).get(owner) ?? { owner, pathCount: 0, ticketCount: 0 };
}

import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { ownerTable } from "./lock-tables.ts";
import type { OwnerRow } from "./lock-tables.ts";

/** How much an owner holds and waits for: kept, so that nobody has to count. Nothing is kept of who has nothing. */
export function countOwner(
  state: StateWriter,
  owner: string,
  by: { readonly paths?: number; readonly tickets?: number; readonly waits?: number },
  principal = "",
): void {
  const rows = state.rows(ownerTable);
  // Who gives something back has a row; the principal is for whoever has nothing yet.
  const before = rows.get(owner) ?? { ...countsOf(state, owner), principal };
  const pathCount = before.pathCount + (by.paths ?? 0);
  const ticketCount = before.ticketCount + (by.tickets ?? 0);
  const waitCount = before.waitCount + (by.waits ?? 0);
  if (pathCount === 0 && ticketCount === 0) rows.delete(owner);
  else rows.put({ ...before, pathCount, ticketCount, waitCount });
}

/** Whose an owner is: it stays with its principal as long as it has something, in whoever's entry it is handed more. */
export function principalOf(state: StateReader, owner: string, entry: { readonly principal: string }): string {
  return state.rows(ownerTable).get(owner)?.principal ?? findAgent(state, owner)?.principal ?? entry.principal;
}

export function countsOf(state: StateReader, owner: string): Omit<OwnerRow, "principal"> {
  return state.rows(ownerTable).get(owner) ?? { owner, pathCount: 0, ticketCount: 0, waitCount: 0 };
}

/** True if the owner's agent has ended: it gets nothing any more, and all that it has is being freed. */
export function isLeaving(state: StateReader, owner: string): boolean {
  return state.rows(ownerTable).get(owner)?.leaving !== undefined;
}

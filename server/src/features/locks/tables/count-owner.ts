import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { ownerTable } from "./lock-tables.ts";
import type { OwnerRow } from "./lock-tables.ts";

/** Counts the locks and tickets of an owner, so that no rule has to. An owner without any has no row. */
export function countOwner(
  state: StateWriter,
  owner: string,
  by: { readonly paths?: number; readonly tickets?: number; readonly waits?: number },
  principal = "",
): void {
  const rows = state.rows(ownerTable);
  // An owner that releases has a row. The principal is for an owner without one.
  const before = rows.get(owner) ?? { ...countsOf(state, owner), principal };
  const pathCount = before.pathCount + (by.paths ?? 0);
  const ticketCount = before.ticketCount + (by.tickets ?? 0);
  const waitCount = before.waitCount + (by.waits ?? 0);
  if (pathCount === 0 && ticketCount === 0) rows.delete(owner);
  else rows.put({ ...before, pathCount, ticketCount, waitCount });
}

/** The principal of an owner. It stays while the owner has a lock or a ticket, whichever command grants it more. */
export function principalOf(state: StateReader, owner: string, entry: { readonly principal: string }): string {
  return state.rows(ownerTable).get(owner)?.principal ?? findAgent(state, owner)?.principal ?? entry.principal;
}

export function countsOf(state: StateReader, owner: string): Omit<OwnerRow, "principal"> {
  return state.rows(ownerTable).get(owner) ?? { owner, pathCount: 0, ticketCount: 0, waitCount: 0 };
}

/** True if the owner's agent has ended: it is granted nothing, and its locks are being freed. */
export function isLeaving(state: StateReader, owner: string): boolean {
  return state.rows(ownerTable).get(owner)?.leaving !== undefined;
}

import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { findAgent } from "../../agents/agent-table.ts";
import { ownerTable, principalTable } from "./lock-tables.ts";
import type { OwnerRow } from "./lock-tables.ts";

/** Owners with this prefix belong to Holdfast. */
export const ownPrefix = "holdfast:";
const ownPrincipal = "holdfast";

/** Counts the locks and tickets of an owner, so that no rule has to. An owner without any has no row. */
export function countOwner(
  state: StateWriter,
  owner: string,
  by: { readonly paths?: number; readonly tickets?: number; readonly waits?: number },
  principal = "",
): void {
  const rows = state.rows(ownerTable);
  // An owner that releases has a row. The principal is for an owner without one.
  const row = rows.get(owner);
  const before = row ?? noCounts;
  const pathCount = before.pathCount + (by.paths ?? 0);
  const ticketCount = before.ticketCount + (by.tickets ?? 0);
  const waitCount = before.waitCount + (by.waits ?? 0);
  if (pathCount === 0 && ticketCount === 0) rows.delete(owner);
  else if (row === undefined) rows.put({ owner, pathCount, ticketCount, waitCount, principal });
  else rows.put({ ...row, pathCount, ticketCount, waitCount });
  countPrincipal(state, row?.principal ?? principal, (by.paths ?? 0) + (by.waits ?? 0));
}

/** A principal without locks and tickets has no row. */
function countPrincipal(state: StateWriter, principal: string, by: number): void {
  const rows = state.rows(principalTable);
  const pathCount = pathsOfPrincipal(state, principal) + by;
  if (pathCount === 0) rows.delete(principal);
  else rows.put({ principal, pathCount });
}

/** Number of paths that the owners of a principal hold and wait for. */
export function pathsOfPrincipal(state: StateReader, principal: string): number {
  return state.rows(principalTable).get(principal)?.pathCount ?? 0;
}

/**
 * The principal of an owner. It stays while the owner has a lock or a ticket, whichever command grants it more. A
 * hold-off belongs to Holdfast, not to the principal whose command found the lease overdue.
 */
export function principalOf(state: StateReader, owner: string, entry: { readonly principal: string }): string {
  if (owner.startsWith(ownPrefix)) return ownPrincipal;
  return state.rows(ownerTable).get(owner)?.principal ?? findAgent(state, owner)?.principal ?? entry.principal;
}

type OwnerCounts = Pick<OwnerRow, "pathCount" | "ticketCount" | "waitCount" | "leaving">;

const noCounts: OwnerCounts = { pathCount: 0, ticketCount: 0, waitCount: 0 };

export function countsOf(state: StateReader, owner: string): OwnerCounts {
  return state.rows(ownerTable).get(owner) ?? noCounts;
}

/** True if the owner's agent has ended: it is granted nothing, and its locks are being freed. */
export function isLeaving(state: StateReader, owner: string): boolean {
  return state.rows(ownerTable).get(owner)?.leaving !== undefined;
}

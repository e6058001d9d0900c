import type { DecideContext } from "../../../machine/feature.ts";
import { currentEpoch } from "../../space/space-table.ts";
import { sortable } from "./lock-tables.ts";

/**
 * The fence of the next grant: epoch and position of the entry. If something came before it in this entry, the place in
 * the entry is added: an entry may free several locks and let several readers in, and each grant has its own fence.
 */
export function nextFence({ state, position, events }: DecideContext): string {
  const base = `${String(currentEpoch(state))}.${String(position)}`;
  return events.length === 0 ? base : `${base}.${String(events.length)}`;
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

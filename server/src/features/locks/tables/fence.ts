import type { DecideContext } from "../../../machine/feature.ts";
import { currentEpoch } from "../../space/space-table.ts";
import { sortable } from "./lock-tables.ts";

/**
 * The fence of the next grant: epoch and position of the entry. If the entry already has events, their number is
 * appended. An entry may free and grant several locks, and each grant has its own fence.
 */
export function nextFence({ state, position, events }: DecideContext): string {
  const base = `${String(currentEpoch(state))}.${String(position)}`;
  return events.length === 0 ? base : `${base}.${String(events.length)}`;
}

/** The sort key of a grant, in the order of creation. */
export function seqOf(fence: string, position: number): string {
  const within = fence.indexOf(".", fence.indexOf(".") + 1);
  return within < 0 ? sortable(position) : `${sortable(position)}.${fence.slice(within + 1).padStart(5, "0")}`;
}

/** The id of a ticket: epoch and position of the entry that queued it. */
export function nextTicket({ state, position }: DecideContext): string {
  return `${String(currentEpoch(state))}.${String(position)}`;
}

/** The id of a notify-only ticket. An entry may queue several, so each has the number of events before it. */
export function nextNotifyTicket(context: DecideContext): string {
  return `${nextTicket(context)}.${String(context.events.length + 1)}`;
}

/** Added to the rank of a ticket that is not an upgrade, so that upgrades sort first. */
const rankOffset = 1e15;
/** Maximum ranks of one entry. An entry has fewer events. */
const ranksPerEntry = 4_096;

/** The rank of an upgrade that is queued at a position. */
export function upgradeRank(position: number): number {
  return position;
}

/** The rank of any other ticket: by position, then by its number within the entry. */
export function rankOf(ticket: string, position: number): number {
  const [, , number = "0"] = ticket.split(".");
  return rankOffset + position * ranksPerEntry + Number(number);
}

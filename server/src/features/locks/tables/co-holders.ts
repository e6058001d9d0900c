/**
 * Each event about a path lists the other grants there. So the last event before a position, or a few of them, name the
 * holders of a path at that position. The length of the history does not matter.
 */
import type { Event } from "../../../machine/entry.ts";
import type { FoldedEntry, Fold } from "../../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { gap, holdTable, holdCounterTable } from "./lock-tables.ts";
import { modes } from "./modes.ts";
import { countAt } from "./path-counters.ts";

/**
 * Maximum co-holders that every event lists. Longer lists are recorded only at intervals, so that the journal does not
 * grow with the square of their number.
 */
const listedMax = 16;

/**
 * The members of an event that list the other holders of a path. `own` is the fence of the event's grant, if it is
 * held.
 */
export function coHoldersOf(state: StateReader, path: string, own?: string): JsonObject {
  const count = countAt(state, holdCounterTable, path) - (own === undefined ? 0 : 1);
  if (count <= 0) return {};
  const isListed = count <= listedMax || eventsSinceList(state, path) >= 4 * listedMax + 2 * count;
  return isListed ? { beside: fencesAt(state, path, own) } : { beside_count: count };
}

/** Adds the same members to the data of an event. Most paths have one holder, and need no member. */
export function addCoHolders(state: StateReader, data: Record<string, Json>, path: string, own?: string): void {
  if (countAt(state, holdCounterTable, path) > (own === undefined ? 0 : 1))
    Object.assign(data, coHoldersOf(state, path, own));
}

function eventsSinceList(state: StateReader, path: string): number {
  return state.rows(holdCounterTable).get(path)?.eventsSinceList ?? 0;
}

function fencesAt(state: StateReader, path: string, own: string | undefined): readonly string[] {
  const prefix = `${path}${gap}`;
  return modes
    .flatMap((mode) => state.rows(holdTable).scan(mode, { prefix, limit: Infinity }))
    .map(({ fence }) => fence)
    .filter((fence) => fence !== own);
}

/** Counts the events since the last complete list. The count exists only where many owners share a path. */
export function countingLists(fold: Fold): Fold {
  return (state: StateWriter, event: Event, entry: FoldedEntry) => {
    fold(state, event, entry);
    const { beside, beside_count: unlistedCount, resource_id: path } = event.data;
    if (beside === undefined && unlistedCount === undefined) return;
    const rows = state.rows(holdCounterTable);
    const row = rows.get(path as string);
    if (row === undefined || (unlistedCount === undefined && row.eventsSinceList === undefined)) return;
    const { eventsSinceList: before = 0, ...rest } = row;
    rows.put(unlistedCount === undefined ? rest : { ...rest, eventsSinceList: before + 1 });
  };
}

import type { StateWriter } from "../../machine/state.ts";
import { workTable } from "./job-tables.ts";
import type { WorkRow } from "./job-tables.ts";

/** Adds to a count of a kind of work. One without open lanes and free offers has no row. */
export function countWork(state: StateWriter, work: string, count: "openLanes" | "freeOffers", by: number): void {
  if (by === 0) return;
  const rows = state.rows(workTable);
  const { openLanes, freeOffers } = rows.get(work) ?? { openLanes: 0, freeOffers: 0 };
  const row: WorkRow = {
    work,
    openLanes: openLanes + (count === "openLanes" ? by : 0),
    freeOffers: freeOffers + (count === "freeOffers" ? by : 0),
  };
  if (row.openLanes + row.freeOffers === 0) rows.delete(work);
  else rows.put(row);
}

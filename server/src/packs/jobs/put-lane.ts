import type { StateWriter } from "../../machine/state.ts";
import { countWork } from "./count-work.ts";
import { laneTable } from "./job-tables.ts";
import type { LaneRow, ProjectRow } from "./job-tables.ts";
import { maySupply } from "./may-supply.ts";

/** Puts a lane with the turn of its project, and open or closed by its caps. An empty lane has no row. */
export function putLane(state: StateWriter, lane: LaneRow, project: ProjectRow): void {
  const rows = state.rows(laneTable);
  const { vt, last } = project;
  const isOpen = lane.ready > 0 && maySupply(state, lane, project);
  const wasOpen = rows.get(lane.lane)?.isOpen === true;
  if (lane.ready === 0) rows.delete(lane.lane);
  else rows.put({ ...lane, vt, last, isOpen });
  countWork(state, lane.work, "openLanes", (isOpen ? 1 : 0) - (wasOpen ? 1 : 0));
}

import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateWriter } from "../../machine/state.ts";
import { laneTable } from "./job-tables.ts";
import type { ProjectRow } from "./job-tables.ts";
import { maySupply } from "./may-supply.ts";
import { putLane } from "./put-lane.ts";

/** Compares the lanes of a project with its caps and its turn. */
export function refreshLanes(state: StateWriter, project: ProjectRow): void {
  if (project.lanes === 0) return;
  const prefix = `${project.project}${gap}`;
  for (const lane of state.rows(laneTable).scan("project", { prefix, limit: Infinity })) {
    const isOpen = maySupply(state, lane, project);
    if (lane.vt !== project.vt || lane.last !== project.last || lane.isOpen !== isOpen) putLane(state, lane, project);
  }
}

import type { StateReader } from "../../machine/state.ts";
import { isPaused, lockingCap, mapCap, projectCap, typeKey } from "./job-settings-table.ts";
import { workType } from "./job-tables.ts";
import type { LaneRow, ProjectRow } from "./job-tables.ts";

/** True if the caps allow a job of the lane to start. The dispatcher checks the same. */
export function maySupply(
  state: StateReader,
  { work, isMap }: Pick<LaneRow, "work" | "isMap">,
  { project, running, mapRunning, locking }: Pick<ProjectRow, "project" | "running" | "mapRunning" | "locking">,
): boolean {
  if (isPaused(state, typeKey(workType(work)))) return false;
  if (running >= projectCap(state, project) || locking >= lockingCap(state, project)) return false;
  return !isMap || mapRunning < mapCap(state, project);
}

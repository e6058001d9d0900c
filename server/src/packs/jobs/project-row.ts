import type { StateReader } from "../../machine/state.ts";
import { projectTable } from "./job-tables.ts";
import type { ProjectRow } from "./job-tables.ts";

/** A project without a row has no jobs, and its virtual time is not ahead of the others. */
export function projectRow(state: StateReader, project: string): ProjectRow {
  return (
    state.rows(projectTable).get(project) ?? {
      project,
      vt: 0,
      last: 0,
      running: 0,
      mapRunning: 0,
      locking: 0,
      backlog: 0,
      lanes: 0,
    }
  );
}

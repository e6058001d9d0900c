/** Keeps the tables of the pack consistent with its records and with the jobs that it submitted. */
import { workspaceMap, workspaceObject, workspaceSketch } from "@holdfast/sdk/contract";
import type { Fold } from "../../machine/feature.ts";
import { childCountTable, purgeTable, workspaceJobTable } from "./workspace-tables.ts";

const counted: readonly string[] = [workspaceMap.type, workspaceSketch.type, workspaceObject.type];

/** The place above a record that is counted: `workspace-map/p/m` is below `p`. */
function parentOf(subject: string): string | undefined {
  const slash = subject.indexOf("/");
  if (!counted.includes(subject.slice(0, slash))) return undefined;
  return subject.slice(slash + 1, subject.lastIndexOf("/"));
}

const count =
  (by: 1 | -1): Fold =>
  (state, { subject }) => {
    const place = parentOf(subject);
    if (place === undefined) return;
    const rows = state.rows(childCountTable);
    const children = (rows.get(place)?.children ?? 0) + by;
    if (children > 0) rows.put({ place, children });
    else rows.delete(place);
  };

const jobRequested: Fold = (state, { subject, data }) => {
  const { job, job_type: type } = data as { readonly job: string; readonly job_type: string };
  state.rows(workspaceJobTable).put({ job, type, project: subject.slice(subject.indexOf("/") + 1) });
};

/** A job that has ended cannot start again. A failed one can. */
const jobEnded: Fold = (state, { subject }) => {
  state.rows(workspaceJobTable).delete(subject.slice("job/".length));
};

const purgeStarted: Fold = (state, { data }, { position, time }) => {
  state.rows(purgeTable).put({ place: data["place"] as string, position, at: time });
};

const purgeContinued: Fold = (state, { data }, { position }) => {
  const { place, at } = data as { readonly place: string; readonly at: number };
  state.rows(purgeTable).put({ place, position, at });
};

const purged: Fold = (state, { data }) => {
  state.rows(purgeTable).delete(data["place"] as string);
};

const ignore: Fold = () => undefined;

export const workspaceFolds: Readonly<Record<string, Fold>> = {
  "entity.created": count(1),
  "entity.deleted": count(-1),
  "jobs.completed": jobEnded,
  "jobs.cancelled": jobEnded,
  "jobs.discarded": jobEnded,
  "workspace.job_requested": jobRequested,
  "workspace.purge_started": purgeStarted,
  "workspace.purge_continued": purgeContinued,
  "workspace.purged": purged,
  "workspace.objects_moved": ignore,
  "workspace.role_changed": ignore,
  "workspace.approval_requested": ignore,
  "workspace.approval_decided": ignore,
  "workspace.approval_used": ignore,
  "workspace.restore_began": ignore,
  "workspace.restore_ended": ignore,
};

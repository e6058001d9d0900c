/** The tables of the workspace. Its records are entities; these count them and name what is being removed. */
import { sortable } from "../../features/locks/tables/lock-tables.ts";
import type { TableSpec } from "../../machine/table.ts";

/** The number of records right below a project, a map or a sketch. */
interface ChildCountRow {
  /** `p`, `p/m` or `p/m/s`. */
  readonly place: string;
  readonly children: number;
}

export const childCountTable: TableSpec<ChildCountRow, never> = {
  name: "workspace-children",
  boundedBy: "quota",
  key: (row) => row.place,
  sorts: {},
  bytes: (row) => 150 + 2 * row.place.length,
};

/** A deleted project, map or sketch below which records and targets are being removed. */
interface PurgeRow {
  readonly place: string;
  /** The entry that removed the last part. It distinguishes the commands of one removal. */
  readonly position: number;
  /** The time of the next part. */
  readonly at: number;
}

export const purgeTable: TableSpec<PurgeRow, "at"> = {
  name: "workspace-purges",
  boundedBy: "quota",
  key: (row) => row.place,
  sorts: { at: (row) => `${sortable(row.at)} ${row.place}` },
};

/** A job that an operation of the pack submitted and that has not ended. Its fence replaces the role. */
export interface WorkspaceJobRow {
  readonly job: string;
  readonly type: string;
  readonly project: string;
}

export const workspaceJobTable: TableSpec<WorkspaceJobRow, never> = {
  name: "workspace-jobs",
  boundedBy: "quota",
  key: (row) => row.job,
  sorts: {},
};

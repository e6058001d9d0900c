/** The tables of schedules, and of the time zones that they use. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import { sortable } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import type { ZoneOffset } from "./next-cron-time.ts";

export interface ScheduleRow {
  readonly id: string;
  readonly cron: string;
  readonly zone: string;
  readonly overlap: "skip" | "queue";
  readonly catchUp: "last" | "none";
  /** The type of its jobs, whose path decides about rights. */
  readonly type: string;
  readonly job: JsonObject;
  readonly isPaused?: true;
  readonly nextAt?: number;
  readonly lastAt?: number;
  readonly lastJob?: string;
  readonly lastSkipped?: string;
  /** Approximate bytes of the job. */
  readonly size: number;
}

export const scheduleTable: TableSpec<ScheduleRow, "next" | "id"> = {
  name: "job-schedules",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: { next: (row) => (row.nextAt === undefined ? undefined : sortable(row.nextAt)), id: (row) => row.id },
  bytes: (row) => 500 + row.size,
};

/** The offsets of a time zone, as a node found them in its time zone database. The machine has no such database. */
export interface ZoneRow {
  readonly zone: string;
  /** The release of the database, such as `2026a`. A newer one replaces an older one. */
  readonly version: string;
  readonly offsets: readonly ZoneOffset[];
  /** The offsets are known until this time. The last one holds after it. */
  readonly until: number;
}

export const zoneTable: TableSpec<ZoneRow, "zone"> = {
  name: "job-zones",
  boundedBy: "quota",
  key: (row) => row.zone,
  sorts: { zone: (row) => row.zone },
  bytes: (row) => 200 + 50 * row.offsets.length,
};

export const utc = "UTC";

/** UTC needs no offsets. */
export function offsetsOf(state: StateReader, zone: string): readonly ZoneOffset[] {
  return state.rows(zoneTable).get(zone)?.offsets ?? [];
}

export const scheduleLimits = {
  /** Maximum schedules. A changed time zone moves all of its schedules in one entry. */
  schedulesMax: 1_000,
  /** Delay after which a run counts as missed. */
  missedMs: 60_000,
  /** Minimum time for which the offsets of a zone must be known when a schedule is put. */
  zoneAheadMs: 365 * 24 * 60 * 60 * 1_000,
} as const;

export function scheduleSubject(id: string): string {
  return `schedule/${id}`;
}

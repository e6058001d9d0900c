import type { jobsInternals } from "@holdfast/sdk/contract";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Decide } from "../../features/rule-of.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { nextCronTime } from "./next-cron-time.ts";
import { parseCron } from "./parse-cron.ts";
import { scheduleSubject, scheduleTable, zoneTable } from "./schedule-tables.ts";
import type { ZoneRow } from "./schedule-tables.ts";

/**
 * Stores the offsets of a time zone and moves its schedules to their new times. An older release of the time zone
 * database changes nothing, so nodes with different releases agree. Returns whether it changed something.
 */
export function setZone(found: ZoneRow, { state, time, emit }: DecideContext): boolean {
  const { zone, version, offsets, until } = found;
  const known = state.rows(zoneTable).get(zone);
  const isOlder =
    known !== undefined && (version < known.version || (version === known.version && until <= known.until));
  if (isOlder) return false;
  const data = { zone, version, offsets: offsets as unknown as JsonObject[], until };
  emit({ type: "jobs.zone_set", subject: "jobs", data });
  for (const row of state.rows(scheduleTable).scan("next", { limit: Infinity })) {
    const { id, type, nextAt = 0 } = row;
    // A run that is due is left to its timer.
    if (row.zone !== zone || nextAt <= time) continue;
    const cron = parseCron(row.cron);
    const next = "reason" in cron ? undefined : nextCronTime(cron, offsets, time);
    if (next === nextAt) continue;
    emit({ type: "jobs.schedule_timed", subject: scheduleSubject(id), data: defined({ type, next_at: next }) });
  }
  return true;
}

/** A node found offsets that the state lacks. */
export const updateZone: Decide<(typeof jobsInternals)["jobs.set-zone"]> = (zone, context) =>
  setZone(zone, context) ? { outcome: done({}), events: [] } : { outcome: refusal("not_due"), events: [] };

import { assignment, mission } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { childrenOf, gap, planTable, textOf, valueOf } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";
import { comparable, overlaps } from "./times.ts";
import type { TimeRange } from "./times.ts";

/** An assignment that occupies, or would occupy, its collaborator's time. */
export interface Booking extends TimeRange {
  readonly id: string;
  readonly mission: string;
  readonly collaborator: string;
}

export function bookingOf(id: string, value: JsonObject): Booking {
  return {
    id,
    mission: textOf(value, "mission_id"),
    collaborator: textOf(value, "collaborator_id"),
    from: textOf(value, "from"),
    to: textOf(value, "to"),
  };
}

/** The assignments of a mission that occupy time. */
export function assignmentsOf(state: StateReader, missionId: string): readonly Booking[] {
  const rows = childrenOf(state, assignment.type, missionId, { limit: planningLimits.assignmentsPerMission });
  return rows.flatMap(({ id }) => {
    const value = valueOf(state, assignment.type, id);
    return value === undefined || value["archived"] === true ? [] : [bookingOf(id, value)];
  });
}

/**
 * The clashes of these bookings: with other bookings of the same collaborators, and with each other. Existing bookings
 * of a collaborator never overlap, so one look-up in the order of time finds a clash.
 */
export function clashesWith(state: StateReader, wanted: readonly Booking[]): readonly JsonObject[] {
  const own = new Set(wanted.map(({ id }) => id));
  const clashes: JsonObject[] = [];
  for (const booking of wanted) {
    for (const other of bookedDuring(state, booking)) {
      if (!own.has(other.id)) clashes.push(clash(state, booking, other));
    }
  }
  return [...clashes, ...clashesAmong(state, wanted)];
}

function bookedDuring(state: StateReader, wanted: Booking): readonly Booking[] {
  const found: Booking[] = [];
  const prefix = `${wanted.collaborator}${gap}`;
  let after = `${prefix}${comparable(wanted.from)}`;
  for (;;) {
    const [row] = state.rows(planTable).scan("booking", { prefix, after, limit: 1 });
    const value = row === undefined ? undefined : valueOf(state, assignment.type, row.id);
    if (row?.bookedTo === undefined || value === undefined) return found;
    const booking = bookingOf(row.id, value);
    if (!overlaps(booking, wanted)) return found;
    found.push(booking);
    after = `${prefix}${row.bookedTo}`;
  }
}

/** Bookings are sorted by collaborator and time. Only neighbours can clash first, so the sweep is short. */
function clashesAmong(state: StateReader, wanted: readonly Booking[]): readonly JsonObject[] {
  const sorted = [...wanted].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  return sorted.flatMap((booking, index) => {
    const clashes: JsonObject[] = [];
    for (let next = index + 1; next < sorted.length; next += 1) {
      const other = sorted[next];
      if (other?.collaborator !== booking.collaborator || !overlaps(booking, other)) break;
      clashes.push(clash(state, booking, other));
    }
    return clashes;
  });
}

function sortKey({ collaborator, from, id }: Booking): string {
  return `${collaborator}${gap}${comparable(from)}${gap}${id}`;
}

function clash(state: StateReader, wanted: Booking, other: Booking): JsonObject {
  return {
    collaborator_id: wanted.collaborator,
    assignment_id: wanted.id,
    mission_id: wanted.mission,
    from: wanted.from,
    to: wanted.to,
    other_assignment_id: other.id,
    other_mission_id: other.mission,
    other_mission_name: textOf(valueOf(state, mission.type, other.mission) ?? {}, "name"),
    other_from: other.from,
    other_to: other.to,
  };
}

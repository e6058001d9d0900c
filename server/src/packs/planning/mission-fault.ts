import { collaborator, reopenMission } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindContext } from "../../features/entities/kind-context.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { assignmentsOf, clashesWith } from "./bookings.ts";
import type { Booking } from "./bookings.ts";
import type { ChangeRule } from "./lineage.ts";
import { isActive, textOf, valueOf } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";
import { contains, rangeFault } from "./times.ts";
import type { TimeRange } from "./times.ts";

/** The allowed transitions of a mission by every operation. */
const transitions: Readonly<Record<string, readonly string[]>> = {
  draft: ["planned", "cancelled"],
  planned: ["locked", "cancelled"],
  locked: ["completed"],
  completed: [],
  cancelled: [],
};

/** The further transitions that one operation allows, which only operators may send. */
const transitionsOf: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [reopenMission.name]: { locked: ["planned"] },
};

export const missionFault: ChangeRule = ({ next, previous }, context) => {
  if (next === undefined) return deletionFault(previous ?? {});
  if (previous === undefined) return next["status"] === "draft" ? ownRangeFault(next) : transitionRefusal("", "draft");
  const isTransition = next["status"] !== previous["status"];
  if (isTransition) return transitionFault(next, previous, context);
  if (next["archived"] !== previous["archived"]) return isActive(previous) ? activeRefusal(previous) : undefined;
  if (textOf(previous, "status") !== "draft" && textOf(previous, "status") !== "planned") {
    return refuse("mission_closed", { status: textOf(previous, "status") });
  }
  return ownRangeFault(next) ?? rangeChangeFault(next, previous, context);
};

/** Only a draft or cancelled mission may be deleted. The other missions are part of the record. */
function deletionFault(previous: JsonObject): KindRefusal | undefined {
  const status = textOf(previous, "status");
  return status === "draft" || status === "cancelled" ? undefined : activeRefusal(previous);
}

function activeRefusal(value: JsonObject): KindRefusal {
  const status = textOf(value, "status");
  return refuse("transition_invalid", { status, allowed: transitions[status] ?? [], wanted: "archived or deleted" });
}

function transitionRefusal(from: string, wanted: string): KindRefusal {
  return refuse("transition_invalid", { status: from, wanted, allowed: transitions[from] ?? ["draft"] });
}

/** A transition changes the status and nothing else. */
function transitionFault(next: JsonObject, previous: JsonObject, context: KindContext): KindRefusal | undefined {
  const [from, to] = [textOf(previous, "status"), textOf(next, "status")];
  const allowed = [...(transitions[from] ?? []), ...(transitionsOf[context.operation]?.[from] ?? [])];
  if (!allowed.includes(to)) return transitionRefusal(from, to);
  const others = Object.keys({ ...next, ...previous }).filter((field) => field !== "status");
  const changed = others.filter((field) => next[field] !== previous[field]);
  if (changed.length > 0) return refuse("transition_invalid", { status: from, wanted: to, allowed: [], changed });
  // A planned mission meets these conditions after every change, so they are checked once.
  return from === "draft" && to === "planned" ? planningFault(next, context) : undefined;
}

function planningFault(next: JsonObject, { state, id }: KindContext): KindRefusal | undefined {
  const assignments = assignmentsOf(state, id);
  const missing: string[] = [];
  if (rangeOf(next) === undefined) missing.push("a time range: from and to");
  if (assignments.length === 0) missing.push("at least one assignment");
  if (missing.length > 0) return refuse("prerequisite_missing", { missing });
  return archivedFault(state, assignments) ?? clashFault(clashesWith(state, assignments));
}

/** A collaborator of a draft may have been archived in the meantime. */
function archivedFault(state: StateReader, assignments: readonly Booking[]): KindRefusal | undefined {
  const { type } = collaborator;
  const archivedBooking = assignments.find(
    (booking) => valueOf(state, type, booking.collaborator)?.["archived"] === true,
  );
  return archivedBooking === undefined
    ? undefined
    : refuse("archived", { archived: { type, id: archivedBooking.collaborator } });
}

export function clashFault(clashes: readonly JsonObject[]): KindRefusal | undefined {
  if (clashes.length === 0) return undefined;
  return refuse("booking_clash", {
    clashes: clashes.slice(0, planningLimits.clashesNamed),
    clash_count: clashes.length,
  });
}

export function rangeOf(value: JsonObject): TimeRange | undefined {
  const range = { from: textOf(value, "from"), to: textOf(value, "to") };
  return range.from === "" || range.to === "" ? undefined : range;
}

function ownRangeFault(next: JsonObject): KindRefusal | undefined {
  if ((next["from"] === undefined) !== (next["to"] === undefined)) {
    return refuse("range_invalid", { reason: "from and to must be set together" });
  }
  const range = rangeOf(next);
  const reason = range === undefined ? undefined : rangeFault(range);
  return reason === undefined ? undefined : refuse("range_invalid", { reason });
}

/** The range of a mission may change while its assignments stay inside. */
function rangeChangeFault(next: JsonObject, previous: JsonObject, context: KindContext): KindRefusal | undefined {
  if (next["from"] === previous["from"] && next["to"] === previous["to"]) return undefined;
  const range = rangeOf(next);
  if (range === undefined && isActive(next)) {
    return refuse("prerequisite_missing", { missing: ["a time range: from and to"] });
  }
  const assignments = assignmentsOf(context.state, context.id);
  const outside = assignments.filter((booking) => range === undefined || !contains(range, booking));
  return outside.length === 0 ? undefined : refuse("outside_range", { outside: outside.map(outsideView) });
}

function outsideView({ id, from, to, collaborator }: Booking): JsonObject {
  return { assignment_id: id, collaborator_id: collaborator, from, to };
}

import { assignment, collaborator, mission, project } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindContext } from "../../features/entities/kind-context.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { assignmentsOf, bookingOf, clashesWith } from "./bookings.ts";
import type { ChangeRule } from "./lineage.ts";
import { clashFault, rangeOf } from "./mission-fault.ts";
import { childrenOf, isActive, textOf, valueOf } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";
import { contains, rangeFault } from "./times.ts";

export const assignmentFault: ChangeRule = ({ next, previous }, context) => {
  const value = next ?? previous ?? {};
  const missionId = textOf(value, "mission_id");
  const missionValue = valueOf(context.state, mission.type, missionId) ?? {};
  const status = textOf(missionValue, "status");
  if (status !== "draft" && status !== "planned") return refuse("mission_closed", { mission_id: missionId, status });
  if (next === undefined || next["archived"] === true) return leavingFault(missionValue, missionId, context);
  return (
    (previous === undefined ? limitFault(missionId, context) : undefined) ??
    assigneeFault(next, missionValue, context) ??
    timeFault(next, missionValue) ??
    (isActive(missionValue) ? clashFault(clashesWith(context.state, [bookingOf(context.id, next)])) : undefined)
  );
};

/** A planned mission keeps at least one assignment. */
function leavingFault(
  missionValue: JsonObject,
  missionId: string,
  { state, id }: KindContext,
): KindRefusal | undefined {
  if (!isActive(missionValue)) return undefined;
  if (assignmentsOf(state, missionId).some((other) => other.id !== id)) return undefined;
  return refuse("prerequisite_missing", { missing: ["at least one assignment"] });
}

function limitFault(missionId: string, { state }: KindContext): KindRefusal | undefined {
  const limit = planningLimits.assignmentsPerMission;
  const rows = childrenOf(state, assignment.type, missionId, { limit });
  return rows.length < limit ? undefined : refuse("too_many", { limit });
}

function assigneeFault(next: JsonObject, missionValue: JsonObject, { state }: KindContext): KindRefusal | undefined {
  const id = textOf(next, "collaborator_id");
  const assignee = valueOf(state, collaborator.type, id);
  if (assignee === undefined) return refuse("parent_not_found", { field: "collaborator_id", id });
  if (assignee["archived"] === true) return refuse("archived", { archived: { type: collaborator.type, id } });
  const organizationId = organizationOf(state, missionValue);
  if (assignee["organization_id"] === organizationId) return undefined;
  return refuse("other_organization", { collaborator_id: id, organization_id: organizationId });
}

function organizationOf(state: StateReader, missionValue: JsonObject): string {
  return textOf(valueOf(state, project.type, textOf(missionValue, "project_id")) ?? {}, "organization_id");
}

function timeFault(next: JsonObject, missionValue: JsonObject): KindRefusal | undefined {
  const range = { from: textOf(next, "from"), to: textOf(next, "to") };
  const reason = rangeFault(range);
  if (reason !== undefined) return refuse("range_invalid", { reason });
  const missionRange = rangeOf(missionValue);
  if (missionRange === undefined) return refuse("prerequisite_missing", { missing: ["the mission's from and to"] });
  if (contains(missionRange, range)) return undefined;
  return refuse("outside_range", {
    mission: { id: textOf(next, "mission_id"), from: missionRange.from, to: missionRange.to },
    outside: [{ ...range }],
  });
}

import { assignment, collaborator, mission, project } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind.ts";
import type { KindContext, KindRefusal } from "../../features/entities/kind.ts";
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
  const ofMission = valueOf(context.state, mission.type, missionId) ?? {};
  const status = textOf(ofMission, "status");
  if (status !== "draft" && status !== "planned") return refuse("mission_closed", { mission_id: missionId, status });
  if (next === undefined || next["archived"] === true) return leavingFault(ofMission, missionId, context);
  return (
    (previous === undefined ? limitFault(missionId, context) : undefined) ??
    whoFault(next, ofMission, context) ??
    whenFault(next, ofMission) ??
    (isActive(ofMission) ? clashFault(clashesWith(context.state, [bookingOf(context.id, next)])) : undefined)
  );
};

/** A planned mission keeps at least one assignment. */
function leavingFault(ofMission: JsonObject, missionId: string, { state, id }: KindContext): KindRefusal | undefined {
  if (!isActive(ofMission)) return undefined;
  if (assignmentsOf(state, missionId).some((other) => other.id !== id)) return undefined;
  return refuse("prerequisite_missing", { missing: ["at least one assignment"] });
}

function limitFault(missionId: string, { state }: KindContext): KindRefusal | undefined {
  const limit = planningLimits.assignmentsPerMission;
  const rows = childrenOf(state, assignment.type, missionId, { limit });
  return rows.length < limit ? undefined : refuse("too_many", { limit });
}

function whoFault(next: JsonObject, ofMission: JsonObject, { state }: KindContext): KindRefusal | undefined {
  const id = textOf(next, "collaborator_id");
  const who = valueOf(state, collaborator.type, id);
  if (who === undefined) return refuse("parent_not_found", { field: "collaborator_id", id });
  if (who["archived"] === true) return refuse("archived", { archived: { type: collaborator.type, id } });
  const organizationId = organizationOf(state, ofMission);
  if (who["organization_id"] === organizationId) return undefined;
  return refuse("other_organization", { collaborator_id: id, organization_id: organizationId });
}

function organizationOf(state: StateReader, ofMission: JsonObject): string {
  return textOf(valueOf(state, project.type, textOf(ofMission, "project_id")) ?? {}, "organization_id");
}

function whenFault(next: JsonObject, ofMission: JsonObject): KindRefusal | undefined {
  const range = { from: textOf(next, "from"), to: textOf(next, "to") };
  const reason = rangeFault(range);
  if (reason !== undefined) return refuse("range_invalid", { reason });
  const around = rangeOf(ofMission);
  if (around === undefined) return refuse("prerequisite_missing", { missing: ["the mission's from and to"] });
  if (contains(around, range)) return undefined;
  return refuse("outside_range", { mission: { from: around.from, to: around.to }, outside: [{ ...range }] });
}

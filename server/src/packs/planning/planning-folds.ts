/** Keeps the plan table consistent with the entities of planning. These folds never change. */
import { assignment, planning } from "@holdfast/sdk/contract";
import type { Fold } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { childrenOf, planRowOf, planTable } from "./plan-table.ts";
import type { PlanRow } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";

const types = new Set(planning.resources.map(({ type }) => type));

/** The entity itself is already folded: features fold in the order of their needs. */
const updatePlanTable: Fold = (state, event) => {
  const slash = event.subject.indexOf("/");
  const type = event.subject.slice(0, slash);
  if (!types.has(type)) return;
  const target = { type, id: event.subject.slice(slash + 1) };
  const wasActive = state.rows(planTable).get(event.subject)?.isActive;
  const isActive = updateRow(state, event.subject, target)?.isActive;
  if (isActive !== wasActive) updateBookings(state, target.id);
};

function updateRow(state: StateWriter, subject: string, target: { type: string; id: string }): PlanRow | undefined {
  const row = planRowOf(state, subject, target);
  if (row === undefined) state.rows(planTable).delete(subject);
  else state.rows(planTable).put(row);
  return row;
}

/** A mission that becomes planned books its collaborators. A cancelled or completed mission frees them. */
function updateBookings(state: StateWriter, missionId: string): void {
  const rows = childrenOf(state, assignment.type, missionId, { limit: planningLimits.assignmentsPerMission });
  for (const row of rows) updateRow(state, row.subject, row);
}

export const planningFolds: Readonly<Record<string, Fold>> = {
  "entity.created": updatePlanTable,
  "entity.replaced": updatePlanTable,
  "entity.merged": updatePlanTable,
  "entity.patched": updatePlanTable,
  "entity.deleted": updatePlanTable,
};

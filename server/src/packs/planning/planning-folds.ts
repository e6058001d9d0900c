/** Keeps the plan table consistent with the entities of planning. These folds never change. */
import { assignment } from "@holdfast/sdk/contract";
import type { Fold } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { childrenOf, planRowOf, planTable } from "./plan-table.ts";
import type { PlanRow } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";

/** The entity itself is already folded: features fold in the order of their needs. */
const keepInStep: Fold = (state, event) => {
  const slash = event.subject.indexOf("/");
  const target = { type: event.subject.slice(0, slash), id: event.subject.slice(slash + 1) };
  if (!target.type.startsWith("planning-")) return;
  const wasActive = state.rows(planTable).get(event.subject)?.isActive;
  const isActive = keepRow(state, event.subject, target)?.isActive;
  if (isActive !== wasActive) keepBookings(state, target.id);
};

function keepRow(state: StateWriter, subject: string, target: { type: string; id: string }): PlanRow | undefined {
  const row = planRowOf(state, subject, target);
  if (row === undefined) state.rows(planTable).delete(subject);
  else state.rows(planTable).put(row);
  return row;
}

/** A mission that becomes planned books its collaborators. A cancelled or completed mission frees them. */
function keepBookings(state: StateWriter, missionId: string): void {
  const rows = childrenOf(state, assignment.type, missionId, { limit: planningLimits.assignmentsPerMission });
  for (const row of rows) keepRow(state, row.subject, row);
}

export const planningFolds: Readonly<Record<string, Fold>> = {
  "entity.created": keepInStep,
  "entity.replaced": keepInStep,
  "entity.merged": keepInStep,
  "entity.patched": keepInStep,
  "entity.deleted": keepInStep,
};

import { assignment } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind-refusal.ts";
import { gap, planTable } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";
import type { ChangeRule } from "./lineage.ts";

/** A booked collaborator cannot be archived, and one with any assignment cannot be deleted: the plan would be wrong. */
export const collaboratorFault: ChangeRule = ({ next, previous }, { state, id }) => {
  const isArchived = next?.["archived"] === true && previous?.["archived"] !== true;
  if (next !== undefined && !isArchived) return undefined;
  const sortName = next === undefined ? "collaborator" : "booking";
  const rows = state.rows(planTable).scan(sortName, { prefix: `${id}${gap}`, limit: planningLimits.usersNamed });
  if (rows.length === 0) return undefined;
  return refuse("in_use", { used_by: rows.map((row) => ({ type: assignment.type, id: row.id })) });
};

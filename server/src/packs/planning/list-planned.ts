import { assignment } from "@holdfast/sdk/contract";
import type { Resource } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { ListedPage } from "../pack-rules.ts";
import { gap, planTable, valueOf } from "./plan-table.ts";
import type { PlanRow } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";

const pageSize = 100;
const parentFilters = ["organization_id", "project_id", "mission_id"];
/** The members of the input that are not filters. */
const paging = ["after", "limit"];

/** A page of resources in the order of their ids. The number of rows that filters discard is bounded too. */
export function listPlanned(state: StateReader, resource: Resource, input: JsonObject): ListedPage {
  const limit = typeof input["limit"] === "number" ? input["limit"] : pageSize;
  const rows = candidates(state, resource, input);
  const ids: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (matches(valueOf(state, row.type, row.id), input)) ids.push(row.id);
    const isLast = index === rows.length - 1 && rows.length < planningLimits.rowsPerPage;
    if (ids.length === limit) return { ids, next: isLast ? null : row.id };
  }
  const last = rows.at(-1);
  return { ids, next: rows.length < planningLimits.rowsPerPage || last === undefined ? null : last.id };
}

/** The rows of the most selective filter: of a parent, of a collaborator, or all of the type. */
function candidates(state: StateReader, { type }: Resource, input: JsonObject): readonly PlanRow[] {
  const parent = parentFilters.map((field) => input[field]).find((id) => typeof id === "string");
  const collaboratorId = input["collaborator_id"];
  if (type === assignment.type && parent === undefined && typeof collaboratorId === "string") {
    return scan(state, "collaborator", `${collaboratorId}${gap}`, input);
  }
  if (parent !== undefined) return scan(state, "child", `${type}${gap}${parent}${gap}`, input);
  return scan(state, "type", `${type}${gap}`, input);
}

function scan(state: StateReader, sort: "child" | "collaborator" | "type", prefix: string, input: JsonObject) {
  const after = typeof input["after"] === "string" ? `${prefix}${input["after"]}` : undefined;
  return state.rows(planTable).scan(sort, { prefix, after, limit: planningLimits.rowsPerPage });
}

function matches(value: JsonObject | undefined, input: JsonObject): boolean {
  if (value === undefined) return false;
  return Object.keys(input).every((field) => paging.includes(field) || value[field] === input[field]);
}

import { assignment, collaborator, mission, organization, project } from "@holdfast/sdk/contract";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindContext } from "../../features/entities/kind-context.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { childrenOf, foldCase, gap, planTable, textOf, valueOf } from "./plan-table.ts";
import { planningLimits } from "./planning-limits.ts";

/** The parent of each resource: the field with its id, and its type. */
const parents: Readonly<Record<string, { readonly field: string; readonly type: string }>> = {
  [project.type]: { field: "organization_id", type: organization.type },
  [collaborator.type]: { field: "organization_id", type: organization.type },
  [mission.type]: { field: "project_id", type: project.type },
  [assignment.type]: { field: "mission_id", type: mission.type },
};

function parentOf(type: string): { readonly field: string; readonly type: string } | undefined {
  return Object.hasOwn(parents, type) ? parents[type] : undefined;
}

/** A change of a resource as its rule sees it. */
interface ResourceChange {
  readonly type: string;
  readonly next: JsonObject | undefined;
  readonly previous: JsonObject | undefined;
}

/** Returns the refusal of a change, or undefined. */
export type ChangeRule = (change: ResourceChange, context: KindContext) => KindRefusal | undefined;

/** The rule of every resource: its parent never changes, and nothing in or below an archived resource changes. */
export function lineageFault(change: ResourceChange, { state }: KindContext): KindRefusal | undefined {
  const { type, next, previous } = change;
  const parent = parentOf(type);
  const value = next ?? previous ?? {};
  if (parent !== undefined) {
    if (previous !== undefined && next !== undefined && previous[parent.field] !== next[parent.field]) {
      return refuse("field_fixed", { field: parent.field });
    }
    const fault = ancestorFault(state, parent, textOf(value, parent.field));
    if (fault !== undefined) return fault;
  }
  if (previous === undefined || next === undefined) return undefined;
  if (previous["archived"] !== true) return archivingFault(next, previous);
  // An archived resource can only be unarchived or deleted.
  if (next["archived"] === false && sameJson(previous, { ...next, archived: true })) return undefined;
  return refuse("archived", { archived: { type } });
}

/**
 * Archiving cannot change other fields. The rules of active resources do not apply to archived ones, which are
 * unarchived unchanged.
 */
function archivingFault(next: JsonObject, previous: JsonObject): KindRefusal | undefined {
  if (next["archived"] !== true) return undefined;
  const fields = Object.keys({ ...next, ...previous }).filter((field) => field !== "archived");
  const field = fields.find((name) => !sameJson(next[name] ?? null, previous[name] ?? null));
  return field === undefined ? undefined : refuse("archive_alone", { field });
}

function ancestorFault(
  state: StateReader,
  { field, type }: { readonly field: string; readonly type: string },
  id: string,
): KindRefusal | undefined {
  const value = valueOf(state, type, id);
  if (value === undefined) return refuse("parent_not_found", { field, id });
  if (value["archived"] === true) return refuse("archived", { archived: { type, id } });
  const parent = parentOf(type);
  return parent === undefined ? undefined : ancestorFault(state, parent, textOf(value, parent.field));
}

/** Names are unique within a parent. Archived resources keep theirs, since they may be unarchived. */
export function nameFault({ type, next, previous }: ResourceChange, { state }: KindContext): KindRefusal | undefined {
  if (next === undefined) return undefined;
  const name = foldCase(textOf(next, "name"));
  if (previous !== undefined && foldCase(textOf(previous, "name")) === name) return undefined;
  const field = parentOf(type)?.field;
  const parent = field === undefined ? "" : textOf(next, field);
  const sortKey = `${type}${gap}${parent}${gap}${name}`;
  const rows = state.rows(planTable).scan("name", { prefix: sortKey, limit: 1 });
  const taken = rows.find((row) => foldCase(row.name ?? "") === name);
  return taken === undefined ? undefined : refuse("name_taken", { name: textOf(next, "name"), taken_by: taken.id });
}

/** Refuses a deletion because of the resource's children. */
export function childFault(state: StateReader, types: readonly string[], id: string): KindRefusal | undefined {
  const limit = planningLimits.usersNamed;
  const children = types.flatMap((type) => childrenOf(state, type, id, { limit }));
  if (children.length === 0) return undefined;
  return refuse("in_use", { used_by: children.slice(0, limit).map(({ type, id: child }) => ({ type, id: child })) });
}

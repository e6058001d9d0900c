import { assignment, mission } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { comparable } from "./times.ts";

/**
 * The index of planning: children by parent, names within a parent, assignments by collaborator, and bookings by time.
 * It has one row per resource, made from its entity.
 */
export interface PlanRow {
  /** The entity's subject, the key. */
  readonly subject: string;
  readonly type: string;
  readonly id: string;
  /** The id of the parent; empty for an organization. */
  readonly parent: string;
  readonly name?: string;
  readonly collaborator?: string;
  /** For a mission: whether its assignments occupy their collaborators' time. */
  readonly isActive?: true;
  /** The end of a booking: of an assignment in a planned or locked mission. */
  readonly bookedTo?: string;
}

/** Separates the parts of a sort key. Ids and names have no control characters. */
export const gap = "\u0001";

export const planTable: TableSpec<PlanRow, "type" | "child" | "name" | "collaborator" | "booking"> = {
  name: "planning",
  boundedBy: "quota",
  key: (row) => row.subject,
  sorts: {
    type: (row) => `${row.type}${gap}${row.id}`,
    child: (row) => `${row.type}${gap}${row.parent}${gap}${row.id}`,
    name: (row) => (row.name === undefined ? undefined : `${row.type}${gap}${row.parent}${gap}${foldCase(row.name)}`),
    collaborator: (row) => (row.collaborator === undefined ? undefined : `${row.collaborator}${gap}${row.id}`),
    /** Bookings of a collaborator do not overlap, so the order of their ends is also the order of their starts. */
    booking: (row) => (row.bookedTo === undefined ? undefined : `${row.collaborator ?? ""}${gap}${row.bookedTo}`),
  },
  uniqueSorts: ["type", "child"],
  bytes: (row) => 500 + 4 * row.subject.length,
};

/** Only a to z: other case mappings differ between versions of Unicode. */
export function foldCase(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => letter.toLowerCase());
}

const parentFields = ["mission_id", "project_id", "organization_id"];

export function planRowOf(
  state: StateReader,
  subject: string,
  target: { type: string; id: string },
): PlanRow | undefined {
  const row = findEntity(state, target);
  if (!isLive(row) || !isObject(row.value)) return undefined;
  const { value } = row;
  const parentField = parentFields.find((field) => typeof value[field] === "string");
  const parent = parentField === undefined ? "" : textOf(value, parentField);
  const base = { subject, type: target.type, id: target.id, parent };
  if (target.type !== assignment.type) {
    const name = textOf(value, "name");
    return target.type === mission.type && isActive(value) ? { ...base, name, isActive: true } : { ...base, name };
  }
  const isBooked = value["archived"] !== true && isActive(valueOf(state, mission.type, parent));
  const collaborator = textOf(value, "collaborator_id");
  return isBooked ? { ...base, collaborator, bookedTo: comparable(textOf(value, "to")) } : { ...base, collaborator };
}

/** Whether the assignments of a mission occupy their collaborators' time. */
export function isActive(missionValue: JsonObject | undefined): boolean {
  const status = missionValue?.["status"];
  return status === "planned" || status === "locked";
}

export function valueOf(state: StateReader, type: string, id: string): JsonObject | undefined {
  const row = findEntity(state, { type, id });
  return isLive(row) && isObject(row.value) ? row.value : undefined;
}

export function textOf(value: JsonObject, field: string): string {
  const text: Json | undefined = value[field];
  return typeof text === "string" ? text : "";
}

/** The rows of a type with this parent, in the order of their ids. */
export function childrenOf(
  state: StateReader,
  type: string,
  parent: string,
  { limit }: { readonly limit: number },
): readonly PlanRow[] {
  const prefix = `${type}${gap}${parent}${gap}`;
  return state.rows(planTable).scan("child", { prefix, limit });
}

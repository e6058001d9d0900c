import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import type { ValueSize } from "./size.ts";
import { iso } from "../locks/tables/lock-events.ts";

/** An entity. A deleted one keeps its version number, so that versions never repeat. */
export interface EntityRow {
  /** `type/id`, the key. It is stored because concatenating it for every look-up would cost more than the look-up. */
  readonly subject: string;
  readonly type: string;
  readonly id: string;
  readonly version: number;
  /** The epoch of this version, part of its revision. */
  readonly epoch: number;
  readonly position: number;
  readonly time: number;
  readonly principal: string;
  readonly agent?: string;
  /** Position of the last whole value. Every later version depends on it. */
  readonly base: number;
  /** True if the data of this version was erased. The value is then null until a whole value follows. */
  readonly isErased?: true;
  /** Absent if the entity is deleted. */
  readonly value?: Json;
  /** The exact size of the value, stored so that a patch need not walk the parts that it does not touch. */
  readonly size: ValueSize;
}

export type LiveEntityRow = EntityRow & { readonly value: Json };

export function subjectOf(type: string, id: string): string {
  return `${type}/${id}`;
}

export const entityTable: TableSpec<EntityRow, "subject" | "erased"> = {
  name: "entities",
  boundedBy: "quota",
  key: (row) => row.subject,
  sorts: {
    /** Live entities by type and id. */
    subject: (row) => (row.value === undefined ? undefined : row.subject),
    /** Entities whose value is unknown during a fold because their data was erased. */
    erased: (row) => (row.isErased === true ? row.subject : undefined),
  },
  uniqueSorts: ["subject", "erased"],
  bytes: (row) => rowOverhead + row.type.length + 2 * row.id.length + row.size.bytes,
};

/** Bytes of an entity in addition to its value: the row, its key and two index entries. */
const rowOverhead = 300;

export function findEntity(state: StateReader, target: { type: string; id: string }): EntityRow | undefined {
  return state.rows(entityTable).get(subjectOf(target.type, target.id));
}

export function isLive(row: EntityRow | undefined): row is LiveEntityRow {
  return row?.value !== undefined;
}

/** The version that a caller may expect: 0 for an entity that does not exist or was deleted. */
export function currentVersion(row: EntityRow | undefined): number {
  return isLive(row) ? row.version : 0;
}

export function revisionOf(row: Pick<EntityRow, "epoch" | "version">): string {
  return `${String(row.epoch)}.${String(row.version)}`;
}

/** The entity as every door shows it. */
export function representationOf(row: LiveEntityRow): JsonObject {
  return {
    type: row.type,
    id: row.id,
    version: row.version,
    revision: revisionOf(row),
    value: row.value,
    changed_at: iso(row.time),
    changed_by: authorOf(row),
    position: row.position,
  };
}

export function authorOf(by: { readonly principal: string; readonly agent?: string }): JsonObject {
  return by.agent === undefined ? { principal: by.principal } : { principal: by.principal, agent: by.agent };
}

import type { Engine } from "../../../engine/engine.ts";
import { findEntity, isLive, subjectOf } from "../../../features/entities/entity-table.ts";
import { parsePointer } from "@holdfast/sdk/json/parse-pointer";
import { valueAt } from "@holdfast/sdk/json/value-at";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Prepare } from "../app-operation.ts";
import { entityVersions } from "../../reads/entity-versions.ts";

/** For every operation with the member `if_unchanged`. */
export const ifUnchanged: Prepare = {
  at: "head",
  isNeeded: (input) => input["if_unchanged"] !== undefined,
  run: async (input, { services: { engine }, entityType }) => ({
    input: await withExpectedFields(engine, entityType, input),
  }),
};

/**
 * `if_unchanged: ["/status"]` requires that a field is unchanged since the caller's version. This reads the old value
 * and adds it to the input, and the decision compares. A version never changes, so the same input always gets the same
 * values.
 */
async function withExpectedFields(engine: Engine, type: unknown, input: JsonObject): Promise<JsonObject> {
  const fields = input["if_unchanged"];
  const version = expectedVersion(input);
  const { id } = input;
  if (!Array.isArray(fields) || version === undefined || typeof type !== "string" || typeof id !== "string")
    return input;
  if (!fields.some((field) => typeof field === "string")) return input;
  const base = await valueAtVersion(engine, { type, id }, version);
  if (base === undefined) return input;
  const expected = (fields as readonly Json[]).map((field) =>
    typeof field === "string" ? expectedField(base, field) : field,
  );
  return { ...input, if_unchanged: expected };
}

function expectedField(base: Json, pointer: string): Json {
  const segments = parsePointer(pointer);
  if (segments === undefined) return pointer;
  const value = valueAt(base, segments);
  return value === undefined ? { pointer } : { pointer, value };
}

function expectedVersion(input: JsonObject): number | undefined {
  const { expected_version: version, expected_revision: revision } = input;
  if (typeof version === "number") return version;
  return typeof revision === "string" ? Number(revision.split(".")[1]) : undefined;
}

async function valueAtVersion(
  engine: Engine,
  target: { readonly type: string; readonly id: string },
  version: number,
): Promise<Json | undefined> {
  const row = await engine.read((state) => findEntity(state, target));
  if (row === undefined) return undefined;
  if (isLive(row) && row.version === version) return row.value;
  const range = { from: version, to: version, before: row.position + 1 };
  const found = await entityVersions(engine, subjectOf(target.type, target.id), range);
  return found.kind === "found" ? found.versions[0].value : undefined;
}

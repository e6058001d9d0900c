import type { Engine } from "../../engine/engine.ts";
import { findEntity, isLive, subjectOf } from "../../features/entities/entity-table.ts";
import { parsePointer, valueAt } from "../../features/entities/json/pointer.ts";
import type { Json, JsonObject } from "../../machine/json.ts";
import { entityVersions } from "./entity-versions.ts";

/**
 * `if_unchanged: ["/status"]` asks whether a field is what it was at the caller's version. The value of that time is in
 * the history, which a decision does not read; so it is looked up here and sent along, and the decision compares. A
 * version is never rewritten: the same input gets the same values, whenever it is sent.
 */
export async function prepareCommand(engine: Engine, type: string | undefined, input: JsonObject): Promise<JsonObject> {
  const fields = input["if_unchanged"];
  const version = expectedVersion(input);
  const { id } = input;
  if (!Array.isArray(fields) || version === undefined || type === undefined || typeof id !== "string") return input;
  if (!fields.some((field) => typeof field === "string")) return input;
  const base = await valueAtVersion(engine, { type, id }, version);
  if (base === undefined) return input;
  const known = (fields as readonly Json[]).map((field) =>
    typeof field === "string" ? expectedField(base, field) : field,
  );
  return { ...input, if_unchanged: known };
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
  return (await entityVersions(engine, subjectOf(target.type, target.id), range))?.[0]?.value;
}

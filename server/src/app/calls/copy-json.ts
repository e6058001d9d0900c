import type { Json, JsonObject } from "@holdfast/sdk/json/json";

/**
 * A copy that the caller may change. Rows, entries and replies share the values of the machine, so a caller in the same
 * process could change the history.
 */
export function copyJson(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(copyJson);
  return copyInto({}, value as JsonObject);
}

/** Copies members into an object, and returns it. */
export function copyInto(copy: Record<string, Json>, members: JsonObject): Record<string, Json> {
  for (const name of Object.keys(members)) copy[name] = copyJson(members[name] as Json);
  return copy;
}

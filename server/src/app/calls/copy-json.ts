import type { Json, JsonObject } from "@holdfast/sdk/json/json";

/**
 * A copy that the caller may change. Rows, entries and replies share the values of the machine, so a caller in the same
 * process could change the history.
 */
export function copyJson(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(copyJson);
  const copy: Record<string, Json> = {};
  for (const name of Object.keys(value)) copy[name] = copyJson((value as JsonObject)[name] as Json);
  return copy;
}

import type { Json, JsonObject } from "../../sdk/src/json/json.ts";

/**
 * JSON text that is equal exactly when the canonical values are equal. It is compact, with names sorted by UTF-16 units
 * on every level and numbers as ECMAScript prints them (RFC 8785). It is slower than JSON.stringify. Use it to compare
 * two inputs whose bytes differ, not to store.
 */
export function canonicalText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? arrayText(value as readonly Json[]) : objectText(value as JsonObject);
}

function arrayText(elements: readonly Json[]): string {
  let text = "[";
  for (const [index, element] of elements.entries()) text += (index === 0 ? "" : ",") + canonicalText(element);
  return text + "]";
}

function objectText(object: JsonObject): string {
  let text = "{";
  // Without a comparison function sort compares UTF-16 units, on every host alike.
  for (const name of Object.keys(object).sort()) {
    text += (text === "{" ? "" : ",") + JSON.stringify(name) + ":" + canonicalText(object[name] as Json);
  }
  return text + "}";
}

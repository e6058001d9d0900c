import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";

/**
 * The merge patch (RFC 7396) that makes one object another. So an entry holds the change and not the whole value. The
 * second object must not have a null where the first has none: a merge cannot set one.
 */
export function mergeBetween(before: JsonObject, after: JsonObject): JsonObject {
  const merge: Record<string, Json> = {};
  for (const name of Object.keys(before)) if (after[name] === undefined) merge[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (old === undefined) merge[name] = value;
    else if (isObject(old) && isObject(value)) {
      const inner = mergeBetween(old, value);
      if (Object.keys(inner).length > 0) merge[name] = inner;
    } else if (!sameJson(old, value)) merge[name] = value;
  }
  return merge;
}

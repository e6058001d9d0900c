import { sameJson } from "@holdfast/sdk/json/same-json";
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";

/**
 * JSON Merge Patch (RFC 7396) on canonical values. Neither argument is changed. Untouched parts are shared with the
 * result, and a patch without effect returns the same reference. A result is at most as large as target and patch
 * together and as deep as the deeper one. So measuring it once afterwards is enough.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return target !== undefined && sameJson(target, patch) ? target : patch;
  const base: JsonObject = isObject(target) ? target : {};
  let changed: Record<string, Json> | undefined;
  for (const name of Object.keys(patch)) {
    const held = Object.hasOwn(base, name) ? base[name] : undefined;
    const request = patch[name] as Json;
    const next = request === null ? undefined : mergePatch(held, request);
    if (next === held) continue;
    changed ??= { ...base };
    if (next === undefined) Reflect.deleteProperty(changed, name);
    else changed[name] = next;
  }
  return changed ?? base;
}

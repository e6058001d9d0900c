import { isObject, type Json, type JsonObject } from "./json.ts";

/** Whether two canonical values are equal. The order of members does not matter. */
export function sameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && sameElements(left, right);
  return isObject(left) && isObject(right) && sameMembers(left, right);
}

function sameElements(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((element, index) => sameJson(element, right[index] as Json));
}

function sameMembers(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name] as Json, right[name] as Json));
}

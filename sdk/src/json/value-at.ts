import { isObject, type Json } from "./json.ts";

/** The value at the segments of a pointer, or undefined if there is none. "-", the end of an array, has no value. */
export function valueAt(value: Json, segments: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const segment of segments) {
    found = found === undefined ? undefined : childAt(found, segment);
  }
  return found;
}

export function childAt(parent: Json, segment: string): Json | undefined {
  if (Array.isArray(parent)) {
    const index = arrayIndex(segment);
    return index === undefined ? undefined : (parent as readonly Json[])[index];
  }
  // Own members only: "constructor" is not a member of {}.
  return isObject(parent) && Object.hasOwn(parent, segment) ? parent[segment] : undefined;
}

/** The index that a segment spells: no sign, no leading zeros (RFC 6901). Undefined for every other text. */
export function arrayIndex(segment: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/u.test(segment) ? Number(segment) : undefined;
}

import { isObject, type Json } from "../../../machine/json.ts";

export { formatPointer } from "../../../machine/canonical/format-pointer.ts";

/** The unescaped segments of a JSON Pointer (RFC 6901), or undefined when the text is not one. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/u.test(pointer)) return undefined;
  const segments = pointer.slice(1).split("/");
  return pointer.includes("~") ? segments.map(unescapeSegment) : segments;
}

function unescapeSegment(segment: string): string {
  // In this order: "~01" is the name "~1", not "/".
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value at a place, or undefined when there is none. "-", the place after an array's last, never holds one. */
export function valueAt(value: Json, segments: readonly string[]): Json | undefined {
  let held: Json | undefined = value;
  for (const segment of segments) {
    held = held === undefined ? undefined : childAt(held, segment);
  }
  return held;
}

export function childAt(parent: Json, segment: string): Json | undefined {
  if (Array.isArray(parent)) {
    const index = arrayIndex(segment);
    return index === undefined ? undefined : (parent as readonly Json[])[index];
  }
  // Own members only: "constructor" is not a member of {}.
  return isObject(parent) && Object.hasOwn(parent, segment) ? parent[segment] : undefined;
}

/** The index that a segment spells, without sign or leading zeros as RFC 6901 asks; undefined for all else. */
export function arrayIndex(segment: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/u.test(segment) ? Number(segment) : undefined;
}

/** Whether two places touch: they are the same, or one lies inside the other. */
export function overlaps(left: string, right: string): boolean {
  if (left.length > right.length) return overlaps(right, left);
  // "/a" contains "/a/b" but not "/ab"; "" contains everything. Escapes are unique, so text compares like segments.
  return right.startsWith(left) && (right.length === left.length || right.charAt(left.length) === "/");
}

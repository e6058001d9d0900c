import { stringBytes } from "@holdfast/sdk/json/scalar-bytes";
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";
import { sizeOf, type ValueSize } from "../size.ts";
import { mergePatch } from "./merge-patch.ts";

/**
 * The exact size of a value after a merge patch, from its size before. Its cost depends on the touched parts, so a small
 * patch never walks a large entity.
 */
export function sizeAfterMerge(before: ValueSize, target: Json, patch: JsonObject): ValueSize {
  const change = objectChange(target, patch);
  return { bytes: before.bytes + change.bytes, members: before.members + change.members };
}

function objectChange(target: Json, patch: JsonObject): ValueSize {
  if (!isObject(target)) return difference(sizeOf(mergePatch(target, patch)), sizeOf(target));
  let { bytes, members } = { bytes: 0, members: 0 };
  let count = Object.keys(target).length;
  const commasBefore = Math.max(0, count - 1);
  for (const name of Object.keys(patch)) {
    const held = Object.hasOwn(target, name) ? target[name] : undefined;
    const change = memberChange(name, held, patch[name] as Json);
    bytes += change.bytes;
    members += change.members;
    count += change.count;
  }
  return { bytes: bytes + Math.max(0, count - 1) - commasBefore, members };
}

/** The size change of one member of the patch, without commas. `count` is the change of the number of members. */
function memberChange(name: string, held: Json | undefined, request: Json): ValueSize & { readonly count: -1 | 0 | 1 } {
  if (request === null) {
    if (held === undefined) return { bytes: 0, members: 0, count: 0 };
    const removed = sizeOf(held);
    return { bytes: -(removed.bytes + nameBytes(name)), members: -(removed.members + 1), count: -1 };
  }
  if (held === undefined) {
    const added = sizeOf(mergePatch(undefined, request));
    return { bytes: added.bytes + nameBytes(name), members: added.members + 1, count: 1 };
  }
  const change =
    isObject(request) && isObject(held)
      ? objectChange(held, request)
      : difference(sizeOf(mergePatch(held, request)), sizeOf(held));
  return { ...change, count: 0 };
}

/** The name and its colon. */
function nameBytes(name: string): number {
  return stringBytes(name) + 1;
}

function difference(after: ValueSize, before: ValueSize): ValueSize {
  return { bytes: after.bytes - before.bytes, members: after.members - before.members };
}

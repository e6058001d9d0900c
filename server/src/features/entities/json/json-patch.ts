import { sameJson } from "@holdfast/sdk/json/same-json";
import { isObject, type Json, type JsonObject } from "@holdfast/sdk/json/json";
import { Draft, type DraftFault, type DraftLimits, type DraftSize } from "./draft.ts";
import { parsePointer } from "@holdfast/sdk/json/parse-pointer";

type PatchReason =
  | DraftFault
  /** The patch is not an array. */
  | "invalid_patch"
  /** Not an object, or a required member is missing or has the wrong type. */
  | "invalid_operation"
  | "unknown_operation"
  /** `path` or `from` is not a JSON Pointer. */
  | "invalid_pointer"
  /** The value differs. It is not repeated here, since a caller that may write need not be allowed to read. */
  | "test_failed"
  /** A value cannot be moved into a part of itself. */
  | "move_into_itself";

interface PatchFailure {
  /** The index of the operation in the patch. */
  readonly index: number;
  /** The `path` or `from` that failed; "" if the operation has none. */
  readonly pointer: string;
  readonly reason: PatchReason;
}

export type PatchResult =
  | { readonly ok: true; readonly value: Json; readonly size: DraftSize }
  | { readonly ok: false; readonly failure: PatchFailure };

/**
 * JSON Patch (RFC 6902): all operations or none. Neither argument is changed, and untouched parts are shared with the
 * result. The limits hold after every operation, not only at the end. A caller that knows the target's size passes it
 * and saves a walk over the target. The patch may be any canonical value: invalid operations are refused here.
 */
export function jsonPatch(target: Json, patch: Json, limits: DraftLimits, size?: DraftSize): PatchResult {
  if (!Array.isArray(patch)) return { ok: false, failure: { index: 0, pointer: "", reason: "invalid_patch" } };
  const draft = new Draft(target, limits, size);
  for (const [index, operation] of (patch as readonly Json[]).entries()) {
    const refused = apply(draft, operation);
    if (refused !== undefined) return { ok: false, failure: { index, ...refused } };
  }
  return { ok: true, value: draft.value, size: draft.size };
}

type Refused = Omit<PatchFailure, "index"> | undefined;

interface ParsedPointer {
  readonly pointer: string;
  readonly segments: readonly string[];
}

function apply(draft: Draft, operation: Json): Refused {
  if (!isObject(operation)) return { pointer: "", reason: "invalid_operation" };
  const path = placeOf(operation, "path");
  if ("reason" in path) return path;
  switch (own(operation, "op")) {
    case "add":
    case "replace":
    case "test":
      return applyValue(draft, operation, path);
    case "remove":
      return refusal(path, draft.remove(path.segments));
    case "move":
    case "copy":
      return applyFrom(draft, operation, path);
    default:
      return refusal(path, typeof own(operation, "op") === "string" ? "unknown_operation" : "invalid_operation");
  }
}

function applyValue(draft: Draft, operation: JsonObject, path: ParsedPointer): Refused {
  const value = own(operation, "value");
  if (value === undefined) return refusal(path, "invalid_operation");
  if (operation.op === "add") return refusal(path, draft.add(path.segments, value));
  if (operation.op === "replace") return refusal(path, draft.replace(path.segments, value));
  const held = draft.at(path.segments);
  if (held === undefined) return refusal(path, "not_found");
  // Equal values have equal numbers of members, and a difference ends the patch. So tests cost no more than the size of
  // the patch.
  return sameJson(held, value) ? undefined : refusal(path, "test_failed");
}

function applyFrom(draft: Draft, operation: JsonObject, path: ParsedPointer): Refused {
  const from = placeOf(operation, "from");
  if ("reason" in from) return from;
  const copies = operation.op === "copy";
  const value = draft.at(from.segments, copies ? "share" : undefined);
  if (value === undefined) return refusal(from, "not_found");
  if (copies) return refusal(path, draft.add(path.segments, value));
  if (path.pointer === from.pointer) return undefined;
  if (path.pointer.startsWith(from.pointer + "/")) return refusal(path, "move_into_itself");
  return refusal(from, draft.remove(from.segments)) ?? refusal(path, draft.add(path.segments, value));
}

function placeOf(operation: JsonObject, member: "path" | "from"): ParsedPointer | Exclude<Refused, undefined> {
  const pointer = own(operation, member);
  if (typeof pointer !== "string") return { pointer: "", reason: "invalid_operation" };
  const segments = parsePointer(pointer);
  if (segments === undefined) return { pointer, reason: "invalid_pointer" };
  return segments.includes("__proto__") ? { pointer, reason: "forbidden_name" } : { pointer, segments };
}

function own(operation: JsonObject, member: string): Json | undefined {
  return Object.hasOwn(operation, member) ? operation[member] : undefined;
}

function refusal(place: ParsedPointer, reason: PatchReason | undefined): Refused {
  return reason === undefined ? undefined : { pointer: place.pointer, reason };
}

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
 * JSON Patch (RFC 6902) with all operations or none. Neither argument is changed, and untouched parts are shared with
 * the result. The limits hold after every operation, not only at the end. A caller that knows the target's size passes
 * it and saves a walk over the target. The patch may be any canonical value: invalid operations are refused here.
 */
export function jsonPatch(target: Json, patch: Json, limits: DraftLimits, size?: DraftSize): PatchResult {
  if (!Array.isArray(patch)) return { ok: false, failure: { index: 0, pointer: "", reason: "invalid_patch" } };
  const draft = new Draft(target, limits, size);
  for (const [index, operation] of (patch as readonly Json[]).entries()) {
    const failure = apply(draft, operation);
    if (failure !== undefined) return { ok: false, failure: { index, ...failure } };
  }
  return { ok: true, value: draft.value, size: draft.size };
}

type OperationFailure = Omit<PatchFailure, "index">;

interface ParsedPointer {
  readonly pointer: string;
  readonly segments: readonly string[];
}

function apply(draft: Draft, operation: Json): OperationFailure | undefined {
  if (!isObject(operation)) return { pointer: "", reason: "invalid_operation" };
  const path = parsedPointer(operation, "path");
  if ("reason" in path) return path;
  switch (own(operation, "op")) {
    case "add":
    case "replace":
    case "test":
      return applyValue(draft, operation, path);
    case "remove":
      return failureAt(path, draft.remove(path.segments));
    case "move":
    case "copy":
      return applyFrom(draft, operation, path);
    default:
      return failureAt(path, typeof own(operation, "op") === "string" ? "unknown_operation" : "invalid_operation");
  }
}

function applyValue(draft: Draft, operation: JsonObject, path: ParsedPointer): OperationFailure | undefined {
  const value = own(operation, "value");
  if (value === undefined) return failureAt(path, "invalid_operation");
  if (operation.op === "add") return failureAt(path, draft.add(path.segments, value));
  if (operation.op === "replace") return failureAt(path, draft.replace(path.segments, value));
  const held = draft.at(path.segments);
  if (held === undefined) return failureAt(path, "not_found");
  // Equal values have equal numbers of members, and a difference ends the patch. So tests cost no more than the size of
  // the patch.
  return sameJson(held, value) ? undefined : failureAt(path, "test_failed");
}

function applyFrom(draft: Draft, operation: JsonObject, path: ParsedPointer): OperationFailure | undefined {
  const from = parsedPointer(operation, "from");
  if ("reason" in from) return from;
  const copies = operation.op === "copy";
  const value = draft.at(from.segments, copies ? "share" : undefined);
  if (value === undefined) return failureAt(from, "not_found");
  if (copies) return failureAt(path, draft.add(path.segments, value));
  if (path.pointer === from.pointer) return undefined;
  if (path.pointer.startsWith(from.pointer + "/")) return failureAt(path, "move_into_itself");
  return failureAt(from, draft.remove(from.segments)) ?? failureAt(path, draft.add(path.segments, value));
}

function parsedPointer(operation: JsonObject, member: "path" | "from"): ParsedPointer | OperationFailure {
  const pointer = own(operation, member);
  if (typeof pointer !== "string") return { pointer: "", reason: "invalid_operation" };
  const segments = parsePointer(pointer);
  if (segments === undefined) return { pointer, reason: "invalid_pointer" };
  return segments.includes("__proto__") ? { pointer, reason: "forbidden_name" } : { pointer, segments };
}

function own(operation: JsonObject, member: string): Json | undefined {
  return Object.hasOwn(operation, member) ? operation[member] : undefined;
}

function failureAt(path: ParsedPointer, reason: PatchReason | undefined): OperationFailure | undefined {
  return reason === undefined ? undefined : { pointer: path.pointer, reason };
}

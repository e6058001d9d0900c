import type { entityOperations } from "@holdfast/sdk/contract";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Decision } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { changed, missing, unchanged } from "./change.ts";
import type { RecordingOptions } from "./change.ts";
import { invalid, unmetCondition } from "./conditions.ts";
import { findEntity, isLive } from "./entity-table.ts";
import type { LiveEntityRow } from "./entity-table.ts";
import { jsonPatch } from "./json/json-patch.ts";
import { mergedValue } from "./json/merged-value.ts";
import { kindViolation } from "./kind.ts";
import type { KindOf } from "./kind.ts";
import { entityLimits, isTooLarge, sizeOf, tooLarge } from "./size.ts";

/** The result of a patch and its recorded form. */
interface Patched {
  readonly value: Json;
  readonly event: { readonly type: string; readonly data: JsonObject };
}

/**
 * Number of versions between two recorded whole values. So any version can be rebuilt from a bounded number of entries.
 */
const wholeValueEvery = 64;

export function patchEntity(
  kindOf: KindOf,
  { name, isCompact = false, isMade }: RecordingOptions = {},
): Decide<(typeof entityOperations)["patch-entity"]> {
  return (input, context) => {
    if ((input.merge === undefined) === (input.patch === undefined)) {
      return invalid([{ pointer: "", message: "must have exactly one of merge and patch" }]);
    }
    const row = findEntity(context.state, input);
    const unmet = unmetCondition(row, input, context, kindOf(input.type));
    if (unmet !== undefined) return unmet;
    if (!isLive(row)) return missing(row, input);
    const patched =
      input.merge === undefined ? applySteps(row, input.patch as Json) : applyMerge(row, input.merge as JsonObject);
    if ("outcome" in patched) return patched;
    const { value } = patched;
    // A merge without effect returns the same reference. The steps of a patch may produce an equal value.
    if (value === row.value || (input.merge === undefined && sameJson(value, row.value))) return unchanged(row);
    const violation = kindViolation(kindOf(input.type), { value, previous: row.value, target: input, isMade }, context);
    if (violation !== undefined) return violation;
    const isWhole = (row.version + 1) % wholeValueEvery === 0 || (isCompact && isLargePatch(input.patch, row));
    const event = isWhole ? { type: "entity.replaced", data: { value } } : patched.event;
    return changed({ target: input, row, value, event: name === undefined ? event : named(event, name) }, context);
  };
}

function named({ type, data }: Patched["event"], name: string): Patched["event"] {
  return { type, data: { ...data, name } };
}

/** A patch that is larger than half of the value saves little, and every later version would depend on it. */
function isLargePatch(patch: unknown, { size }: LiveEntityRow): boolean {
  return patch !== undefined && 2 * sizeOf(patch as Json).bytes > size.bytes;
}

function applyMerge(row: LiveEntityRow, merge: JsonObject): Patched | Decision {
  const { value, size } = mergedValue(row, merge);
  if (value !== row.value && isTooLarge(size)) return tooLarge("too_large");
  return { value, event: { type: "entity.merged", data: { merge } } };
}

function applySteps(row: LiveEntityRow, steps: Json): Patched | Decision {
  const patched = jsonPatch(row.value, steps, entityLimits, row.size);
  if (!patched.ok) {
    const { reason, index, pointer } = patched.failure;
    if (reason.startsWith("too_")) return tooLarge(reason);
    const data = { type: row.type, id: row.id, current_version: row.version, index, pointer, reason };
    return { outcome: refusal("patch_failed", data), events: [] };
  }
  return { value: patched.value, event: { type: "entity.patched", data: { patch: steps } } };
}

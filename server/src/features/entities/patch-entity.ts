import type { entityOperations } from "@holdfast/sdk/contract";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Decision } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/outcome.ts";
import type { Decide } from "../rule-of.ts";
import { changed, missing, unchanged } from "./change.ts";
import { invalid, unmetCondition } from "./conditions.ts";
import { findEntity, isLive } from "./entity-table.ts";
import type { LiveEntityRow } from "./entity-table.ts";
import { jsonPatch } from "./json/json-patch.ts";
import { mergePatch } from "./json/merge-patch.ts";
import { sizeAfterMerge } from "./json/merge-size.ts";
import { kindViolation } from "./kind.ts";
import type { KindOf } from "./kind.ts";
import { entityLimits, isTooLarge, tooLarge } from "./size.ts";

/** What a patch makes of an entity, and how that is recorded. */
interface Patched {
  readonly value: Json;
  readonly event: { readonly type: string; readonly data: JsonObject };
}

/**
 * Every so many versions the whole value is recorded instead of the patch: any version can then be had again from a
 * bounded number of entries, however long the history is.
 */
const wholeValueEvery = 64;

export function patchEntity(kindOf: KindOf): Decide<(typeof entityOperations)["patch-entity"]> {
  return (input, context) => {
    if ((input.merge === undefined) === (input.patch === undefined)) {
      return invalid([{ pointer: "", message: "must have merge or patch, and not both" }]);
    }
    const row = findEntity(context.state, input);
    const unmet = unmetCondition(row, input, context);
    if (unmet !== undefined) return unmet;
    if (!isLive(row)) return missing(row, input);
    const patched =
      input.merge === undefined ? applySteps(row, input.patch as Json) : applyMerge(row, input.merge as JsonObject);
    if ("outcome" in patched) return patched;
    const { value } = patched;
    // A merge gives the value itself back if it changes nothing. The steps of a patch may lead back to it, or to its equal.
    if (value === row.value || sameJson(value, row.value)) return unchanged(row);
    const violation = kindViolation(kindOf(input.type), { value, previous: row.value, target: input }, context);
    if (violation !== undefined) return violation;
    const isWhole = (row.version + 1) % wholeValueEvery === 0;
    const event = isWhole ? { type: "entity.replaced", data: { value } } : patched.event;
    return changed({ target: input, row, value, event }, context);
  };
}

function applyMerge(row: LiveEntityRow, merge: JsonObject): Patched | Decision {
  const value = mergePatch(row.value, merge);
  if (value !== row.value && isTooLarge(sizeAfterMerge(row.size, row.value, merge))) return tooLarge("too_large");
  return { value, event: { type: "entity.merged", data: { merge } } };
}

function applySteps(row: LiveEntityRow, steps: Json): Patched | Decision {
  const patched = jsonPatch(row.value, steps, entityLimits, row.size);
  if (!patched.ok) {
    const { reason, index, pointer } = patched.failure;
    if (reason.startsWith("too_")) return tooLarge(reason);
    const facts = { type: row.type, id: row.id, current_version: row.version, index, pointer, reason };
    return { outcome: refusal("patch_failed", facts), events: [] };
  }
  return { value: patched.value, event: { type: "entity.patched", data: { patch: steps } } };
}

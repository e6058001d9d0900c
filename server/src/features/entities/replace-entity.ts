import type { entityOperations } from "@holdfast/sdk/contract";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Json } from "@holdfast/sdk/json/json";
import type { Decide } from "../rule-of.ts";
import { changed, missing, unchanged } from "./change.ts";
import type { RecordingOptions } from "./change.ts";
import { missingExpectation, unmetCondition } from "./conditions.ts";
import { findEntity, isLive } from "./entity-table.ts";
import { kindViolation } from "./kind.ts";
import type { KindOf } from "./kind.ts";

export function replaceEntity(
  kindOf: KindOf,
  { name, isMade }: RecordingOptions = {},
): Decide<(typeof entityOperations)["replace-entity"]> {
  return (input, context) => {
    const row = findEntity(context.state, input);
    // The same HTTP route creates entities, so the expectation is checked even if the entity does not exist.
    const unmet = missingExpectation(input, context) ?? unmetCondition(row, input, context, kindOf(input.type));
    if (unmet !== undefined) return unmet;
    if (!isLive(row)) return missing(row, input);
    const value = input.value as Json;
    if (sameJson(row.value, value)) return unchanged(row);
    const violation = kindViolation(kindOf(input.type), { value, previous: row.value, target: input, isMade }, context);
    if (violation !== undefined) return violation;
    const data = name === undefined ? { value } : { value, name };
    return changed({ target: input, row, value, event: { type: "entity.replaced", data } }, context);
  };
}

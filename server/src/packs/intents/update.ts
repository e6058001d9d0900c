import type { JsonObject } from "@holdfast/sdk/json/json";
import { mergePatch } from "../../features/entities/json/merge-patch.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { changeIntent } from "./change-intent.ts";
import { guardIntent, intentTarget } from "./guard-intent.ts";
import type { IntentTarget } from "./guard-intent.ts";
import type { IntentValue } from "./intent-value.ts";
import { finalFault } from "./transition-fault.ts";

interface UpdateInput extends IntentTarget {
  readonly changes: JsonObject;
}

/** Changes the payload by a merge patch. An ended intent does not change. */
export function updateIntent(input: UpdateInput, context: DecideContext): Decision {
  const found = guardIntent(context, intentTarget(input), "update_payload");
  if ("outcome" in found) return found;
  const { value } = found;
  const final = finalFault(input.id, value.status);
  return (
    final ?? changeIntent(context, found, { next: withPayload(value, input.changes), name: "updated", records: [] })
  );
}

/** The intent with a merged payload. */
export function withPayload(value: IntentValue, changes: JsonObject): IntentValue {
  return { ...value, payload: mergePatch(value.payload, changes) as JsonObject };
}

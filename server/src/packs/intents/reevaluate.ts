import type { JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { mergePatch } from "../../features/entities/json/merge-patch.ts";
import { invalid } from "../../features/entities/conditions.ts";
import { sizeOf, tooLarge } from "../../features/entities/size.ts";
import { holdsLock } from "../../features/locks/for-features/holds-lock.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { statusRecord, writeIntent } from "./change-intent.ts";
import type { IntentRecord } from "./change-intent.ts";
import { findCorrection } from "./correction-table.ts";
import { existingIntent, lockRefusal, intentTarget, versionFault } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import type { IntentTarget } from "./guard-intent.ts";
import { isoTimeOf } from "./end-run.ts";
import { correctionSubject } from "./intent-folds.ts";
import { strategyOf } from "./intent-settings-table.ts";
import { intentPath } from "./intent-value.ts";
import type { FoundIntent, IntentValue } from "./intent-value.ts";
import { intentsLimits } from "./intents-limits.ts";
import { finalFault } from "./transition-fault.ts";
import { intentTransitions } from "@holdfast/sdk/contract";
import { withPayload } from "./update.ts";

/** A correction, as a re-evaluation or a step of a run sends it. */
interface CorrectionInput {
  readonly diff: JsonObject;
  readonly source: string;
  /** Set by the server before the decision. */
  readonly correction_id: string;
  readonly retry_count?: number;
  readonly metadata?: JsonObject;
}

/**
 * Applies a correction once. A known one is answered before lock and version are checked, also for an ended intent: a
 * retry must learn that it succeeded.
 */
export function reevaluateIntent(input: IntentTarget & CorrectionInput, context: DecideContext): Decision {
  const target = intentTarget(input);
  const found = correctionFault(input, "") ?? existingIntent(context, target);
  if ("outcome" in found) return found;
  const known = findCorrection(context.state, input.id, input.correction_id);
  if (known !== undefined) return knownCorrection(found, input, known.time);
  const fault =
    lockRefusal(context, target, strategyOf(context.state, "re_evaluate")) ??
    versionFault(context, target) ??
    finalFault(input.id, found.value.status) ??
    correctionLimit(found);
  if (fault !== undefined) return fault;
  const { next, records } = correctedIntent(context, found, input);
  const written = writeIntent(context, found, { next, records });
  if ("outcome" in written) return written;
  context.emit({ type: "intent.correction_kept", subject: correctionSubject(input.id, input.correction_id), data: {} });
  return answer(written.data["version"] as number, next, { already_applied: false, applied_at: isoTimeOf(context) });
}

/**
 * Refuses a patch without a member, which would use up a correction for nothing. It also refuses metadata above its limit:
 * they stay in the journal for as long as the correction.
 */
export function correctionFault(
  { diff, metadata }: Pick<CorrectionInput, "diff" | "metadata">,
  pointer: string,
): Decision | undefined {
  if (Object.keys(correctionPatch(diff)).length === 0)
    return invalid([{ pointer: `${pointer}/diff/payload`, message: "must not have fewer than 1 properties" }]);
  const limit = intentsLimits.metadataBytes;
  if (metadata === undefined || sizeOf(metadata).bytes <= limit) return undefined;
  return tooLarge(`metadata of ${limit} bytes`);
}

export function correctionLimit({ row, value }: FoundIntent): Decision | undefined {
  const limit = intentsLimits.corrections;
  return value.correction_count < limit
    ? undefined
    : refused("intents.too_many_corrections", { intent_id: row.id, limit });
}

/** The intent with a correction. It becomes `corrected` only where the table of transitions allows it. */
export function correctedIntent(
  context: DecideContext,
  { row, value }: FoundIntent,
  { diff, source, correction_id, retry_count = 0, fence }: CorrectionInput & { readonly fence?: string },
): { readonly next: IntentValue; readonly records: readonly IntentRecord[] } {
  const status = intentTransitions[value.status].includes("corrected") ? "corrected" : value.status;
  const merged = withPayload(value, correctionPatch(diff));
  const next = { ...merged, status, correction_count: value.correction_count + 1 };
  const isHolder = holdsLock(context, intentPath(row.id), { mode: "write", scope: "self", fence });
  const path = isHolder ? "pessimistic" : "optimistic";
  const data = { correction_id, retry_count, path };
  return {
    next,
    records: [...statusRecord(value.status, status), { type: "intent.reevaluated", data, actor: source }],
  };
}

/** The merge patch of a difference. `{payload: {…}}` as its only member is another spelling of the patch. */
export function correctionPatch(diff: JsonObject): JsonObject {
  const { payload, ...others } = diff;
  return isObject(payload) && Object.keys(others).length === 0 ? payload : diff;
}

/** A known correction may have been overwritten since. A new one is always in effect. */
function knownCorrection({ row, value }: FoundIntent, { diff }: CorrectionInput, time: number): Decision {
  const in_effect = sameJson(mergePatch(value.payload, correctionPatch(diff)), value.payload);
  return answer(row.version, value, { already_applied: true, applied_at: isoTimeOf({ time }), in_effect });
}

/** The members of the reply that the input does not determine. The application layer adds the others. */
function answer(version: number, { status, correction_count }: IntentValue, applied: JsonObject): Decision {
  return { outcome: done({ status, ...applied, correction_count, version }), events: [] };
}

/**
 * Sets the id of a correction before the decision. It depends on the intent, the difference and the occasion alone. So
 * an equal correction has the same id from any caller, and pure rules need no hash function.
 */
import { hash } from "node:crypto";
import { canonicalText } from "@holdfast/sdk/json/canonical-text";
import { isObject } from "@holdfast/sdk/json/json";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { correctionPatch } from "../../../packs/intents/reevaluate.ts";
import type { Finish, Prepare } from "../../calls/app-operation.ts";

/** For a re-evaluation the difference is a member of the input. */
export const prepareCorrection: Prepare = {
  at: "now",
  isNeeded: () => true,
  run: (input) => {
    const id = input["id"] as string;
    const correction_id = correctionIdOf(id, input);
    return { input: { ...input, correction_id }, memo: { intent_id: id, correction_id } satisfies CorrectionMemo };
  },
};

/** The members of the reply that the input determines. The entry has them in its input, and not in its outcome again. */
interface CorrectionMemo {
  readonly intent_id: string;
  readonly correction_id: string;
}

/** Completes the reply. A correction that was applied by this command is in effect. */
export const finishCorrection: Finish = (outcome, { memo }) =>
  outcome.kind === "refusal"
    ? outcome
    : { ...outcome, data: { in_effect: true, ...(memo as CorrectionMemo), ...outcome.data } };

/** For a step of a run it is in the correction, if the step has one. */
export const prepareStepCorrection: Prepare = {
  at: "now",
  isNeeded: ({ correction }) => correction !== undefined,
  run: (input) => {
    const correction = input["correction"] as JsonObject;
    return { input: { ...input, correction_id: correctionIdOf(input["id"] as string, correction) } };
  },
};

/** The first 16 bytes of a SHA-256 as a UUID of version 8. */
export function correctionIdOf(id: string, { diff, occasion }: JsonObject): string {
  const patch = isObject(diff) ? correctionPatch(diff) : {};
  const parts = ["holdfast correction 1", id, canonicalText(patch)];
  if (typeof occasion === "string") parts.push(occasion);
  const digest = hash("sha256", parts.join("\0"), "hex");
  const variant = ((Number.parseInt(digest[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}

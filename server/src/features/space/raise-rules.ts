import type { spaceOperations } from "@holdfast/sdk/contract";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";

/** Raises by one number at a time, so that no node skips rules that it does not know. */
export const raiseRules: Decide<(typeof spaceOperations)["raise-rules"]> = (input, { rules, knownRules }) => {
  if (rules >= input.to) return { outcome: done({ rules }), events: [] };
  if (input.to !== rules + 1 || !knownRules.includes(input.to)) {
    return { outcome: refusal("rules_unknown", { current: rules, known: knownRules }), events: [] };
  }
  return {
    outcome: done({ rules: input.to }),
    events: [{ type: "space.rules_raised", subject: "space", data: { rules: input.to } }],
  };
};

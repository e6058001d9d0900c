import { intentTransitions } from "@holdfast/sdk/contract";
import type { IntentStatus } from "@holdfast/sdk/contract";
import { refused } from "../../features/locks/rules/owner.ts";
import type { Decision } from "../../machine/feature.ts";

/** Refuses a status that cannot follow the current one. */
export function transitionFault(id: string, status: IntentStatus, to: IntentStatus): Decision | undefined {
  const allowed = intentTransitions[status];
  if (allowed.includes(to)) return undefined;
  const reason = `a ${status} intent cannot become ${to}`;
  return refused("intents.transition_invalid", { intent_id: id, status, to, allowed: [...allowed], reason });
}

export function isFinal(status: IntentStatus): boolean {
  return intentTransitions[status].length === 0;
}

/** Refuses a change of an intent that is completed or failed. */
export function finalFault(id: string, status: IntentStatus): Decision | undefined {
  if (!isFinal(status)) return undefined;
  return refused("intents.transition_invalid", {
    intent_id: id,
    status,
    allowed: [],
    reason: `the intent is ${status}`,
  });
}

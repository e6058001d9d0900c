import type { tokenOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { operatorOnly } from "../operator-only.ts";

/** Records the rotation in the audit trail. The token itself belongs to one node, so it is not in the state. */
export const rotateOperatorToken: Decide<(typeof tokenOperations)["rotate-operator-token"]> = (_input, context) => {
  const refused = operatorOnly(context);
  if (refused !== undefined) return refused;
  return {
    outcome: done({ rotated_at: new Date(context.time).toISOString() }),
    events: [{ type: "access.operator-rotated", subject: "access", data: {} }],
    attachment: {},
  };
};

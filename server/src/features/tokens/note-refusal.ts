import { defined } from "@holdfast/sdk/base/defined";
import type { tokenOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";

/** Records the refusal of a caller by the gate in the audit trail. */
export const noteRefusal: Decide<(typeof tokenOperations)["note-refusal"]> = (input) => {
  const { operation, reason, unrecorded } = input;
  const data = defined({ operation, reason, unrecorded });
  return { outcome: done({}), events: [{ type: "access.refused", subject: "access", data }] };
};

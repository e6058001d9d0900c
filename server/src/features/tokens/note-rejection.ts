import { defined } from "@holdfast/sdk/base/defined";
import type { tokenOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";

/** Records a failed authentication in the audit trail. Nothing that the caller sent is recorded. */
export const noteRejection: Decide<(typeof tokenOperations)["note-rejection"]> = (input) => {
  const { door, code, unrecorded } = input;
  const data = defined({ door, code, unrecorded });
  return { outcome: done({}), events: [{ type: "access.rejected", subject: "access", data }] };
};

import type { tokenOperations } from "@holdfast/sdk/contract";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { findToken, tokenSubject } from "./token-table.ts";

/** Sent by the timer to remove an expired token. It is already invalid. */
export const expireToken: Decide<(typeof tokenOperations)["expire-token"]> = (input, { state, time }) => {
  const row = findToken(state, input.token_id);
  if (row === undefined || row.expiresAt > time) return { outcome: refusal("not_due"), events: [] };
  return {
    outcome: done({ token_id: row.id }),
    events: [{ type: "token.expired", subject: tokenSubject(row.id), data: { principal: row.principal } }],
  };
};

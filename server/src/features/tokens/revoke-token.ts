import type { tokenOperations } from "@holdfast/sdk/contract";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { operatorOnly } from "../operator-only.ts";
import { findToken, tokenSubject } from "./token-table.ts";

export const revokeToken: Decide<(typeof tokenOperations)["revoke-token"]> = (input, context) => {
  const refused = operatorOnly(context);
  if (refused !== undefined) return refused;
  const { token_id: id } = input;
  const row = findToken(context.state, id);
  if (row === undefined) return { outcome: refusal("token_unknown", { token_id: id }), events: [] };
  const { principal } = row;
  return {
    outcome: done({ token_id: id, principal, revoked_at: new Date(context.time).toISOString() }),
    events: [{ type: "token.revoked", subject: tokenSubject(id), data: { principal, reason: input.reason ?? null } }],
    attachment: {},
  };
};

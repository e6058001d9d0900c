import { defined } from "@holdfast/sdk/base/defined";
import type { tokenOperations } from "@holdfast/sdk/contract";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { operatorOnly } from "../operator-only.ts";
import { findToken, tokenSubject, tokenView } from "./token-table.ts";

/** An expired token that is still in the table is not revived. */
export const rotateToken: Decide<(typeof tokenOperations)["rotate-token"]> = (input, context) => {
  const refused = operatorOnly(context);
  if (refused !== undefined) return refused;
  const { token_id: id, secret_hash: secretHash, own_key: ownKey } = input;
  if (secretHash === undefined) {
    const issues = [{ pointer: "/secret_hash", message: "is missing: the server sets it" }];
    return { outcome: refusal("input_invalid", { issues }), events: [] };
  }
  const row = findToken(context.state, id);
  if (row === undefined || row.expiresAt <= context.time) {
    return { outcome: refusal("token_unknown", { token_id: id }), events: [] };
  }
  // The reply to the first request may be lost. Its repeat must not end the grace period of the secret before it.
  const isRepeated = ownKey !== undefined && row.rotationKey === ownKey;
  const graceEnd = Math.min(context.time + (input.grace_seconds ?? 0) * 1000, row.expiresAt);
  const oldValidUntil = isRepeated ? (row.previous?.validUntil ?? context.time) : graceEnd;
  const data = defined({
    secret_hash: secretHash,
    old_valid_until_ms: oldValidUntil,
    own_key: ownKey,
    repeated: isRepeated ? true : undefined,
  });
  return {
    outcome: done({ ...tokenView(row), old_secret_valid_until: new Date(oldValidUntil).toISOString() }),
    events: [{ type: "token.rotated", subject: tokenSubject(id), data }],
    attachment: {},
  };
};

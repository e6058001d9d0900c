import { defined } from "@holdfast/sdk/base/defined";
import type { InputOf, tokenOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { operatorOnly } from "../operator-only.ts";
import { spaceFull } from "../space/space-full.ts";
import { reservedPrincipals, tokenLimits, tokenOwnKey, tokenSubject, tokenTable, tokenView } from "./token-table.ts";
import type { TokenRow } from "./token-table.ts";

/** The token's id is that of the command: unique, and known before the decision. */
export const createToken: Decide<(typeof tokenOperations)["create-token"]> = (input, context) => {
  const { state, command, position, time } = context;
  const { principal, own_key: ownKey, secret_hash: secretHash } = input;
  const refused = operatorOnly(context) ?? reservedRefusal(principal);
  if (refused !== undefined) return refused;
  if (secretHash === undefined) {
    const issues = [{ pointer: "/secret_hash", message: "is missing: the server sets it" }];
    return { outcome: refusal("input_invalid", { issues }), events: [] };
  }
  const known = ownKey === undefined ? undefined : findByOwnKey(context, ownKey);
  if (known !== undefined) return isSameRequest(known, input) ? renew(known, secretHash) : keyConflict(known);
  if (state.rows(tokenTable).size >= tokenLimits.tokensMax) {
    return { outcome: refusal("token_limit", { limit: tokenLimits.tokensMax }), events: [] };
  }
  const full = spaceFull(context);
  if (full !== undefined) return full;
  const expiresAt = time + lifetimeMs(input);
  const data = defined({
    principal,
    allow: input.allow,
    expires_at: new Date(expiresAt).toISOString(),
    expires_at_ms: expiresAt,
    secret_hash: secretHash,
    note: input.note,
    own_key: ownKey,
  });
  const row = tokenRowOf(command.id, data, { position, time, principal: command.principal });
  return {
    outcome: done(tokenView(row)),
    events: [{ type: "token.created", subject: tokenSubject(row.id), data }],
    attachment: {},
  };
};

function reservedRefusal(principal: string): Decision | undefined {
  if (!reservedPrincipals.includes(principal)) return undefined;
  return { outcome: refusal("principal_reserved", { principal }), events: [] };
}

type TokenInput = InputOf<(typeof tokenOperations)["create-token"]>;

function lifetimeMs(input: TokenInput): number {
  return (input.expires_in_seconds ?? tokenLimits.expiresInSeconds) * 1000;
}

/** A key that is used again for other rights must not hand out the token that has the first ones. */
function isSameRequest(row: TokenRow, input: TokenInput): boolean {
  return (
    row.principal === input.principal &&
    row.note === input.note &&
    row.expiresAt - row.createdAt === lifetimeMs(input) &&
    sameJson(row.allow, input.allow)
  );
}

function keyConflict({ position }: TokenRow): Decision {
  return { outcome: refusal("idempotency_replay_conflict", { position }), events: [] };
}

function renew(known: TokenRow, secretHash: string): Decision {
  return {
    outcome: done(tokenView(known)),
    events: [{ type: "token.renewed", subject: tokenSubject(known.id), data: { secret_hash: secretHash } }],
    attachment: {},
  };
}

/** An expired token that is still in the table is not revived. */
function findByOwnKey({ state, command, time }: DecideContext, ownKey: string): TokenRow | undefined {
  const prefix = tokenOwnKey(command.principal, ownKey);
  const rows = state.rows(tokenTable).scan("ownKey", { prefix, limit: 100 });
  return rows.find((row) => row.expiresAt > time);
}

/** The row of the event. Decision and fold build the same row. */
export function tokenRowOf(
  id: string,
  data: JsonObject,
  by: { readonly position: number; readonly time: number; readonly principal: string },
): TokenRow {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : undefined);
  return defined({
    id,
    secretHash: data["secret_hash"] as string,
    position: by.position,
    principal: data["principal"] as string,
    allow: data["allow"] as unknown as TokenRow["allow"],
    note: text("note"),
    ownKey: text("own_key"),
    createdAt: by.time,
    createdBy: by.principal,
    expiresAt: data["expires_at_ms"] as number,
  });
}

import { defined } from "@holdfast/sdk/base/defined";
import { tokenOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Feature, FoldedEntry } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { dueTimer } from "../due-timer.ts";
import { rulesOf } from "../rule-of.ts";
import { createToken, tokenRowOf } from "./create-token.ts";
import { expireToken } from "./expire-token.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateOperatorToken } from "./rotate-operator-token.ts";
import { rotateToken } from "./rotate-token.ts";
import { noteRefusal } from "./note-refusal.ts";
import { noteRejection } from "./note-rejection.ts";
import { findToken, tokenSubject, tokenTable } from "./token-table.ts";
import type { TokenRow } from "./token-table.ts";

const expiryTimer = dueTimer(tokenTable, "expires", {
  // No holder renews a token, so an expired one has no grace.
  runsInGrace: true,
  dueAt: ({ expiresAt }) => expiresAt,
  command: ({ id }) => ({ id: `expire-token:${id}`, operation: "expire-token", input: { token_id: id } }),
});

/** Tokens. Entries create and revoke them, so every node knows the same ones. */
export const tokensFeature: Feature = {
  name: "tokens",
  needs: ["space"],
  tables: [tokenTable],
  rules: rulesOf(tokenOperations, {
    "create-token": createToken,
    "rotate-token": rotateToken,
    "rotate-operator-token": rotateOperatorToken,
    "revoke-token": revokeToken,
    "expire-token": expireToken,
    "note-refusal": noteRefusal,
    "note-rejection": noteRejection,
  }),
  folds: {
    "token.created": foldCreated,
    "token.renewed": foldRenewed,
    "token.rotated": foldRotated,
    "token.revoked": foldEnded,
    "token.expired": foldEnded,
    // Recorded for the audit trail. No decision reads them.
    "access.refused": () => undefined,
    "access.rejected": () => undefined,
    "access.operator-rotated": () => undefined,
  },
  reactions: { "space.epoch_raised": revokeImported },
  timers: [expiryTimer],
  restsOn: {
    "access.refused": () => false,
    "access.rejected": () => false,
    "access.operator-rotated": () => false,
  },
};

/** Ends every token of an imported journal, in the entry that raises the epoch. There are at most `tokensMax`. */
function revokeImported({ data }: Event, { state }: DecideContext): readonly Event[] {
  if (data["tokens_revoked"] !== true) return [];
  const rows = state.rows(tokenTable).scan("created", { limit: state.rows(tokenTable).size });
  return rows.map(({ id, principal }) => ({
    type: "token.revoked",
    subject: tokenSubject(id),
    data: { principal, reason: data["reason"] ?? null },
  }));
}

function foldCreated(state: StateWriter, event: Event, entry: FoldedEntry): void {
  state.rows(tokenTable).put(tokenRowOf(idOf(event), event.data, entry));
}

/** Every earlier secret is invalid. */
function foldRenewed(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const { previous: _previous, ...row } = liveToken(state, event, entry);
  replaceSecret(state, row, event);
}

/** The secret before is valid until the end of its grace period. Every earlier one is invalid. */
function foldRotated(state: StateWriter, event: Event, entry: FoldedEntry): void {
  const { previous: known, rotationKey: _key, ...row } = liveToken(state, event, entry);
  const { old_valid_until_ms: validUntil, own_key: rotationKey, repeated } = event.data;
  const isValid = (validUntil as number) > entry.time;
  const old = repeated === true ? known : { secretHash: row.secretHash, validUntil: validUntil as number };
  const previous = isValid ? old : undefined;
  replaceSecret(state, { ...row, ...defined({ previous, rotationKey: rotationKey as string | undefined }) }, event);
}

function liveToken(state: StateWriter, event: Event, entry: FoldedEntry): TokenRow {
  const row = findToken(state, idOf(event));
  if (row === undefined) throw new Error(`entry ${String(entry.position)} changes ${event.subject}, which has ended`);
  return row;
}

function replaceSecret(state: StateWriter, row: TokenRow, event: Event): void {
  state.rows(tokenTable).delete(row.secretHash);
  state.rows(tokenTable).put({ ...row, secretHash: event.data["secret_hash"] as string });
}

function foldEnded(state: StateWriter, event: Event): void {
  const row = findToken(state, idOf(event));
  if (row !== undefined) state.rows(tokenTable).delete(row.secretHash);
}

function idOf(event: Event): string {
  return event.subject.slice("token/".length);
}

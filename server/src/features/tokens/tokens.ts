import { tokenOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { EntryFacts, Feature, Timer } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { rulesOf } from "../rule-of.ts";
import { createToken, rowOf } from "./create-token.ts";
import { expireToken } from "./expire-token.ts";
import { revokeToken } from "./revoke-token.ts";
import { noteRefusal } from "./note-refusal.ts";
import { findToken, tokenTable } from "./token-table.ts";

/** Tokens. Entries create and revoke them, so every node knows the same ones. */
export const tokensFeature: Feature = {
  name: "tokens",
  needs: ["space"],
  tables: [tokenTable],
  rules: rulesOf(tokenOperations, {
    "create-token": createToken,
    "revoke-token": revokeToken,
    "expire-token": expireToken,
    "note-refusal": noteRefusal,
  }),
  folds: {
    "token.created": foldCreated,
    "token.renewed": foldRenewed,
    "token.revoked": foldEnded,
    "token.expired": foldEnded,
    // Recorded for the audit trail. No decision reads it.
    "access.refused": () => undefined,
  },
  reactions: {},
  timers: [expiryTimer()],
  restsOn: { "access.refused": () => false },
};

function expiryTimer(): Timer {
  return {
    nextTime: (state) => state.rows(tokenTable).scan("expires", { limit: 1 })[0]?.expiresAt,
    due: (state, time, limit) =>
      state
        .rows(tokenTable)
        .scan("expires", { limit })
        .filter((row) => row.expiresAt <= time)
        .map(({ id }) => ({ id: `expire-token:${id}`, operation: "expire-token", input: { token_id: id } })),
  };
}

function foldCreated(state: StateWriter, event: Event, entry: EntryFacts): void {
  state.rows(tokenTable).put(rowOf(idOf(event), event.data, entry));
}

function foldRenewed(state: StateWriter, event: Event, entry: EntryFacts): void {
  const row = findToken(state, idOf(event));
  if (row === undefined) throw new Error(`entry ${String(entry.position)} renews ${event.subject}, which has ended`);
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

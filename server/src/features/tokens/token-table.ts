import type { Allowance } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";
import { bytesOfTexts } from "../bytes-of-texts.ts";

/**
 * A live or expired token that is neither revoked nor removed. The secret itself is neither here nor in the journal,
 * only its hash.
 */
export interface TokenRow {
  readonly id: string;
  readonly secretHash: string;
  /** Position of the entry that created it. It defines the order of the list. */
  readonly position: number;
  readonly principal: string;
  readonly allow: readonly Allowance[];
  readonly note?: string;
  readonly ownKey?: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number;
  /** The secret before the last rotation, while its grace period lasts. */
  readonly previous?: PreviousSecret;
  /** The own key of the last rotation. */
  readonly rotationKey?: string;
}

interface PreviousSecret {
  readonly secretHash: string;
  readonly validUntil: number;
}

export const tokenLimits = { tokensMax: 10_000, expiresInSeconds: 30 * 24 * 60 * 60 } as const;

/** The principal of entries about callers that could not be authenticated. */
export const unknownPrincipal = "unknown";

/** Principals that a token cannot have, because they have another meaning. */
export const reservedPrincipals: readonly string[] = ["operator", "anonymous", "local", "holdfast", unknownPrincipal];

function sortable(number: number): string {
  return String(number).padStart(16, "0");
}

const gap = "\u0001";

export function tokenOwnKey(createdBy: string, ownKey: string): string {
  return `${createdBy}${gap}${ownKey}${gap}`;
}

/** The sort key of a token in the list, and the cursor of a page. */
export function createdKey(row: TokenRow): string {
  return sortable(row.position);
}

/** The key is the hash of the secret, which every call of the bearer looks up. */
export const tokenTable: TableSpec<TokenRow, "id" | "expires" | "created" | "ownKey" | "previous"> = {
  name: "tokens",
  boundedBy: "tokensMax",
  key: (row) => row.secretHash,
  sorts: {
    id: (row) => row.id,
    expires: (row) => sortable(row.expiresAt),
    created: createdKey,
    ownKey: (row) => (row.ownKey === undefined ? undefined : tokenOwnKey(row.createdBy, row.ownKey)),
    previous: (row) => row.previous?.secretHash,
  },
  // A token may have a hundred prefixes, so they are counted too.
  bytes: (row) =>
    rowOverhead + bytesOfTexts(row.principal, row.note, row.ownKey, row.rotationKey) + bytesOfAllow(row.allow),
};

/** The token with this hash of a secret, and the end of that secret. Undefined if no token has or had it. */
export function findSecret(state: StateReader, hash: string): { row: TokenRow; validUntil: number } | undefined {
  const rows = state.rows(tokenTable);
  const current = rows.get(hash);
  if (current !== undefined) return { row: current, validUntil: current.expiresAt };
  const [row] = rows.scan("previous", { prefix: hash, limit: 1 });
  if (row?.previous?.secretHash !== hash) return undefined;
  return { row, validUntil: Math.min(row.previous.validUntil, row.expiresAt) };
}

/** Bytes of a token in addition to its texts: the row, its keys, its hashes and five index entries. */
const rowOverhead = 1_200;

function bytesOfAllow(allow: readonly Allowance[]): number {
  return allow.reduce((bytes, { under }) => bytes + 300 + bytesOfTexts(under), 0);
}

export function findToken(state: StateReader, id: string): TokenRow | undefined {
  return state
    .rows(tokenTable)
    .scan("id", { prefix: id, limit: 2 })
    .find((row) => row.id === id);
}

export function tokenSubject(id: string): string {
  return `token/${id}`;
}

/** The token as every door shows it. */
export function tokenView(row: TokenRow): JsonObject {
  return {
    token_id: row.id,
    principal: row.principal,
    allow: row.allow,
    note: row.note ?? null,
    created_at: new Date(row.createdAt).toISOString(),
    created_by: row.createdBy,
    expires_at: new Date(row.expiresAt).toISOString(),
  };
}

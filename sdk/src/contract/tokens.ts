import Type from "typebox";
import { isoTime, line } from "./agents.ts";
import { allowance } from "./allowance.ts";
import { limit } from "./conditions.ts";
import { eachWith, withoutPath } from "./event-type.ts";
import { internalOperation, operation } from "./operation.ts";
import { ofWholeSpace } from "./rights.ts";
import { get, post, remove } from "./routes.ts";

const closed = { additionalProperties: false } as const;

const tokenId = Type.String({ minLength: 1, maxLength: 128, description: "The id of a token. It is not secret." });

const principal = Type.String({
  pattern: "^[a-z0-9][a-zA-Z0-9._@-]{0,63}$",
  description:
    "The name of the token's principal, as the history shows it: up to 64 letters, digits and `._@-`. Not `operator`, `anonymous`, `local`, `holdfast` or `unknown`.",
});

const token = Type.Object(
  {
    token_id: tokenId,
    principal,
    allow: Type.Array(allowance),
    note: Type.Union([line, Type.Null()]),
    created_at: isoTime,
    created_by: Type.String(),
    expires_at: isoTime,
  },
  closed,
);

const secretHash = Type.Optional(
  Type.String({ pattern: "^[0-9a-f]{64}$", description: "Set by the server, which makes the secret." }),
);

const ownKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[\\x20-\\x7e]+$",
  description: "A key that the caller chooses.",
});

const createToken = operation({
  name: "create-token",
  kind: "write",
  summary:
    "For operators. Creates a token, which is a principal with the rights in `allow` until it expires. The secret is returned once. " +
    "With `own_key` or an idempotency key, an equal request gives the same token a new secret, and another request is refused.",
  input: Type.Object(
    {
      principal,
      allow: Type.Array(allowance, { minItems: 1, maxItems: 100 }),
      expires_in_seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 34_560_000,
          description: "Lifetime; 30 days by default, at most 400 days.",
        }),
      ),
      note: Type.Optional(line),
      own_key: Type.Optional(ownKey),
      secret_hash: secretHash,
    },
    closed,
  ),
  output: Type.Object(
    { ...token.properties, secret: Type.String({ description: "Returned only once: `hf_` and 64 hex digits." }) },
    closed,
  ),
  problems: ["not_allowed", "principal_reserved", "token_limit", "idempotency_replay_conflict", "space_full"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/tokens", { status: 201 })],
  example: {
    principal: "ci",
    allow: [{ under: "repo/x", verbs: ["read", "write", "lock"] }],
    note: "for builds",
  },
  sets: ["secret_hash"],
});

const rotateToken = operation({
  name: "rotate-token",
  kind: "write",
  summary:
    "Gives a token a new secret, with the same id, rights and expiry; for operators. The new secret is returned once. The old " +
    "one is invalid at once, or after `grace_seconds`. Secrets before the old one are invalid at once. With `own_key` or an " +
    "idempotency key, a repeated request replaces the new secret again, and the old one keeps its grace period.",
  input: Type.Object(
    {
      token_id: tokenId,
      grace_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          description: "Time for which the old secret stays valid; 0 by default, at most 7 days.",
        }),
      ),
      own_key: Type.Optional(ownKey),
      secret_hash: secretHash,
    },
    closed,
  ),
  output: Type.Object(
    {
      ...token.properties,
      old_secret_valid_until: isoTime,
      secret: Type.String({ description: "Returned only once: `hf_` and 64 hex digits." }),
    },
    closed,
  ),
  problems: ["not_allowed", "token_unknown"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/tokens/{token_id}/rotate")],
  example: { token_id: "9b2f6c1e", grace_seconds: 3600 },
  sets: ["secret_hash"],
});

const rotateOperatorToken = operation({
  name: "rotate-operator-token",
  kind: "write",
  summary:
    "Replaces the operator's token in the data folder of the node that gets the call; for operators. The old one is invalid at " +
    "once, also on open connections. No reply contains the new one.",
  input: Type.Object({}, closed),
  output: Type.Object(
    { rotated_at: isoTime, file: Type.String({ description: "The file with the new token, on the server's host." }) },
    closed,
  ),
  problems: ["not_allowed", "operator_token_configured"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/tokens/rotate-operator")],
  example: {},
});

const revokeToken = operation({
  name: "revoke-token",
  kind: "write",
  summary: "Revokes a token at once, also on open connections; for operators.",
  input: Type.Object({ token_id: tokenId, reason: Type.Optional(line) }, closed),
  output: Type.Object({ token_id: tokenId, principal, revoked_at: isoTime }, closed),
  problems: ["not_allowed", "token_unknown"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [remove("/v1/tokens/{token_id}")],
  example: { token_id: "9b2f6c1e", reason: "it was in a log" },
});

const listTokens = operation({
  name: "list-tokens",
  kind: "read",
  summary:
    "Lists the tokens that are neither revoked nor expired, oldest first. `next` is the `after` of the next page.",
  input: Type.Object({ after: Type.Optional(Type.String({ maxLength: 64 })), limit: Type.Optional(limit) }, closed),
  output: Type.Object({ items: Type.Array(token), next: Type.Union([Type.String(), Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [get("/v1/tokens")],
  example: { limit: 50 },
});

const expireToken = internalOperation({
  name: "expire-token",
  summary: "Removes an expired token from the state. It is already invalid.",
  input: Type.Object({ token_id: tokenId }, closed),
  output: Type.Object({ token_id: tokenId }),
  problems: ["not_due"],
});

const noteRefusal = internalOperation({
  name: "note-refusal",
  summary: "Records a refused operator operation in the audit trail.",
  input: Type.Object(
    {
      operation: Type.String({ maxLength: 128 }),
      reason: line,
      unrecorded: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    closed,
  ),
  output: Type.Object({}),
  problems: [],
});

const noteRejection = internalOperation({
  name: "note-rejection",
  summary: "Records a failed authentication in the audit trail.",
  input: Type.Object(
    {
      door: Type.String({ maxLength: 16 }),
      code: Type.String({ maxLength: 64 }),
      unrecorded: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    closed,
  ),
  output: Type.Object({}),
  problems: [],
  auditReason: ["door", "code"],
});

export const tokenOperations = {
  "create-token": createToken,
  "rotate-token": rotateToken,
  "rotate-operator-token": rotateOperatorToken,
  "revoke-token": revokeToken,
  "list-tokens": listTokens,
  "expire-token": expireToken,
  "note-refusal": noteRefusal,
  "note-rejection": noteRejection,
} as const;

export const tokenEvents = eachWith(
  {
    "token.created": {
      summary: "An operator created a token. The event holds only the hash of its secret.",
      data: Type.Object(
        {
          principal: Type.String(),
          allow: Type.Array(allowance),
          expires_at: isoTime,
          expires_at_ms: Type.Integer(),
          secret_hash: Type.String(),
          note: Type.Optional(Type.String()),
          own_key: Type.Optional(Type.String()),
        },
        closed,
      ),
    },
    "token.renewed": {
      summary: "A token got a new secret after a repeated request with its own key. The old secret is invalid.",
      data: Type.Object({ secret_hash: Type.String() }, closed),
    },
    "token.rotated": {
      summary: "An operator gave a token a new secret. The old one is valid until `old_valid_until_ms`.",
      data: Type.Object(
        {
          secret_hash: Type.String(),
          old_valid_until_ms: Type.Integer(),
          own_key: Type.Optional(Type.String()),
          repeated: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    },
    "token.revoked": {
      summary: "An operator revoked a token.",
      data: Type.Object({ principal: Type.String(), reason: Type.Union([Type.String(), Type.Null()]) }, closed),
    },
    "token.expired": { summary: "A token expired.", data: Type.Object({ principal: Type.String() }, closed) },
    "access.operator-rotated": {
      summary: "An operator replaced the operator's token of a node.",
      data: Type.Object({}, closed),
    },
    "access.refused": {
      summary: "An operator operation was refused. `unrecorded` counts earlier attempts that have no entry.",
      data: Type.Object(
        { operation: Type.String(), reason: Type.String(), unrecorded: Type.Optional(Type.Integer()) },
        closed,
      ),
    },
    "access.rejected": {
      summary:
        "An authentication failed: a token was invalid, or was required and not sent. `unrecorded` counts earlier ones at the same door that have no entry.",
      data: Type.Object(
        { door: Type.String(), code: Type.String(), unrecorded: Type.Optional(Type.Integer()) },
        closed,
      ),
    },
  },
  { paths: withoutPath },
);

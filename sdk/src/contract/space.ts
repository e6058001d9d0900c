import Type from "typebox";
import type { Static } from "typebox";
import { internalOperation, operation } from "./operation.ts";
import { ofWholeSpace } from "./rights.ts";
import { post } from "./routes.ts";

const closed = { additionalProperties: false } as const;
const reason = Type.String({ minLength: 1, maxLength: 1000, description: "The reason, kept in the history." });

/**
 * Settings that decisions read and an operator may change. An entry sets them, so every node decides by the same
 * values.
 */
const spaceSettings = Type.Object(
  {
    idempotency_window_ms: Type.Integer({
      minimum: 60_000,
      maximum: 400 * 86_400_000,
      description: "Retention time of the reply to a key; 24 hours by default.",
    }),
    state_bytes_max: Type.Integer({
      minimum: 1_048_576,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Maximum bytes of all rows together, approximately; 1 GiB by default. Beyond it new entities, locks, tickets, agents and tokens are refused.",
    }),
    paths_per_principal_max: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Maximum paths that all owners of one principal hold and wait for; 250,000 by default.",
    }),
    state_hash_every: Type.Integer({
      minimum: 100,
      maximum: 10_000_000,
      description: "Number of entries between two recorded hashes of the state; 50,000 by default.",
    }),
    component_toggles: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }), Type.Boolean(), {
      description: "Optional components by name, on or off.",
    }),
  },
  closed,
);

export type SpaceSettings = Static<typeof spaceSettings>;

const configure = operation({
  name: "configure",
  kind: "write",
  summary: "Changes settings that decisions read, for the whole space. Absent settings stay.",
  input: Type.Object({ settings: Type.Partial(spaceSettings, closed), reason: Type.Optional(reason) }, closed),
  output: Type.Object({ settings: spaceSettings, changed: Type.Boolean() }, closed),
  problems: [],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/space/configure")],
  example: { settings: { idempotency_window_ms: 172_800_000 }, reason: "retries come from another site" },
});

const raiseEpoch = internalOperation({
  name: "raise-epoch",
  summary: "Starts a new epoch after history was restored or went back, unless one above `above` has already begun.",
  input: Type.Object(
    {
      above: Type.Integer({ minimum: 1 }),
      at_least: Type.Optional(Type.Integer({ minimum: 1 })),
      reason,
      revoke_tokens: Type.Optional(Type.Literal(true, { description: "Revokes all tokens in the same entry." })),
    },
    closed,
  ),
  output: Type.Object({ epoch: Type.Integer() }, closed),
  problems: [],
});

const raiseRules = operation({
  name: "raise-rules",
  kind: "write",
  summary: "Makes this rules number decide from the next entry on, if it does not already. Every node must know it.",
  input: Type.Object({ to: Type.Integer({ minimum: 1 }) }, closed),
  output: Type.Object({ rules: Type.Integer() }, closed),
  problems: ["rules_unknown"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/space/raise-rules")],
  example: { to: 2 },
});

const recordStateHash = internalOperation({
  name: "record-state-hash",
  summary: "Records the hash of the state at a position, so that a replica that differs is detected.",
  input: Type.Object(
    { position: Type.Integer({ minimum: 1 }), hash: Type.String({ pattern: "^[0-9a-f]{64}$" }) },
    closed,
  ),
  output: Type.Object({ position: Type.Integer() }, closed),
  problems: [],
  isUpkeep: true,
});

const erasePayload = operation({
  name: "erase-payload",
  kind: "write",
  summary:
    "Removes the payload of an entry permanently: input, outcome and the data of its events. Operation, time and author " +
    "stay. The request is refused while the current state depends on the entry.",
  input: Type.Object(
    {
      position: Type.Integer({ minimum: 1 }),
      reason,
      events: Type.Optional(
        Type.Array(Type.Tuple([Type.String(), Type.String()]), {
          description:
            "The types and subjects of the entry's events. The server sets them; callers need not send them.",
        }),
      ),
    },
    closed,
  ),
  output: Type.Object({ position: Type.Integer(), erased_by: Type.Integer() }, closed),
  problems: ["entry_not_found", "entry_in_use", "erasure_unfinished", "history_archived"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/space/erase-payload")],
  example: { position: 7, reason: "requested by the person concerned" },
  sets: ["events"],
});

export const spaceOperations = {
  configure,
  "erase-payload": erasePayload,
  "raise-epoch": raiseEpoch,
  "raise-rules": raiseRules,
  "record-state-hash": recordStateHash,
} as const;

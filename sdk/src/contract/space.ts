import Type from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";

const closed = { additionalProperties: false } as const;
const reason = Type.String({ minLength: 1, maxLength: 1000, description: "Why; it is kept in the history." });

/** What decisions read and an operator may set. It is set by an entry, so that every node decides by the same. */
export const spaceSettings = Type.Object(
  {
    idempotency_window_ms: Type.Integer({
      minimum: 60_000,
      maximum: 400 * 86_400_000,
      description: "How long the answer to a key is given again; 24 hours if not set.",
    }),
    state_bytes_max: Type.Integer({
      minimum: 1_048_576,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "About how many bytes all rows may weigh together; 1 GiB if not set. Over it new data is refused.",
    }),
    state_hash_every: Type.Integer({
      minimum: 100,
      maximum: 10_000_000,
      description: "Every so many entries a hash of the state is recorded; 50,000 if not set.",
    }),
    component_toggles: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }), Type.Boolean(), {
      description: "Optional components by name, on or off.",
    }),
  },
  closed,
);

export type SpaceSettings = Static<typeof spaceSettings>;

export const configure = operation({
  name: "configure",
  kind: "write",
  summary: "Sets what decisions read, for the whole space. What is not named stays.",
  input: Type.Object({ settings: Type.Partial(spaceSettings, closed), reason: Type.Optional(reason) }, closed),
  output: Type.Object({ settings: spaceSettings, changed: Type.Boolean() }, closed),
  problems: [],
});

export const raiseEpoch = operation({
  name: "raise-epoch",
  kind: "internal",
  summary: "Starts a new epoch after history was restored or went back, unless one above `above` has begun already.",
  input: Type.Object(
    { above: Type.Integer({ minimum: 1 }), at_least: Type.Optional(Type.Integer({ minimum: 1 })), reason },
    closed,
  ),
  output: Type.Object({ epoch: Type.Integer() }, closed),
  problems: [],
});

export const raiseRules = operation({
  name: "raise-rules",
  kind: "write",
  summary:
    "From the next entry on, decisions follow the rules of this number, unless they do already. Every node must carry them.",
  input: Type.Object({ to: Type.Integer({ minimum: 1 }) }, closed),
  output: Type.Object({ rules: Type.Integer() }, closed),
  problems: ["rules_unknown"],
});

export const recordStateHash = operation({
  name: "record-state-hash",
  kind: "internal",
  summary: "Records what the state came to at a position, so that a replica that differs is noticed.",
  input: Type.Object(
    { position: Type.Integer({ minimum: 1 }), hash: Type.String({ pattern: "^[0-9a-f]{64}$" }) },
    closed,
  ),
  output: Type.Object({ position: Type.Integer() }, closed),
  problems: [],
});

export const erasePayload = operation({
  name: "erase-payload",
  kind: "write",
  summary:
    "Removes the payload of an entry for good: input, outcome and the data of its events. What happened, when and by " +
    "whom stays. It is refused while the current state still rests on it.",
  input: Type.Object(
    {
      position: Type.Integer({ minimum: 1 }),
      reason,
      events: Type.Optional(
        Type.Array(Type.Tuple([Type.String(), Type.String()]), {
          description: "The types and subjects of the entry's events. Holdfast looks them up; they need not be sent.",
        }),
      ),
    },
    closed,
  ),
  output: Type.Object({ position: Type.Integer(), erased_by: Type.Integer() }, closed),
  problems: ["entry_not_found", "entry_in_use", "erasure_unfinished", "history_archived"],
});

export const spaceOperations = {
  configure,
  "erase-payload": erasePayload,
  "raise-epoch": raiseEpoch,
  "raise-rules": raiseRules,
  "record-state-hash": recordStateHash,
} as const;
